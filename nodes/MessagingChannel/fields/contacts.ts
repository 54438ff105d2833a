import type { INodeListSearchItems } from 'n8n-workflow';

import { GET_CONTACTS } from '../api/endpoints';
import type { Client } from '../api/client';
import { parseContact } from '../api/contact';
import { hasNextPage } from '../api/pagination';
import { kindOf, recordsOf } from '../api/values';
import { understood } from '../api/unreadable';
import type { Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { numberWithCountryCode } from '../recipients/phoneNumber';
import { completedNumber, normalizePhone } from './recipient';
import { listing, searchTextOf, type ListSearch } from './listSearch';
import { byPhoneNumber, locator } from './locator';
import { shownNumber } from './shownNames';

/**
 * Gets one page of the contacts that match a filter, for a list (API spec, "Contacts").
 *
 * @param paginationToken number of the page, and of the contacts before it
 * @returns the items, and the token of the next page if there is one
 */
export async function findContacts(
	client: Client,
	filter = '',
	paginationToken = '1 0',
): Promise<{ results: INodeListSearchItems[]; paginationToken?: string }> {
	const [page = 1, before = 0] = paginationToken.split(' ').map(Number);
	const body = await client.call({
		endpoint: GET_CONTACTS,
		parameters: { page, search: searchTextOf(filter) || undefined },
	});
	const contacts = recordsOf(body).map(parseContact);
	const results = understood(
		contacts,
		({ name, phone }) =>
			phone === undefined ? undefined : { name: shownContact(phone, name), value: phone },
		({ record }) => ['contact.phone', kindOf(record.phone)],
	);
	const found = before + contacts.length;
	return hasNextPage(body, contacts.length, found)
		? { results, paginationToken: `${page + 1} ${found}` }
		: { results };
}

function shownContact(phone: string, name: string | undefined): string {
	const number = shownNumber(phone);
	return name === undefined ? number : `${name} (${number})`;
}

/** Lists the contacts that match the filter, page by page. */
export const searchContacts: ListSearch = listing(findContacts);

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
