import { UserError, type IDataObject, type IWebhookFunctions } from 'n8n-workflow';

import { isRecord } from '../../api/isRecord';
import { numberInChatId } from '../../api/chatId';
import { cleaned, digitsOf, isChatId } from '../../fields/phoneNumber';
import { shown } from '../../operation/input';
import type { ServiceEvent } from './event';

/** Which events the user wants, as the trigger's parameters say it. */
export interface EventFilter {
	events: readonly string[];
	ignoreOwnMessages: boolean;
	chatType: 'any' | 'individual' | 'group';
	/** Chat ids or phone numbers, separated by commas. */
	chats: string;
	/** Message types, separated by commas. */
	messageTypes: string;
	statuses: readonly string[];
}

/** The events that the user wants, with the default of everything that is not set. */
export function eventFilterOf(context: Pick<IWebhookFunctions, 'getNodeParameter'>): EventFilter {
	return {
		events: context.getNodeParameter('events', []) as string[],
		ignoreOwnMessages: true,
		chatType: 'any',
		chats: '',
		messageTypes: '',
		statuses: [],
		...(context.getNodeParameter('options', {}) as Partial<EventFilter>),
	};
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
 *
 * @throws UserError when an expression gave a filter that cannot be read: nobody knows whether the event is wanted
 */
export function passes(event: ServiceEvent, filter: EventFilter): boolean {
	const message = recordOf(event.body.message);
	if (filter.ignoreOwnMessages && event.type === 'message.received' && message.from_me === true) {
		return false;
	}
	return (
		passesChatType(recordOf(event.body.chat), filter.chatType) &&
		passesChats(event.body, numbersIn(filter.chats)) &&
		passesList(textOf(message.type), entriesOf(filter.messageTypes)) &&
		passesList(statusOf(event, message), filter.statuses)
	);
}

/** The spec names only `individual`; any other chat is taken for a group. */
function passesChatType(chat: IDataObject, wanted: EventFilter['chatType']): boolean {
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
	return known.length === 0 || known.map(numberInChatId).some((number) => wanted.includes(number));
}

/**
 * The numbers of the chats that a filter names, which are all there is to compare: a chat is entered by its phone
 * number or by its id, and an event can have either.
 *
 * @param chats text with commas or line breaks, or whatever an expression gave
 * @throws UserError in words for the user; n8n shows only the message, so what to enter stands in it
 */
export function numbersIn(chats: unknown): string[] {
	return entriesOf(chats).map(numberIn);
}

function numberIn(entry: string): string {
	if (isChatId(entry)) return numberInChatId(entry);
	const digits = digitsOf(entry);
	if (digits === undefined) {
		throw new UserError(
			`'Chats' is neither a phone number nor the ID of a chat: ${shown(entry)}. Enter a phone number with its country code, e.g. +90 555 123 45 67, or the ID of a chat, e.g. 905551234567@c.us.`,
		);
	}
	if (digits.startsWith('0')) {
		throw new UserError(
			`'Chats' has a phone number without its country code: ${shown(entry)}. Enter it with its country code in place of the 0, e.g. +90 555 123 45 67.`,
		);
	}
	return digits;
}

function passesList(value: string | undefined, wanted: readonly string[]): boolean {
	return wanted.length === 0 || value === undefined || wanted.includes(value);
}

function statusOf({ type, body }: ServiceEvent, message: IDataObject): string | undefined {
	if (STATUS_EVENTS.includes(type)) return type.replace('message.', '');
	return type === 'message.status' ? (textOf(message.status) ?? textOf(body.status)) : undefined;
}

/** Expressions give lists and numbers, too. */
function entriesOf(entered: unknown): string[] {
	return [entered]
		.flat()
		.flatMap((part) => cleaned(String(part ?? '')).split(/[,\n]/))
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
