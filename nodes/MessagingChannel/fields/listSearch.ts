import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import type { RequestLimits } from '../api/apiRequest';
import { connect } from '../n8n/connect';
import { withLimits, type Client } from '../api/client';
import { nodeErrorOf } from '../n8n/nodeErrors';
import { cleaned, readNumber, withCountryCode } from '../recipients/phoneNumber';

/** The user waits while the list loads. */
const LIST_LIMITS: RequestLimits = { maxAttempts: 2, maxRateLimitWait: 5 };

/** A function that n8n calls for a list in the editor. */
type Listing<Given extends unknown[], Listed> = (
	this: ILoadOptionsFunctions,
	...given: Given
) => Promise<Listed>;

/** A function that n8n calls to fill a searchable list. */
export type ListSearch = Listing<[filter?: string, paginationToken?: string], INodeListSearchResult>;

/**
 * Makes a function that n8n calls for a list in the editor. An error becomes a node error, whose message the editor shows in the field.
 *
 * @param list gets the list from the service, or throws ApiError
 */
export function listing<Given extends unknown[], Listed>(
	list: (client: Client, ...given: Given) => Promise<Listed>,
): Listing<Given, Listed> {
	return async function (...given) {
		return await lookUp(this, async (client) => await list(client, ...given));
	};
}

/**
 * Calls the service for a list in the editor.
 *
 * @throws NodeApiError when a request fails, NodeOperationError when the credential cannot be used
 */
export async function lookUp<T>(
	context: ILoadOptionsFunctions,
	work: (client: Client) => Promise<T>,
): Promise<T> {
	try {
		return await work(withLimits(await connect(context), LIST_LIMITS));
	} catch (error) {
		throw nodeErrorOf(context.getNode(), error);
	}
}

/**
 * Selects the items whose name or value contains the filter, or the digits of a phone number. Case and accents are ignored.
 */
export function matching(items: INodeListSearchItems[], filter = ''): INodeListSearchItems[] {
	const searches = [filter, searchTextOf(filter)].map(folded);
	return items.filter(({ name, value }) => {
		const text = folded(`${name} ${value}`);
		return searches.some((search) => text.includes(search));
	});
}

/** Without accents and in upper case, in which the Turkish ı and the i are one letter. */
function folded(text: string): string {
	return text
		.normalize('NFD')
		.replace(/[\u0300-\u036f]/g, '')
		.toUpperCase();
}

/**
 * What to search for: of a phone number, only its digits (API spec, "Contacts"), without what is only dialed before it.
 *
 * @param entered a name or number, or a part of it
 */
export function searchTextOf(entered: string): string {
	const text = entered.trim();
	const number = cleaned(entered);
	const digits = number.replace(/\D/g, '');
	// Few digits with a point can be a version or a price.
	const isNumber = /^\+?[\d\s().-]+$/.test(number) && (digits.length >= 5 || !/^\d+\./.test(number));
	if (!isNumber) return text;
	const read = readNumber(number);
	const known = read.hasCountryCode && withCountryCode(read);
	return known || digits.replace(/^0+(?=\d{7})/, '') || text;
}
