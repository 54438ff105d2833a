import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../api/errors';
import type { ServiceEvent } from './event';

/** Which events the user wants, as the trigger's parameters say it. */
export interface Wishes {
	events: readonly string[];
	ignoreOwnMessages: boolean;
	chatType: 'any' | 'individual' | 'group';
	/** Chat ids or phone numbers, separated by commas. */
	chats: string;
	/** Message types, separated by commas. */
	messageTypes: string;
	statuses: readonly string[];
}

/** The sub-types of a status event, which cannot be registered by themselves (API spec, "Events"). */
const STATUS_EVENTS = ['message.delivered', 'message.read'];

/** Whether the event is one of those selected; unknown types never are, so they are ignored (API spec, "Events"). */
export function isSelected({ type }: ServiceEvent, events: readonly string[]): boolean {
	return events.includes(STATUS_EVENTS.includes(type) ? 'message.status' : type);
}

/**
 * Whether the event passes the filters. A filter drops an event that says something else than was asked for. One that
 * says nothing of it passes: the service does not publish what most events hold, and a dropped event is lost.
 */
export function passes(event: ServiceEvent, wishes: Wishes): boolean {
	const message = recordOf(event.body.message);
	if (wishes.ignoreOwnMessages && event.type === 'message.received' && message.from_me === true) {
		return false;
	}
	return (
		passesChatType(recordOf(event.body.chat), wishes.chatType) &&
		passesChats(event.body, entriesOf(wishes.chats)) &&
		passesList(textOf(message.type), entriesOf(wishes.messageTypes)) &&
		passesList(statusOf(event, message), wishes.statuses)
	);
}

/** The spec names only `individual`; any other chat is taken for a group. */
function passesChatType(chat: IDataObject, wanted: Wishes['chatType']): boolean {
	const type = textOf(chat.type);
	if (wanted === 'any' || type === undefined) return true;
	return (type === 'individual') === (wanted === 'individual');
}

function passesChats({ chat, message }: IDataObject, wanted: string[]): boolean {
	if (wanted.length === 0) return true;
	const { id, phone } = recordOf(chat);
	const { from, to } = recordOf(message);
	const ofChat = textsOf([id, phone]);
	const known = ofChat.length > 0 ? ofChat : textsOf([from, to]);
	return known.length === 0 || known.some((name) => wanted.some((entry) => isSameChat(name, entry)));
}

/**
 * Whether a user's entry means the chat: its id, or its phone number however it was written ("What the service does" 7).
 * A number with its own country's leading 0 matches by its end, as nobody here knows the country.
 */
function isSameChat(id: string, entry: string): boolean {
	if (id === entry) return true;
	if (!/^[+\d][\d\s().-]*$/.test(entry)) return false;
	const phone = id.replace(/@.*/, '');
	const digits = entry.replace(/\D/g, '');
	const number = digits.replace(/^0+/, '');
	if (!/^\d+$/.test(phone)) return false;
	const isNational = /^0[1-9]/.test(digits) && number.length >= 7;
	return phone === number || (isNational && phone.endsWith(number));
}

function passesList(value: string | undefined, wanted: readonly string[]): boolean {
	return wanted.length === 0 || value === undefined || wanted.includes(value);
}

function statusOf({ type, body }: ServiceEvent, message: IDataObject): string | undefined {
	if (STATUS_EVENTS.includes(type)) return type.replace('message.', '');
	return type === 'message.status' ? (textOf(message.status) ?? textOf(body.status)) : undefined;
}

function entriesOf(text: string): string[] {
	return text
		.split(/[,\n]/)
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
}

function recordOf(value: unknown): IDataObject {
	return isRecord(value) ? (value as IDataObject) : {};
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsOf(values: unknown[]): string[] {
	return values.map(textOf).filter((text) => text !== undefined);
}
