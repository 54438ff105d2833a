import type { INodeListSearchItems } from 'n8n-workflow';

import { GET_CONTACTS } from '../api/endpoints';
import type { Client } from '../api/client';
import { recordOrEmpty } from '../api/values';
import { recordsOf } from '../api/records';
import type { Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { numberWithCountryCode } from '../recipients/numbering';
import { completedNumber } from './countryCode';
import { lookUp, searchTextOf, type ListSearch } from './listSearch';
import { byPhoneNumber, locator } from './locator';
import { normalizePhone } from './phoneNumber';
import { shownNumber } from './shownNames';

/**
 * Gets one page of the contacts that match a filter, for a list (API spec, "Contacts").
 *
 * @param paginationToken number of the page
 * @returns the items, and the number of the next page if there is one
 */
export async function findContacts(
	client: Client,
	filter = '',
	paginationToken = '1',
): Promise<{ results: INodeListSearchItems[]; paginationToken?: string }> {
	const page = Number(paginationToken);
	const body = await client.call({
		endpoint: GET_CONTACTS,
		parameters: { page, search: searchTextOf(filter) || undefined },
	});
	const results = recordsOf(body).map(({ name, phone }) => {
		const number = shownNumber(String(phone));
		return { name: name ? `${String(name)} (${number})` : number, value: String(phone) };
	});
	const { limit, total } = recordOrEmpty(body.pagination);
	const hasMore = results.length > 0 && page * Number(limit) < Number(total);
	return hasMore ? { results, paginationToken: String(page + 1) } : { results };
}

/** Lists the contacts that match the filter, page by page. */
export const searchContacts: ListSearch = async function (filter, paginationToken) {
	return await lookUp(this, async (client) => await findContacts(client, filter, paginationToken));
};

/** The record of a contact, selected from the list or by phone number. */
export const phone: Field = {
	...locator(
		{ displayName: 'Contact', name: 'phone', description: 'The contact, selected by name or phone number' },
		'searchContacts',
		[byPhoneNumber],
	),
	toApi: ({ value }: Locator) => {
		const digits = normalizePhone(value);
		// Digits alone can be a number as Get Many returns it, which must stay unchanged.
		return { phone: (value !== digits && numberWithCountryCode(value)) || digits };
	},
};

/** A person, by a contact of the list or by phone number. Without its country code, the number would be somebody else's. */
export const personsPhone: Field = {
	...phone,
	toApi: ({ value, isSelected }: Locator, settings) => ({
		phone: isSelected ? normalizePhone(value) : completedNumber(value, settings),
	}),
};
