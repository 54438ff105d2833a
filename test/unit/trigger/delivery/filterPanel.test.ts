import {
	eventFilterOf,
	passes,
	selectedEvents,
} from '../../../../nodes/MessagingChannel/trigger/delivery/filter';
import type { TriggerParameters } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { eventWith } from '../deliveries';
import { filterOf, received } from './filterOf';

test('a panel in which nothing is set filters only own messages', () => {
	expect(filterOf()).toEqual({
		ignoreOwnMessages: true,
		chatType: 'any',
		chats: [],
		messageTypes: [],
		statuses: [],
		keywords: [],
		hasAnswers: false,
	});
});

test.each([
	[false, false],
	[null, true],
	['', true],
])('own messages are ignored unless the panel says otherwise (%j)', (ignoreOwnMessages, expected) => {
	expect(filterOf({ ignoreOwnMessages })).toMatchObject({ ignoreOwnMessages: expected });
});

test('a filter is what the panel says', () => {
	const panel = {
		ignoreOwnMessages: false,
		chatType: 'group',
		chats: '905551112233',
		messageTypes: 'Image',
		statuses: ['read'],
		keywords: ['Price'],
		takeAnswers: true,
	};
	expect(filterOf(panel)).toEqual({
		ignoreOwnMessages: false,
		chatType: 'group',
		chats: ['905551112233'],
		messageTypes: ['image', 'image'],
		statuses: ['read', 'read'],
		keywords: [{ form: 'PRICE', recipient: undefined }],
		hasAnswers: true,
	});
	const parameters: TriggerParameters = {
		getNodeParameter: (path, fallback) => (path === 'options.takeAnswers' ? true : fallback),
	};
	expect(eventFilterOf(parameters, true).hasAnswers).toBe(false);
});

test('an event that is named twice is selected once', () => {
	const events = 'message.sent, message.received, message.sent';
	expect(selectedEvents({ getNodeParameter: () => events })).toEqual(['message.sent', 'message.received']);
});

test.each<[unknown, string]>([
	[undefined, "'Events' is empty. Select at least one event, or correct its expression."],
	[[], "'Events' is empty."],
	[null, "'Events' is empty."],
	['', "'Events' is empty."],
	[' ', "'Events' is empty."],
	[[null, ' '], "'Events' is empty."],
	[['unknown'], "'Events' contains an unknown event: 'unknown'."],
	[['message.received', 'messages'], "'Events' contains an unknown event: 'messages'."],
	[
		'message.read',
		"'Events' contains an unknown event: 'message.read'. Let its expression give one or more of these: message.received, ",
	],
])('events of %j are refused', (events, words) => {
	expect(() => selectedEvents({ getNodeParameter: () => events })).toThrow(words);
});

describe.each([
	['chats', 'Chats'],
	['chatType', 'Chat Type'],
	['messageTypes', 'Message Types'],
	['statuses', 'Statuses'],
])('an expression of %s', (option, name) => {
	const read = (given: unknown) =>
		eventFilterOf({
			getNodeParameter: (path, fallback) => (path === `options.${option}` ? given : fallback),
		});

	test.each([undefined, null, [null], ['', undefined]])('that gives %j is told', (given) => {
		expect(() => read(given)).toThrow(
			`'${name}' has an expression that gives no text: ${[given].flat().includes(null) ? "'null'" : "'nothing'"}. Correct it. If the filter may be empty, let it give an empty text`,
		);
	});

	test.each(['', ' ', [], [' ']].map((given) => [given]))('that gives %j lets all pass', (given) => {
		const status = eventWith('message.read', { message: { type: 'chat' }, chat: { type: 'group' } });
		expect([received(), status].map((each) => passes(each, read(given)))).toEqual([true, true]);
	});
});

test.each([
	[
		'messageTypes',
		{ types: 'image' },
		'\'Message Types\' has an expression that gives no text: \'{"types":"image"}\'.',
	],
	['messageTypes', NaN, "'Message Types' has an expression that gives no text: 'NaN'."],
	['messageTypes', 'false, false', "'Message Types' has an expression that gives no text: 'false'."],
	['statuses', '[object Object]', "'Statuses' has an expression that gives no text: '[object Object]'."],
	['keywords', [false], "'Keywords' has an expression that gives no text: 'false'."],
	['keywords', [['price', null]], "'Keywords' has an expression that gives no text: 'null'."],
	['keywords', ['price', []], "'Keywords' has an expression that gives no text: '[]'."],
	['chats', [false, ''], "'Chats' has an expression that gives no text: 'false'."],
	['chats', true, "'Chats' has an expression that gives no text: 'true'."],
	['chatType', {}, "'Chat Type' has an expression that gives no text: '{}'."],
	['statuses', ['read', true], "'Statuses' has an expression that gives no text: 'true'."],
])('%s that are %j are never taken for a filter that nothing passes', (option, given, words) => {
	expect(() => filterOf({ [option]: given })).toThrow(words);
});

test('keywords are also what expressions of its entries give', () => {
	const { keywords } = filterOf({ keywords: [['cost', 5], 'price'] });
	expect(keywords.map(({ form }) => form)).toEqual(['COST', '5', 'PRICE']);
});

test('what `condition && text` gives beside other texts is left out', () => {
	const given = [false, 'image'];
	for (const given of ['false, image', 'untrue', 'falsely'])
		expect(filterOf({ messageTypes: given }).messageTypes).toContain(given.split(', ').at(-1));
	const { messageTypes, keywords } = filterOf({ messageTypes: given, keywords: given });
	expect(new Set(messageTypes)).toEqual(new Set(['image']));
	expect(keywords).toEqual(filterOf({ keywords: 'image' }).keywords);
});

test.each<[unknown, string]>([
	['unknown', "'unknown'. Let its expression give one of these: any, individual, group."],
	[['unknown'], "'unknown'."],
	['individual, group', "'individual, group'."],
	[0, "'0'."],
])('the chat type %j is refused', (chatType, words) => {
	expect(() => filterOf({ chatType })).toThrow(`'Chat Type' is not one of the types: ${words}`);
});

test.each([' Group', ['GROUP']])('the chat type %j of an expression is that of groups', (chatType) => {
	expect(filterOf({ chatType }).chatType).toBe('group');
});

describe('an entry of the chats', () => {
	test.each([
		['Ada', 'Ada'],
		['905551112233, Ada Lovelace', 'Ada Lovelace'],
		['12233', '12233'],
		['0', '0'],
		['+', '+'],
		['x905551112233', 'x905551112233'],
		['905551112233x', '905551112233x'],
		['120363041234567890', '120363041234567890'],
		['90555,1112233', '90555'],
		// No country that is known has these.
		['0555 111 22 33', '0555 111 22 33'],
		['+0 555 111 22 33', '+0 555 111 22 33'],
		['(0) 555 111 22 33', '(0) 555 111 22 33'],
		['0001112233', '0001112233'],
		['5551112233', '5551112233'],
		['12025550123', '12025550123'],
		['1203630412345', '1203630412345'],
		['90 555 111 22', '90 555 111 22'],
	])('%j is not read, and never taken for a filter that nothing passes', (chats, entry) => {
		expect(() => filterOf({ chats })).toThrow(
			`'Chats' contains neither a phone number with its country code nor a chat ID: '${entry}'. Enter a phone number with + and its country code, e.g. +90 555 123 45 67, or a chat ID, e.g. 905551234567@c.us.`,
		);
	});
});
