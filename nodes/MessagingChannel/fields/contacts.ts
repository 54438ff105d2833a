import type { INodeListSearchItems } from 'n8n-workflow';

import { GET_CONTACTS } from '../api/endpoints';
import type { Client } from '../api/client';
import { isRecord } from '../api/isRecord';
import { recordsOf } from '../api/records';
import type { Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { lookUp, type ListSearch } from './listSearch';
import { byPhoneNumber, locator } from './locator';
import { normalizePhone } from './phoneNumber';

/** A page of contacts for a list, searched by the service, and the token of the next page if there is one. */
export async function findContacts(
	client: Client,
	filter = '',
	paginationToken = '1',
): Promise<{ results: INodeListSearchItems[]; paginationToken?: string }> {
	const page = Number(paginationToken);
	const answer = await client.call({
		endpoint: GET_CONTACTS,
		parameters: { page, search: filter || undefined },
	});
	const results = recordsOf(answer).map(({ name, phone }) => ({
		name: name ? `${String(name)} (${String(phone)})` : String(phone),
		value: String(phone),
	}));
	const { limit, total } = isRecord(answer.pagination) ? answer.pagination : {};
	const more = page * Number(limit) < Number(total);
	return more ? { results, paginationToken: String(page + 1) } : { results };
}

export const searchContacts: ListSearch = async function (filter, paginationToken) {
	return await lookUp(this, async (client) => await findContacts(client, filter, paginationToken));
};

/** A contact, chosen from the list or by phone number. */
export const phone: Field = {
	...locator(
		{ displayName: 'Contact', name: 'phone', description: 'The contact, by name or phone number' },
		'searchContacts',
		[byPhoneNumber],
	),
	toApi: ({ value }: Locator) => ({ phone: normalizePhone(value) }),
};
