import sortedIndexBy from 'lodash/sortedIndexBy';

import type {
	Account,
	AutoReply,
	Broadcast,
	Chat,
	Contact,
	Group,
	Message,
	ScheduledMessage,
	Tag,
	Template,
} from './records';
import { toDateTime } from './clock';
import { isGroup, phoneOfChat } from './phone';

/** The account's records. */
export interface Store {
	account: Account;
	chats: Map<string, Chat>;
	/** By chat, oldest first. */
	messages: Map<string, Message[]>;
	messagesById: Map<string, Message>;
	contacts: Map<string, Contact>;
	groups: Map<string, Group>;
	tags: Map<string, Tag>;
	templates: Map<string, Template>;
	scheduledMessages: Map<string, ScheduledMessage>;
	autoReplies: Map<string, AutoReply>;
	broadcasts: Map<string, Broadcast>;
}

/** A connected account without any records. */
export const createStore = (): Store => ({
	account: {
		id: 'account-1',
		name: 'Demo account',
		phone_number: '905300000000',
		status: 'connected',
		provider: 'reference',
	},
	chats: new Map(),
	messages: new Map(),
	messagesById: new Map(),
	contacts: new Map(),
	groups: new Map(),
	tags: new Map(),
	templates: new Map(),
	scheduledMessages: new Map(),
	autoReplies: new Map(),
	broadcasts: new Map(),
});

/** Whether a number is on the channel, unless a contact says so: all but those that end in 000. */
export const isRegistered = (store: Store, phone: string): boolean =>
	store.contacts.get(phone)?.is_channel_user ?? !phone.endsWith('000');

/** The chat, made when it is new. */
export function ensureChat(store: Store, chatId: string, name?: string): Chat {
	const known = store.chats.get(chatId);
	if (known) return known;
	const group = isGroup(chatId);
	const chat: Chat = {
		id: chatId,
		name: name ?? store.contacts.get(phoneOfChat(chatId))?.name ?? phoneOfChat(chatId),
		type: group ? 'group' : 'individual',
		is_muted: false,
		is_archived: false,
		last_message_at: null,
	};
	store.chats.set(chatId, chat);
	return chat;
}

/** The contact, made when it is new. */
export function ensureContact(store: Store, phone: string, now: number, name?: string): Contact {
	const known = store.contacts.get(phone);
	if (known) return known;
	const contact: Contact = {
		phone,
		name: name ?? phone,
		tags: [],
		is_channel_user: isRegistered(store, phone),
		notes: '',
		custom_fields: {},
		is_blocked: false,
		last_message_at: null,
		created_at: toDateTime(now),
	};
	store.contacts.set(phone, contact);
	return contact;
}

/** The index of the first message of a list that is not older than `seconds`. */
export const firstNotOlder = (messages: Message[], seconds: number): number =>
	sortedIndexBy<Pick<Message, 'timestamp'>>(messages, { timestamp: seconds }, 'timestamp');

/** Puts a message in its chat, and makes the chat and its contact when they are new. */
export function addMessage(
	store: Store,
	chatId: string,
	message: Message,
	now: number,
	chatName?: string,
): Chat {
	const chat = ensureChat(store, chatId, chatName);
	const messages = store.messages.get(chatId) ?? [];
	if (messages.length === 0) store.messages.set(chatId, messages);
	const last = messages.at(-1);
	if (!last || last.timestamp <= message.timestamp) messages.push(message);
	else messages.splice(firstNotOlder(messages, message.timestamp + 1), 0, message);
	store.messagesById.set(message.id, message);

	const at = toDateTime(message.timestamp * 1000);
	if (chat.last_message_at === null || chat.last_message_at < at) chat.last_message_at = at;
	if (chat.type === 'individual') {
		const contact = ensureContact(store, phoneOfChat(chatId), now, chatName);
		contact.last_message_at = chat.last_message_at;
	}
	return chat;
}
