import uniqBy from 'lodash/uniqBy';
import type { INodeListSearchItems } from 'n8n-workflow';

import { GET_CHATS } from '../api/endpoints';
import type { Client } from '../api/client';
import { type Chat, parseChat } from '../api/message';
import { listRecords } from '../api/pagination';
import { kindOf } from '../api/values';
import { understood } from '../api/unreadable';
import { InvalidInput, shown, type Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { findContacts } from './contacts';
import { listing, matching, type ListSearch } from './listSearch';
import { byChatId, locator } from './locator';
import { digitsOf } from '../recipients/phoneNumber';
import { numberBeside, phoneIn, recipientKey } from '../recipients/recipient';
import { validChatId } from './recipient';
import { shownNumber } from './shownNames';

async function findChats(client: Client, filter?: string): Promise<ChatChoice[]> {
	const listed = await listRecords(client, { endpoint: GET_CHATS }, 'none', Infinity);
	const chats = understood(listed.map(parseChat), toChoice, ({ record }) => ['chat.id', kindOf(record.id)]);
	return matching(uniqBy(chats, 'value'), filter);
}

/** A chat in the list, with the phone number that its ID hides. */
type ChatChoice = INodeListSearchItems & { number?: string };

function toChoice(chat: Chat): ChatChoice | undefined {
	const { id } = chat;
	return id === undefined ? undefined : { name: shownChat(chat, id), value: id, number: numberBeside(chat) };
}

function shownChat(chat: Chat, id: string): string {
	const { name, type } = chat;
	const number = phoneIn(id) ?? numberBeside(chat);
	const identity = type === 'individual' && number !== undefined ? shownNumber(number) : id;
	if (name === undefined || name === number) return identity;
	return `${name} (${type === 'group' ? 'group' : identity})`;
}

function choiceOf({ name, value }: ChatChoice): INodeListSearchItems {
	return { name, value };
}

/** Lists the chats that match the filter. */
export const searchChats: ListSearch = listing(async (client, filter) => ({
	results: (await findChats(client, filter)).map(choiceOf),
}));

/** Lists the chats that match the filter, then page by page the contacts without a chat. */
export const searchRecipients: ListSearch = listing(async (client, filter, paginationToken) => {
	const chats = await findChats(client, filter);
	const contacts = await findContacts(client, filter, paginationToken);
	const withChat = new Set(chats.map(({ value, number }) => recipientKey(number ?? String(value))));
	const withoutChat = contacts.results.filter(({ value }) => !withChat.has(recipientKey(String(value))));
	return { ...contacts, results: paginationToken ? withoutChat : [...chats.map(choiceOf), ...withoutChat] };
});

/** A chat, selected from the list or by its id. */
export const chatId: Field = {
	...locator(
		{ displayName: 'Chat', name: 'chatId', description: 'The chat with a person or group' },
		'searchChats',
		[byChatId],
	),
	toApi: ({ value, isSelected }: Locator) => {
		// The service would have no messages for it.
		if (!isSelected && digitsOf(value) !== undefined) {
			throw new InvalidInput(
				`is a phone number, not a chat ID: ${shown(value)}`,
				'Enter the ID of the chat, e.g. 905551234567@c.us. The trigger puts it out as chat.id, and Chat > Find by Phone Number finds it.',
			);
		}
		return { chatId: validChatId(value, isSelected) };
	},
};
