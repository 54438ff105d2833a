import type { IDataObject } from 'n8n-workflow';

import type { ServiceEvent } from '../../../../nodes/MessagingChannel/trigger/delivery/event';
import {
	isSelected,
	passes,
	passesFilters,
	unreadableFor,
	type EventFilter,
} from '../../../../nodes/MessagingChannel/trigger/delivery/filter';
import { eventWith } from '../deliveries';
import { filterOf, received } from './filterOf';

describe('the selection', () => {
	test.each([
		['message.received', ['message.received'], true],
		['message.sent', ['message.received'], false],
		['message.delivered', ['message.status'], true],
		['message.read', ['message.status'], true],
		['message.status', ['message.status'], true],
		['message.delivered', ['message.received'], false],
		// Another system that shares the webhook can have it.
		['message.delivered', ['message.delivered'], true],
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

test.each<[string | number | boolean, string, IDataObject, boolean]>([
	[true, 'message.received', {}, false],
	['true', 'message.received', {}, false],
	[1, 'message.received', {}, false],
	[true, 'message.received', { ignoreOwnMessages: false }, true],
	[true, 'message.sent', {}, true],
])('with from_me %j, %s with %j passes: %s', (fromMe, type, options, expected) => {
	expect(passes({ ...received({ from_me: fromMe }), type }, filterOf(options))).toBe(expected);
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
	[{ messageTypes: 'chat' }, { chat: 'odd', message: { type: 'chat' } }, undefined],
	[{}, { chat: { id: {}, type: {} }, message: { type: {} } }, undefined],
])('of the filter %j and the event %j, it is told that %s is not understood', (filter, body, field) => {
	const event1 = eventWith('message.received', body);
	expect(passes(event1, filterOf(filter)) || field === undefined).toBe(true);
	expect(unreadableFor(event1, filterOf(filter))?.field).toBe(field);
});

test.each([
	['message.status', { message: { status: 3 } }, 'message.status'],
	['message.status', { status: 3 }, 'status'],
	['message.status', { status: 3, message: { status: null } }, 'status'],
	['message.status', { message: { status: 'read' } }, undefined],
	['message.status', {}, undefined],
	['message.read', { status: 3 }, undefined],
	['message.received', { message: { status: 3 } }, undefined],
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
	const group = { id: '1203@g.us', phone: null };
	const fromThere = { from: '905551112233@c.us' };
	const status = eventWith('message.status', { message: { from: 'a@c.us', to: '905551112233@c.us' } });

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

	test.each<[string, ServiceEvent, string, boolean]>([
		['of an event without a chat are its sender and recipient', status, '905551112233', true],
		['of an event without a chat are nobody else', status, 'b@c.us', false],
		['without an ID are the sender', received(fromThere, { id: '', phone: '' }), '905551112233', true],
		['match by the phone number', received({}, { id: 'lid@lid' }), '905551112233@c.us', true],
		['that are groups do not match by a sender', received(fromThere, group), '905551112233', false],
		['that are groups match by their ID', received(fromThere, group), '1203@g.us', true],
		[
			'can be of a country that nobody knows of, after a +',
			received({}, { id: '99912345678@c.us' }),
			'+999 12345678',
			true,
		],
		[
			'can be the account of the channel, whose number is 0',
			received({}, { id: '0@c.us', phone: '' }),
			'0@c.us',
			true,
		],
		[
			'with an ID that is no phone number match none',
			received({}, { id: '905551112233x@c.us', phone: '' }),
			'905551112233',
			false,
		],
		['do not apply to connection events', eventWith('connection.connected', { account: {} }), 'a@c.us', true],
	])('%s', (_, event, chats, expected) => {
		expect(passes(event, filterOf({ chats }))).toBe(expected);
	});

	const abroad = { id: '4915112345678@c.us', phone: '' };
	test.each<[IDataObject, string]>([
		[{ id: 'lid@lid', phone: '+90 555 111 22 33' }, '905551112233'],
		[{ id: 'lid@lid', phone: 905551112233 }, '905551112233'],
		[{ id: '905551112233:3@s.whatsapp.net', phone: '' }, '905551112233'],
		[{ id: '905551112233@c.us', phone: '' }, '905551112233:3@s.whatsapp.net'],
		[{ id: 905551112233, phone: null }, '905551112233'],
		[abroad, '49 0151 12345678'],
		[abroad, '+49 (0)151 12345678'],
		[abroad, '+49 0151 12345678'],
	])('match %j by %j', (chat, chats) => {
		expect(passes(received({}, chat), filterOf({ chats }))).toBe(true);
		expect(passes(received({}, chat), filterOf({ chats: '905551112234' }))).toBe(false);
	});
});

describe('message types', () => {
	test.each<[unknown, string, string | undefined]>([
		['image, chat', 'chat', 'location'],
		['image,location', 'image', 'chat'],
		[['image', 'chat'], 'chat', 'video'],
		['Image, Chat', 'chat', 'video'],
		['chat', 'CHAT', 'Video'],
		['image, chat', 'Text', 'video'],
		['text', 'chat', 'image'],
		['image; chat', 'chat', 'video'],
		['image|chat', 'chat', 'video'],
		['image chat', 'chat', 'video'],
		['image/chat', 'chat', 'video'],
		['image + chat', 'chat', 'video'],
		['image，chat', 'chat', 'video'],
		['- image\n- chat', 'chat', 'video'],
		['["image","chat"]', 'chat', 'video'],
		['“image”, “chat”', 'chat', 'video'],
		["'chat'", 'chat', 'video'],
		['voice note, image', 'voice note', 'chat'],
		['button.reply', 'button.reply', 'button'],
		['[]', 'chat', undefined],
		['""', 'chat', undefined],
		[';', 'chat', undefined],
	])('%j let %j pass, and not %j', (messageTypes, passing, dropped) => {
		const filter = filterOf({ messageTypes });
		expect(passes(received({ type: passing }), filter)).toBe(true);
		if (dropped !== undefined) expect(passes(received({ type: dropped }), filter)).toBe(false);
	});

	test('are of messages alone', () => {
		expect(passes(eventWith('message.status'), filterOf({ messageTypes: 'image' }))).toBe(true);
	});
});

test.each<[string, IDataObject, boolean]>([
	['message.read', {}, true],
	['message.delivered', {}, false],
	['message.status', { message: { status: 'read' } }, true],
	['message.status', { message: { status: 'READ' } }, true],
	['message.status', { status: 'delivered' }, false],
	['message.status', { message: { status: 'DELIVERED' } }, false],
	['message.status', { status: 'failed' }, false],
	['message.status', {}, true],
	['message.received', { message: { status: 'delivered' } }, true],
])('statuses of %s with %j: %s', (type, body, expected) => {
	expect(passes(eventWith(type, body), filterOf({ statuses: ['read'] }))).toBe(expected);
});

describe('keywords', () => {
	test.each<[string, IDataObject | undefined, boolean]>([
		['message.received', undefined, true],
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

	test('also with a value that a filter cannot read', () => {
		const answer = received({ body: 'Approve' }, { type: 2 });
		const options = { chatType: 'individual' };
		expect(unreadableFor(answer, filterOf({ ...options, takeAnswers: true }))).toBeUndefined();
		expect(unreadableFor(answer, filterOf(options))?.field).toBe('chat.type');
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
