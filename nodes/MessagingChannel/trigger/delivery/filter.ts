import uniq from 'lodash/uniq';
import { UserError } from 'n8n-workflow';

import { type Chat, type Message, TEXT_TYPES, unreadableSender } from '../../api/message';
import {
	isEntered,
	isOn,
	isRecord,
	kindOf,
	nonEmptyText,
	nonEmptyTexts,
	splitList,
	trimmedTexts,
} from '../../api/values';
import { UnreadableField } from '../../api/unreadable';
import { EVENT_OPTIONS } from '../../fields/events';
import { shown } from '../../operation/input';
import { cleaned, NORTH_AMERICA, readNumber, withCountryCode } from '../../recipients/phoneNumber';
import { compareRecipients, isChatId } from '../../recipients/recipient';
import { isReply } from '../../sendAndWait/inChat/questionLinks';
import type { ServiceEvent } from './event';
import { hasKeyword, keywordsIn, type Keyword } from './keywords';
import type { TriggerParameters } from './trigger';

/** What the trigger's filters want. An empty list wants everything. */
export interface EventFilter {
	ignoreOwnMessages: boolean;
	chatType: 'any' | 'individual' | 'group';
	/** Phone numbers with their country codes, and chat IDs. */
	chats: readonly string[];
	/** In small letters, as the service does not publish which it uses. */
	messageTypes: readonly string[];
	statuses: readonly string[];
	/** What received messages must contain one of. */
	keywords: readonly Keyword[];
	/** Whether waiting questions get the replies first, which no filter may take from them. */
	hasAnswers: boolean;
}

const EVENTS = EVENT_OPTIONS.map(({ value }) => String(value));

/**
 * The selected events. An expression can give them as a text.
 *
 * @throws UserError if there is none, or one that cannot be selected; n8n shows only the message, so it contains the advice
 */
export function selectedEvents(parameters: TriggerParameters): string[] {
	const entered = [parameters.getNodeParameter('events', null)].flat();
	const events = entered.flatMap(
		(event) => EVENTS.find((each) => each === event) ?? listOf([String(event ?? '')]),
	);
	if (events.length === 0)
		throw new UserError("'Events' is empty. Select at least one event, or correct its expression.");
	const unknown = events.find((event) => !EVENTS.includes(event));
	if (unknown === undefined) return uniq(events);
	throw new UserError(
		`'Events' contains an unknown event: ${shown(unknown)}. Let its expression give one or more of these: ${EVENTS.join(', ')}.`,
	);
}

/**
 * The filter from the node's parameters. Only these: expressions of others can use the item, which only an execution has.
 *
 * @param isTest whether it is for a test, which takes no answers
 * @throws UserError if it is not known what is wanted; n8n shows only the message, so it contains the advice
 */
export function eventFilterOf(parameters: TriggerParameters, isTest = false): EventFilter {
	const ignoresOwn = parameters.getNodeParameter('options.ignoreOwnMessages', true);
	return {
		ignoreOwnMessages: !isEntered(ignoresOwn) || isOn(ignoresOwn),
		hasAnswers: !isTest && isOn(parameters.getNodeParameter('options.takeAnswers', false)),
		chatType: chatTypeIn(listOf(entriesOf(parameters, 'chatType', 'Chat Type'))),
		chats: listOf(entriesOf(parameters, 'chats', 'Chats')).map(numberIn),
		messageTypes: wordsOf(parameters, 'messageTypes', 'Message Types'),
		statuses: wordsOf(parameters, 'statuses', 'Statuses'),
		keywords: entriesOf(parameters, 'keywords', 'Keywords').flatMap(keywordsIn),
	};
}

/**
 * Checks the filter before anything depends on it.
 *
 * @throws UserError if it is not valid
 */
export function requireValidFilter(parameters: TriggerParameters): void {
	selectedEvents(parameters);
	eventFilterOf(parameters);
}

/**
 * What was entered in a filter. Without it, everybody would start the workflow, and nobody with one that is no text, so an
 * expression must give a text or a number. What `condition && 'text'` gives where the condition does not hold counts only alone.
 */
function entriesOf(parameters: TriggerParameters, name: string, displayName: string): string[] {
	const entered = parameters.getNodeParameter(`options.${name}`, '');
	if (entered === '') return [];
	// Each entry of the panel can have an expression that gives a list.
	const entries: unknown[] = [entered]
		.flat()
		.flatMap((each) => (Array.isArray(each) && each.length > 0 ? each : [each]));
	const others = entries.filter((entry) => entry !== false);
	const texts = others.some(isEntered) ? others : entries;
	const odd = texts.findIndex((text) => typeof text !== 'string' && !Number.isFinite(text));
	if (odd < 0) return texts.map(String);
	throw noText(displayName, texts[odd]);
}

/** The entries of a filter of single words, and each of their words. A text can hold what expressions within it give. */
function wordsOf(parameters: TriggerParameters, name: string, displayName: string): string[] {
	const entries = listOf(entriesOf(parameters, name, displayName));
	const isOdd = (entry: string) => /^(\[object .*|true|false)$/.test(entry);
	if (entries.length > 0 && entries.every(isOdd)) throw noText(displayName, entries[0]);
	return entries.flatMap(wordsIn);
}

function noText(displayName: string, given: unknown): UserError {
	return new UserError(
		`'${displayName}' has an expression that gives no text: ${shown(given)}. Correct it. If the filter may be empty, let it give an empty text.`,
	);
}

const CHAT_TYPES = ['any', 'individual', 'group'] as const;

/** An expression can write it in another case. */
function chatTypeIn([entry = 'any', ...others]: string[]): EventFilter['chatType'] {
	const type = CHAT_TYPES.find((each) => each === entry.toLowerCase());
	if (type !== undefined && others.length === 0) return type;
	throw new UserError(
		`'Chat Type' is not one of the types: ${shown([entry, ...others].join(', '))}. Let its expression give one of these: ${CHAT_TYPES.join(', ')}.`,
	);
}

/** The sub-types of `message.status`. They cannot be registered separately (API spec, "Events"). */
const STATUS_EVENTS = ['message.delivered', 'message.read'];

/** Whether the type of an event is selected. Unknown types are ignored (API spec, "Events"). */
export function isSelected({ type }: Pick<ServiceEvent, 'type'>, events: readonly string[]): boolean {
	return events.includes(type) || (STATUS_EVENTS.includes(type) && events.includes('message.status'));
}

/** Whether the type of an event can be selected. The service can add new types (API spec, "Versioning" 3). */
export function isKnownType(event: ServiceEvent): boolean {
	return isSelected(event, EVENTS);
}

/**
 * What becomes of an event: it starts an execution, it goes only with others of its chat, nobody wants it, or what is not understood of
 * it.
 */
export type Verdict = 'wanted' | 'withOthers' | 'dropped' | UnreadableField;

/**
 * The verdict of the trigger's parameters on an event.
 *
 * @param isWithOthers whether it goes with others of its chat, of which one with a keyword is enough
 * @throws UserError if it is not known what is wanted
 */
export function verdictOn(
	event: ServiceEvent,
	parameters: TriggerParameters,
	{ isTest, isWithOthers }: { isTest: boolean; isWithOthers: boolean },
): Verdict {
	if (!isSelected(event, selectedEvents(parameters))) return 'dropped';
	const filter = eventFilterOf(parameters, isTest);
	const isWanted = passes(event, filter);
	if (!isWanted && !(isWithOthers && passes(event, { ...filter, keywords: [] }))) return 'dropped';
	return unreadableFor(event, filter) ?? (isWanted ? 'wanted' : 'withOthers');
}

/** Whether an event starts an execution: one that passes the filters, or can be an answer, which only the execution can tell. */
export function passes(event: ServiceEvent, filter: EventFilter): boolean {
	return mayBeAnswer(event, filter) || passesFilters(event, filter);
}

function mayBeAnswer({ type, message }: ServiceEvent, { hasAnswers }: EventFilter): boolean {
	return hasAnswers && type === 'message.received' && isReply(message);
}

/**
 * Whether an event passes the filters. A filter drops an event only if the event has a different value. An event without
 * the value passes, because most payloads are not documented and a dropped event is lost. Only a message without a text has no
 * keyword.
 */
export function passesFilters(event: ServiceEvent, filter: EventFilter): boolean {
	const { chat, message } = event;
	return (
		passesKeywords(event, filter.keywords) &&
		!(dropsOwn(event, filter) && message.fromMe === true) &&
		passesChatType(chat, filter.chatType) &&
		passesChats(chat, message, filter.chats) &&
		passesTypes(message, filter.messageTypes) &&
		passesList(statusOf(event), filter.statuses)
	);
}

/**
 * What is not understood of an event that passes the filters, so that it is not known whether one of them drops it. A value
 * that is missing or null is no such problem. Of what can be an answer, it only counts when no question has taken it.
 */
export function unreadableFor(event: ServiceEvent, filter: EventFilter): UnreadableField | undefined {
	const { body, chat, message } = event;
	if (mayBeAnswer(event, filter)) return undefined;
	if (dropsOwn(event, filter) && message.fromMe === 'unknown') return unreadableSender(message.record);
	const unread: Array<[string, unknown]> = [];
	if (filter.chatType !== 'any' && chat.type === undefined) unread.push(['chat.type', chat.record.type]);
	if (filter.chats.length > 0 && addressesOf(chat, message).length === 0)
		unread.push(
			['chat.id', chat.record.id],
			['chat.phone', chat.record.phone],
			['message.from', message.record.from],
		);
	if (unread.length > 0 && !isRecord(body.chat)) unread.push(['chat', body.chat]);
	if (filter.messageTypes.length > 0 && message.type === undefined)
		unread.push(['message.type', message.record.type]);
	if (event.type === 'message.status' && filter.statuses.length > 0 && statusOf(event) === undefined)
		unread.push(['message.status', message.record.status], ['status', body.status]);
	if (filter.keywords.length > 0 && hasReceived(event) && message.text === undefined)
		unread.push(['message.body', message.record.body]);
	const [field, value] = unread.find(([, each]) => isEntered(each)) ?? [];
	return field === undefined ? undefined : new UnreadableField(field, kindOf(value));
}

function dropsOwn({ type }: ServiceEvent, { ignoreOwnMessages }: EventFilter): boolean {
	return ignoreOwnMessages && type === 'message.received';
}

/** Whether a message came in, and the event has it. */
function hasReceived({ type, body }: ServiceEvent): boolean {
	return type === 'message.received' && isRecord(body.message);
}

function passesKeywords(event: ServiceEvent, wanted: readonly Keyword[]): boolean {
	if (wanted.length === 0 || !hasReceived(event)) return true;
	const { text, record } = event.message;
	const isUnreadable = text === undefined && isEntered(record.body);
	return isUnreadable || hasKeyword(event.message, wanted);
}

function passesChatType({ type }: Chat, wanted: EventFilter['chatType']): boolean {
	return type === undefined || wanted === 'any' || wanted === type;
}

/** What can tell the chat. */
function addressesOf({ id, phone }: Chat, { from, to }: Message): string[] {
	const chatAddresses = nonEmptyTexts([id, phone]);
	return chatAddresses.length > 0 ? chatAddresses : nonEmptyTexts([from, to]);
}

function passesChats(chat: Chat, message: Message, wanted: readonly string[]): boolean {
	if (wanted.length === 0) return true;
	const addresses = addressesOf(chat, message);
	return (
		addresses.length === 0 ||
		// What may be another chat is another one.
		addresses.some((address) => wanted.some((each) => compareRecipients(address, each) === 'same'))
	);
}

/**
 * What a chat in a filter is compared by. The filter and the event can each have a phone number or a chat ID.
 *
 * @throws UserError if it is neither; n8n shows only the message, so it contains the advice
 */
function numberIn(entry: string): string {
	if (isChatId(entry)) return entry;
	const read = readNumber(entry);
	const number = withCountryCode(read);
	const isUncertain = number?.startsWith(NORTH_AMERICA) === true && !read.hasCountryCode;
	if (number !== undefined && !isUncertain) return number;
	throw new UserError(
		`'Chats' contains neither a phone number with its country code nor a chat ID: ${shown(entry)}. Enter a phone number with + and its country code, e.g. +90 555 123 45 67, or a chat ID, e.g. 905551234567@c.us.`,
	);
}

/** What people put around or between types and statuses, which are single words. */
const AROUND_WORDS = /[^\p{L}\p{N}_.:-]+/u;

/** An entry of a filter, and each of its words. */
function wordsIn(entry: string): string[] {
	const words = trimmedTexts(entry.split(AROUND_WORDS));
	return words.length > 0 ? [entry, ...words].map((each) => each.toLowerCase()) : [];
}

/** Whoever wants one of the types of texts means all texts. */
function passesTypes({ type, hasTextType }: Message, wanted: readonly string[]): boolean {
	return passesList(type, wanted) || (hasTextType && TEXT_TYPES.some((each) => wanted.includes(each)));
}

function passesList(value: string | undefined, wanted: readonly string[]): boolean {
	return wanted.length === 0 || value === undefined || wanted.includes(value.toLowerCase());
}

function statusOf({ type, body, message }: ServiceEvent): string | undefined {
	if (STATUS_EVENTS.includes(type)) return type.replace('message.', '');
	return type === 'message.status'
		? (nonEmptyText(message.record.status) ?? nonEmptyText(body.status))
		: undefined;
}

/** The entries of texts, each of which can be a list. */
function listOf(texts: readonly string[]): string[] {
	return texts.flatMap((text) => splitList(cleaned(text)));
}
