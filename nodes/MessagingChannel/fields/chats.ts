import type { INodeListSearchItems } from 'n8n-workflow';

import { GET_CHATS } from '../api/endpoints';
import { numberInChatId } from '../api/chatId';
import type { Client } from '../api/client';
import { recordsOf } from '../api/records';
import { InvalidInput, shown, type Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { findContacts } from './contacts';
import { lookUp, matching, type ListSearch } from './listSearch';
import { byId, byPhoneNumber, locator } from './locator';
import { cleaned, isChatId, normalizePhone } from './phoneNumber';
import { validId } from './recordId';

async function findChats(client: Client, filter?: string): Promise<INodeListSearchItems[]> {
	const chats = recordsOf(await client.call({ endpoint: GET_CHATS })).map(({ id, name }) => ({
		name: name ? `${String(name)} (${String(id)})` : String(id),
		value: String(id),
	}));
	return matching(chats, filter);
}

export const searchChats: ListSearch = async function (filter) {
	return await lookUp(this, async (client) => ({ results: await findChats(client, filter) }));
};

/** Chats first, then page by page the contacts that have no chat yet. */
export const searchRecipients: ListSearch = async function (filter, paginationToken) {
	return await lookUp(this, async (client) => {
		const chats = await findChats(client, filter);
		const contacts = await findContacts(client, filter, paginationToken);
		const withChat = new Set(chats.map(({ value }) => numberInChatId(String(value))));
		const withoutChat = contacts.results.filter(({ value }) => !withChat.has(String(value)));
		return { ...contacts, results: paginationToken ? withoutChat : [...chats, ...withoutChat] };
	});
};

/** A chat, chosen from the list or by its id. */
export const chatId: Field = {
	...locator(
		{ displayName: 'Chat', name: 'chatId', description: 'The conversation with a person or group' },
		'searchChats',
		[byId],
	),
	toApi: ({ value }: Locator) => ({ chatId: validChatId(value) }),
};

/** Who gets a message: a contact or chat from the list, a phone number, or the id of a chat. */
export const to: Field = {
	...locator(
		{ displayName: 'To', name: 'to', description: 'The person or group that gets the message' },
		'searchRecipients',
		[byPhoneNumber, byId],
	),
	toApi: ({ mode, value }: Locator) => ({ to: mode === 'id' ? validChatId(value) : recipientOf(value) }),
};

/**
 * A recipient as the service takes it: the digits of a phone number, or the id of a chat.
 *
 * @throws InvalidInput when it is neither a phone number nor the id of a chat
 */
export function recipientOf(entered: string): string {
	const id = cleaned(entered);
	return isChatId(id) ? id : normalizePhone(entered);
}

function validChatId(entered: string): string {
	const id = cleaned(entered);
	if (/^[^\s/]+$/.test(id)) return validId(id);
	throw new InvalidInput(
		`is not the ID of a chat: ${shown(entered)}`,
		'Enter the ID as Chat > Get Many gives it.',
	);
}
