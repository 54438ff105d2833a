import type { IDataObject } from 'n8n-workflow';

import {
	eventFilterOf,
	isSelected,
	passes,
	passesFilters,
	selectedEvents,
	unreadableFor,
	type EventFilter,
} from '../../../../nodes/MessagingChannel/trigger/delivery/filter';
import type { TriggerParameters } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { eventWith } from '../deliveries';

/** The filter of a panel in which these options are set. */
const filterOf = (options: Record<string, unknown> = {}): EventFilter =>
	eventFilterOf({
		getNodeParameter: (path, fallback) => {
			const value = options[path.replace('options.', '')];
			return value === undefined ? fallback : value;
		},
	});
const received = (message: IDataObject = {}, chat: IDataObject = {}) =>
	eventWith('message.received', {
		chat: { id: '905551112233@c.us', phone: '905551112233', type: 'individual', ...chat },
		message: { type: 'chat', from_me: false, ...message },
	});

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
		"'Events' contains an unknown event: 'message.read'. Let its expression give one or more of these: ",
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
			`'${name}' has an expression that gives nothing. Correct it. If the filter may be empty, let it give an empty text`,
		);
	});

	test.each(['', ' ', [], [' ']].map((given) => [given]))('that gives %j lets all pass', (given) => {
		const status = eventWith('message.read', { message: { type: 'chat' }, chat: { type: 'group' } });
		expect([received(), status].map((each) => passes(each, read(given)))).toEqual([true, true]);
	});
});

test.each<[unknown, string]>([
	['unknown', "'unknown'. Let its expression give one of these: any, individual, group."],
	[['unknown'], "'unknown'."],
	['individual, group', "'individual, group'."],
	[0, "'0'."],
	[false, "'false'."],
	[{}, "'[object Object]'."],
])('the chat type %j is refused', (chatType, words) => {
	expect(() => filterOf({ chatType })).toThrow(`'Chat Type' is not one of the types: ${words}`);
});

test.each([' Group', ['GROUP']])('the chat type %j of an expression is that of groups', (chatType) => {
	expect(filterOf({ chatType }).chatType).toBe('group');
});

describe('the selection', () => {
	test.each([
		['message.received', ['message.received'], true],
		['message.sent', ['message.received'], false],
		['message.delivered', ['message.status'], true],
		['message.read', ['message.status'], true],
		['message.status', ['message.status'], true],
		['message.delivered', ['message.received'], false],
		['message.reaction', ['message.received', 'message.status'], false],
		['', ['message.received'], false],
		['constructor', ['message.received'], false],
	])('%j of %j: %s', (type, events, expected) => {
		expect(isSelected(eventWith(type), events)).toBe(expected);
	});
});

test('without filters every event passes, whatever its shape', () => {
	for (const body of [{}, { message: null, chat: [] }, { message: 'text', chat: 1 }] as IDataObject[]) {
		for (const type of ['message.received', 'message.status', 'connection.connected']) {
			expect(passes(eventWith(type, body), filterOf())).toBe(true);
		}
	}
});

test('own messages are dropped only when received and marked as own', () => {
	expect(passes(received({ from_me: true }), filterOf())).toBe(false);
	expect(passes(received({ from_me: true }), filterOf({ ignoreOwnMessages: false }))).toBe(true);
	expect(passes(received({ from_me: 'true' }), filterOf())).toBe(false);
	expect(passes(received({ from_me: 1 }), filterOf())).toBe(false);
	expect(passes({ ...received({ from_me: true }), type: 'message.sent' }, filterOf())).toBe(true);
});

test.each([
	[null, {}, 'null'],
	['maybe', {}, "a text like 'aaaaa'"],
	[{}, {}, 'an object'],
	[undefined, {}, undefined],
	['0', {}, undefined],
	[null, { ignoreOwnMessages: false }, undefined],
])('of from_me %j with %j, it is told that it is %s', (fromMe, filter, kind) => {
	expect(unreadableFor(received({ from_me: fromMe }), filterOf(filter))?.kind).toBe(kind);
	expect(
		unreadableFor({ ...received({ from_me: fromMe }), type: 'message.sent' }, filterOf()),
	).toBeUndefined();
});

test.each<[IDataObject, IDataObject, string | undefined]>([
	[{ chatType: 'group' }, { chat: { type: 2 } }, 'chat.type'],
	[{ chatType: 'individual' }, { chat: '905551112233@c.us' }, 'chat'],
	[{ chatType: 'individual' }, { chat: { type: null } }, undefined],
	[{ chats: '905551112233' }, { chat: { id: { user: '1' } } }, 'chat.id'],
	[{ chats: '905551112233' }, { chat: { id: null, phone: [1] } }, 'chat.phone'],
	[{ chats: '905551112233' }, { message: { from: {} } }, 'message.from'],
	[{ chats: '905551112233' }, { chat: ['905551112233@c.us'] }, 'chat'],
	[{ chats: '905551112233' }, { chat: { id: {}, phone: '1' } }, undefined],
	[{ chats: '905551112233' }, { chat: null }, undefined],
	[{ messageTypes: 'chat' }, { message: { type: {} } }, 'message.type'],
	[{ messageTypes: 'chat' }, { message: { type: 7 } }, undefined],
	[{}, { chat: { id: {}, type: {} }, message: { type: {} } }, undefined],
])('of the filter %j and the event %j, it is told that %s is not understood', (filter, body, field) => {
	const event1 = eventWith('message.received', body);
	expect(passes(event1, filterOf(filter)) || field === undefined).toBe(true);
	expect(unreadableFor(event1, filterOf(filter))?.field).toBe(field);
});

test.each([
	['message.status', { message: { status: 3 } }, 'message.status'],
	['message.status', { status: 3 }, 'message.status'],
	['message.status', { message: { status: 'read' } }, undefined],
	['message.status', {}, undefined],
	['message.read', { status: 3 }, undefined],
])('of the filter of statuses and %s with %j, it is told that %s is not understood', (type, body, field) => {
	expect(unreadableFor(eventWith(type, body), filterOf({ statuses: ['read'] }))?.field).toBe(field);
	expect(unreadableFor(eventWith(type, body), filterOf())).toBeUndefined();
});

test.each<[EventFilter['chatType'], string | undefined, boolean]>([
	['any', 'group', true],
	['individual', 'individual', true],
	['individual', 'group', false],
	['group', 'group', true],
	['group', 'individual', false],
	['group', 'a kind not known today', true],
	['individual', 'INDIVIDUAL', true],
	['group', 'Individual', false],
	['group', undefined, true],
	['individual', undefined, true],
])('chat type %s, event of %s: %s', (chatType, type, expected) => {
	expect(passes(received({}, { type }), filterOf({ chatType }))).toBe(expected);
});

describe('chats', () => {
	test.each<[unknown, boolean]>([
		['905551112233@c.us', true],
		['\u202a905551112233@c.us\u202c', true],
		['905551112234@c.us', false],
		['+905551112233@c.us', true],
		['905551112234', false],
		['somebody@c.us, 905551112233', true],
		['somebody@c.us\n905551112233', true],
		['somebody@c.us\uff0c+\uff19\uff10 555 111 22 33', true],
		[' , \u200b', true],
		[905551112233, true],
		[905551112234, false],
		[['somebody@c.us', 905551112233], true],
		[[], true],
	])('%j: %s', (chats, expected) => {
		expect(passes(received(), filterOf({ chats }))).toBe(expected);
	});

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
		[{ phone: '905551112233' }, '[object Object]'],
		[true, 'true'],
	])('%j is not read, and never taken for a filter that nothing passes', (chats, entry) => {
		expect(() => filterOf({ chats })).toThrow(
			`'Chats' contains neither a phone number nor a chat ID: '${entry}'. Enter a phone number with its country code, e.g. +90 555 123 45 67, or a chat ID, e.g. 905551234567@c.us.`,
		);
	});

	test.each(['0555 111 22 33', '+0 555 111 22 33', '(0) 555 111 22 33', '0001112233'])(
		'%j stands for another number in each country, and is refused with what to enter',
		(entry) => {
			expect(() => filterOf({ chats: `905551112233, ${entry}` })).toThrow(
				`'Chats' contains a phone number without its country code: '${entry}'. Replace the leading 0 with the country code, e.g. +90 555 123 45 67.`,
			);
		},
	);

	test.each(['5551112233', '1203630412345', '90 555 111 22'])(
		'%j has no country code that is known, and is refused instead of matching nothing',
		(entry) => {
			expect(() => filterOf({ chats: entry })).toThrow(
				`'Chats' contains a phone number without its country code, or with the wrong number of digits: '${entry}'. Begin it with + and the country code, e.g. +90 555 123 45 67.`,
			);
		},
	);

	test.each(['49 0151 12345678', '+49 (0)151 12345678', '+49 0151 12345678'])(
		'%j is found by the number that people abroad dial',
		(entry) => {
			const chat = { id: '4915112345678@c.us', type: 'individual' };
			expect(passes(received({}, chat), filterOf({ chats: entry }))).toBe(true);
		},
	);

	test('can be a number of a country that nobody knows of, after a +', () => {
		const chat = { id: '99912345678@c.us', type: 'individual' };
		expect(passes(received({}, chat), filterOf({ chats: '+999 12345678' }))).toBe(true);
	});

	test('can be the account of the channel itself, whose number is 0', () => {
		expect(passes(received({}, { id: '0@c.us', phone: '' }), filterOf({ chats: '0@c.us' }))).toBe(true);
	});

	test('of an event without a chat are its sender and recipient', () => {
		const status = eventWith('message.status', { message: { from: 'a@c.us', to: '905551112233@c.us' } });
		expect(passes(status, filterOf({ chats: '905551112233' }))).toBe(true);
		expect(passes(status, filterOf({ chats: 'b@c.us' }))).toBe(false);
		const unnamed = received({ from: '905551112233@c.us' }, { id: '', phone: '' });
		expect(passes(unnamed, filterOf({ chats: '905551112233' }))).toBe(true);
	});

	test('match by the phone number of the chat, and groups by their ID alone', () => {
		const byPhone = received({}, { id: 'lid@lid' });
		expect(passes(byPhone, filterOf({ chats: '905551112233@c.us' }))).toBe(true);
		const group = received({ from: '905551112233@c.us' }, { id: '1203@g.us', phone: null });
		expect(passes(group, filterOf({ chats: '905551112233' }))).toBe(false);
		expect(passes(group, filterOf({ chats: '1203@g.us' }))).toBe(true);
	});

	test.each<[IDataObject, string]>([
		[{ id: 'lid@lid', phone: '+90 555 111 22 33' }, '905551112233'],
		[{ id: 'lid@lid', phone: 905551112233 }, '905551112233'],
		[{ id: '905551112233:3@s.whatsapp.net', phone: '' }, '905551112233'],
		[{ id: '905551112233@c.us', phone: '' }, '905551112233:3@s.whatsapp.net'],
		[{ id: 905551112233, phone: null }, '905551112233'],
	])('match %j by %j', (chat, chats) => {
		expect(passes(received({}, chat), filterOf({ chats }))).toBe(true);
		expect(passes(received({}, chat), filterOf({ chats: '905551112234' }))).toBe(false);
	});

	test('with an ID that is no phone number do not match a number', () => {
		const chat = { id: '905551112233x@c.us', phone: '' };
		expect(passes(received({}, chat), filterOf({ chats: '905551112233' }))).toBe(false);
	});

	test('do not apply to connection events', () => {
		expect(passes(eventWith('connection.connected', { account: {} }), filterOf({ chats: 'a@c.us' }))).toBe(
			true,
		);
	});
});

test('message types', () => {
	expect(passes(received(), filterOf({ messageTypes: 'image, chat' }))).toBe(true);
	expect(passes(received(), filterOf({ messageTypes: 'image,location' }))).toBe(false);
	expect(passes(eventWith('message.status'), filterOf({ messageTypes: 'image' }))).toBe(true);
	expect(passes(received(), filterOf({ messageTypes: ['image', 'chat'] }))).toBe(true);
});

test.each([
	'image; chat',
	'image|chat',
	'image chat',
	'image/chat',
	'image + chat',
	'image，chat',
	'- image\n- chat',
	'["image","chat"]',
	'“image”, “chat”',
	"'chat'",
])('message types are read from %s, which would otherwise drop every message', (messageTypes) => {
	expect(passes(received(), filterOf({ messageTypes }))).toBe(true);
	expect(passes(received({ type: 'video' }), filterOf({ messageTypes }))).toBe(false);
});

test.each(['[]', '""', ';'])('%s is no message type, like an empty field', (messageTypes) => {
	expect(passes(received(), filterOf({ messageTypes }))).toBe(true);
});

test('a message type of several words passes as it is', () => {
	const messageTypes = 'voice note, image';
	expect(passes(received({ type: 'voice note' }), filterOf({ messageTypes }))).toBe(true);
	expect(passes(received(), filterOf({ messageTypes }))).toBe(false);
});

test('a message type with a dot is one word', () => {
	expect(passes(received({ type: 'button.reply' }), filterOf({ messageTypes: 'button.reply' }))).toBe(true);
	expect(passes(received({ type: 'button' }), filterOf({ messageTypes: 'button.reply' }))).toBe(false);
});

test('message types and statuses pass in capital and small letters alike', () => {
	expect(passes(received(), filterOf({ messageTypes: 'Image, Chat' }))).toBe(true);
	expect(passes(received({ type: 'CHAT' }), filterOf({ messageTypes: 'chat' }))).toBe(true);
	expect(passes(received({ type: 'Video' }), filterOf({ messageTypes: 'chat' }))).toBe(false);
	const read = eventWith('message.status', { message: { status: 'READ' } });
	expect(passes(read, filterOf({ statuses: ['read'] }))).toBe(true);
	expect(passes(read, filterOf({ statuses: ['delivered'] }))).toBe(false);
});

test.each<[string, IDataObject, boolean]>([
	['message.read', {}, true],
	['message.delivered', {}, false],
	['message.status', { message: { status: 'read' } }, true],
	['message.status', { status: 'delivered' }, false],
	['message.status', { status: 'failed' }, false],
	['message.status', {}, true],
	['message.received', { message: { status: 'delivered' } }, true],
])('statuses of %s with %j: %s', (type, body, expected) => {
	expect(passes(eventWith(type, body), filterOf({ statuses: ['read'] }))).toBe(expected);
});

describe('keywords', () => {
	test.each<[string, IDataObject, boolean]>([
		['message.received', { body: 'The price?' }, true],
		['message.received', { body: 'Hello' }, false],
		['message.received', { body: '' }, false],
		['message.received', { type: 'image' }, false],
		['message.received', { type: 'image', body: 'Price' }, true],
		['message.sent', { body: 'Hello' }, true],
		['message.status', { body: 'Hello' }, true],
		['message.read', {}, true],
		['connection.connected', {}, true],
	])('%s with %j passes: %s', (type, message, expected) => {
		expect(passes(eventWith(type, { message }), filterOf({ keywords: ['price'] }))).toBe(expected);
	});

	test('pass what has no message', () => {
		expect(passes(eventWith('message.received', {}), filterOf({ keywords: ['price'] }))).toBe(true);
	});

	test.each([
		[[], true],
		['', true],
		['order, price', true],
		[['order', 'price'], true],
		[[['order', 'price']], true],
		['order', false],
	])('can be %j', (keywords, expected) => {
		expect(passes(received({ body: 'price' }), filterOf({ keywords }))).toBe(expected);
	});

	test('are not compared with a text that is not understood, which is told', () => {
		const event = received({ body: { text: 'price' } });
		expect(passes(event, filterOf({ keywords: ['order'] }))).toBe(true);
		expect(unreadableFor(event, filterOf({ keywords: ['order'] }))?.field).toBe('message.body');
		expect(unreadableFor(event, filterOf())).toBeUndefined();
		const status = { ...event, type: 'message.status' };
		expect(unreadableFor(status, filterOf({ keywords: ['order'] }))).toBeUndefined();
	});
});

describe('with answers to take, what can be one passes', () => {
	test.each([
		{ keywords: ['price'] },
		{ chats: '905559998877' },
		{ chatType: 'group' },
		{ messageTypes: 'image' },
	])('%j', (options) => {
		const filter = filterOf({ ...options, takeAnswers: true });
		const answer = received({ body: 'Approve' });
		expect([passes(answer, filter), passesFilters(answer, filter)]).toEqual([true, false]);
		expect(passes(answer, filterOf(options))).toBe(false);
	});

	test('and nothing else', () => {
		const filter = filterOf({ keywords: ['price'], chatType: 'group', takeAnswers: true });
		const others = [
			received({ body: 'Approve', from_me: true }),
			received({ body: 'Approve', type: 'image' }),
			{ ...received({ body: 'Approve' }), type: 'message.sent' },
		];
		expect(others.map((event) => passes(event, filter))).toEqual([false, false, false]);
	});
});
