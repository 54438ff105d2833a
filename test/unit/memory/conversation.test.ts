import type { IDataObject } from 'n8n-workflow';

import { parseMessage } from '../../../nodes/MessagingChannel/api/message';
import type { QueuedText } from '../../../nodes/MessagingChannel/execution/sending/queuedTexts';
import * as conversation from '../../../nodes/MessagingChannel/memory/conversation';
import { cpuMs } from '../../support/cpuMs';

const NOON = 1_800_000_000;
const ALL: conversation.ConversationRange = { length: 10, since: -Infinity, excludedMessageIds: [] };

const conversationOf = (
	messages: IDataObject[],
	queued: QueuedText[],
	range: conversation.ConversationRange,
) => conversation.conversationOf(messages.map(parseMessage), queued, range);
const isLongEnough = (messages: IDataObject[], queued: QueuedText[], range: conversation.ConversationRange) =>
	conversation.isLongEnough(messages.map(parseMessage), queued, range);

/** A message some seconds after noon. */
const message = (second: number, body: string, more: object = {}) => ({
	id: `m${second}`,
	body,
	type: 'chat',
	from_me: false,
	timestamp: NOON + second,
	...more,
});
const own = (second: number, body: string) => message(second, body, { from_me: true });
const queued = (second: number, text: string) => ({
	recipient: '905551112233',
	text,
	queuedAt: (NOON + second) * 1000,
});

test('their messages are the user, ours the assistant, oldest first', () => {
	expect(conversationOf([own(2, 'Hi Ada'), message(1, 'Hello')], [], ALL)).toEqual([
		{ role: 'user', text: 'Hello' },
		{ role: 'assistant', text: 'Hi Ada' },
	]);
});

test('only the latest ones are given', () => {
	const messages = [message(3, 'c'), message(2, 'b'), message(1, 'a')];
	const turns = conversationOf(messages, [], { ...ALL, length: 2 });
	expect(turns.map(({ text }) => text)).toEqual(['b', 'c']);
});

test('a message without text is media with its type, a caption stays', () => {
	const messages = [
		message(4, '', { type: 'audio' }),
		message(3, 'The box', { type: 'image' }),
		message(2, '  '),
		message(1, 'Null', { type: null }),
		{ id: 'bare', body: 'No type', timestamp: NOON, from_me: false },
	];
	expect(conversationOf(messages, [], ALL).map(({ text }) => text)).toEqual([
		'No type',
		'Null',
		'[image] The box',
		'[audio]',
	]);
});

test('a message of which it is not known who wrote it is told', () => {
	const odd = [{ id: 'odd', body: 'Hello', timestamp: NOON, from_me: null }];
	expect(() => conversationOf(odd, [], ALL)).toThrow(
		"The service sends 'message.from_me' in a form that is not understood: null",
	);
});

test('what is not understood of messages that the model does not get fails nothing', () => {
	const odd = [message(1, 'Hello', { from_me: null }), message(0, 'Hello', { timestamp: '28.11.2026' })];
	const range = { ...ALL, length: 1, since: (NOON - 9) * 1000 };
	expect(conversationOf([message(2, 'new'), ...odd], [], range)).toEqual([{ role: 'user', text: 'new' }]);
});

test('the message that started the run and all after it are left out, by their place in the list', () => {
	const sameSecond = { timestamp: NOON + 5 };
	const messages = [
		own(9, 'later'),
		message(6, 'in the same second, but later', sameSecond),
		message(5, 'the prompt', sameSecond),
		message(4, 'in the same second, before', sameSecond),
		message(1, 'before'),
	];
	const turns = conversationOf(messages, [], { ...ALL, excludedMessageIds: ['m5'] });
	expect(turns.map(({ text }) => text)).toEqual(['before', 'in the same second, before']);
});

test('a message that the list does not have leaves nothing out', () => {
	expect(conversationOf([message(1, 'a')], [], { ...ALL, excludedMessageIds: ['gone'] })).toHaveLength(1);
});

test('older messages than the maximum age are left out; those without a time stay', () => {
	const messages = [message(10, 'new'), message(1, 'old'), message(0, 'timeless', { timestamp: undefined })];
	const turns = conversationOf(messages, [], { ...ALL, since: (NOON + 10) * 1000 });
	expect(turns.map(({ text }) => text)).toEqual(['timeless', 'new']);
});

test('a message whose age or text is not understood is told', () => {
	const ofUnknownAge = [message(10, 'new'), message(1, 'old', { timestamp: '28.11.2026' })];
	expect(conversationOf(ofUnknownAge, [], ALL)).toHaveLength(2);
	expect(() => conversationOf(ofUnknownAge, [], { ...ALL, since: NOON * 1000 })).toThrow(
		"The service sends 'message.timestamp' in a form that is not understood: a text like '99.99.9999'",
	);
	expect(() => conversationOf([{ ...message(1, ''), body: 42 }], [], ALL)).toThrow(
		"The service sends 'message.body' in a form that is not understood: a number like 99",
	);
});

describe('links', () => {
	const textOf = (body: string) => conversationOf([own(1, body)], [], ALL)[0]?.text;

	test.each([
		'https://n8n.example.com/webhook-waiting/17/node?approved=true&run=0&signature=abc',
		'http://localhost:5678/n8n/waiting/17?signature=abc',
		'https://n8n.example.com/form-waiting/17?x=1',
	])('that answer a question are left out: %s', (link) => {
		expect(textOf(`Refund 10?\n\nApprove: ${link}\n\nBye`)).toBe('Refund 10?\n\nApprove: [link]\n\nBye');
	});

	test.each([
		['HTTPS://n8n.example.com/Webhook-Waiting/17?Signature=abc', '[link]'],
		['n8n.example.com/webhook-waiting/17?x=1&signature=abc', '[link]'],
		['https://l.example/?u=https%3A%2F%2Fn8n.example%2Fwebhook-waiting%2F17', '[link]'],
		['https://l.example/?u=https%3A%2F%2Fn8n.example%2Fw%3Frun%3D0%26signature%3Dabc', '[link]'],
		['https://l.example/%E0%A4%A?u=/webhook-waiting/17', '[link]'],
		['Look:https://n8n.example.com/form-waiting/17', 'Look:[link]'],
		['n8n.example.com/w?signature=abc,https://shop.example.com', '[link]https://shop.example.com'],
		['[Approve](https://n8n.example.com/webhook-waiting/17?signature=abc)!', '[Approve]([link])!'],
	])('that answer one are left out however they are written: %s', (written, left) => {
		expect(textOf(`Well, ${written} ok?`)).toBe(`Well, ${left} ok?`);
	});

	test.each(['See https://shop.example.com/signature?id=1', '100%? https://shop.example.com/%zz'])(
		'others stay: %s',
		(text) => {
			expect(textOf(text)).toBe(text);
		},
	);

	test('are found in a long text at once', () => {
		expect(
			cpuMs(() => {
				for (const part of ['http://', '%', '?', 'a', ' /']) textOf(part.repeat(65_536 / part.length));
			}),
		).toBeLessThan(1_000);
	});

	test('of a customer who forwards one, and of a text that is still queued, are left out', () => {
		const link = 'https://n8n.example.com/webhook-waiting/17?signature=a';
		expect(conversationOf([message(1, link)], [queued(2, link)], ALL)).toEqual([
			{ role: 'user', text: '[link]' },
			{ role: 'assistant', text: '[link]' },
		]);
	});
});

describe('texts that are queued', () => {
	test.each<[string, object[]]>([
		['before a question that came later', [message(5, 'Q2'), message(1, 'Q1')]],
		['there when it is sent after that question', [own(8, 'A1'), message(5, 'Q2'), message(1, 'Q1')]],
		[
			'there when it is sent after that question with other white space',
			[own(8, ' A1\r\n'), message(5, 'Q2'), message(1, 'Q1')],
		],
		[
			'there next to a message without a time',
			[message(5, 'Q2'), message(2, 'Q0', { timestamp: null }), message(1, 'Q1')],
		],
	])('stand %s', (_, messages) => {
		const turns = conversationOf(messages as never, [queued(3, 'A1')], ALL).map(({ text }) => text.trim());
		expect(turns.filter((text) => text !== 'Q0')).toEqual(['Q1', 'A1', 'Q2']);
	});

	test('stand after what came in the second in which they were queued, and each at its time', () => {
		const texts = [queued(1.2, 'A'), queued(3, 'B'), queued(7, 'A')];
		const messages = [own(9, 'A'), message(5, 'Q2'), message(1, 'Q1')];
		const turns = conversationOf(messages, texts, ALL).map(({ text }) => text);
		expect(turns).toEqual(['Q1', 'A', 'B', 'Q2', 'A']);
	});

	test('are each the message that was sent in its turn, when they are identical', () => {
		const messages = [own(9, 'A'), message(5, 'Q2'), own(3, 'A'), message(1, 'Q1')];
		const turns = conversationOf(messages, [queued(2, 'A'), queued(7, 'A')], ALL);
		expect(turns.map(({ text }) => text)).toEqual(['Q1', 'A', 'Q2', 'A']);
	});

	test('are there once when the chat shows them', () => {
		const turns = conversationOf([own(3, 'Hi Ada'), message(1, 'Hello')], [queued(2, 'Hi Ada')], ALL);
		expect(turns).toHaveLength(2);
	});

	test('are counted when they are identical', () => {
		const turns = conversationOf([own(3, 'Hi')], [queued(2, 'Hi'), queued(4, 'Hi')], ALL);
		expect(turns.map(({ text }) => text)).toEqual(['Hi', 'Hi']);
	});

	test('are not confused with an identical one of long ago', () => {
		const turns = conversationOf([own(-600, 'Hi')], [queued(2, 'Hi')], ALL);
		expect(turns).toHaveLength(2);
	});

	test('are left out when they were sent after the message that started the run', () => {
		const range = { ...ALL, excludedMessageIds: ['m5'] };
		const texts = [queued(4, 'before'), queued(5.9, 'in the same second'), queued(6, 'after')];
		const turns = conversationOf([message(5, 'the prompt')], texts, range);
		expect(turns.map(({ text }) => text)).toEqual(['before', 'in the same second']);
	});

	test('stay when the chat shows them after the message that started the run', () => {
		const range = { ...ALL, excludedMessageIds: ['m5'] };
		const messages = [
			own(8, 'OK'),
			own(7, 'OK'),
			message(5, 'the prompt'),
			own(3, 'OK'),
			message(1, 'Hello'),
		];
		const turns = conversationOf(messages, [queued(2, 'OK'), queued(4, 'OK'), queued(6, 'OK')], range);
		expect(turns.map(({ text }) => text)).toEqual(['Hello', 'OK', 'OK']);
	});
});

describe('enough messages are read', () => {
	const messages = [message(3, 'c'), message(2, 'b'), message(1, 'a')];

	test.each<[string, boolean, Partial<conversation.ConversationRange>]>([
		['as many as wanted', true, { length: 3 }],
		['fewer than wanted', false, { length: 4 }],
		[
			'as many as wanted before the one that started the run',
			true,
			{ length: 2, excludedMessageIds: ['m3'] },
		],
		['too few before the one that started the run', false, { length: 2, excludedMessageIds: ['m2'] }],
		['not both that started the run', false, { length: 1, excludedMessageIds: ['m3', 'm0'] }],
		['not the one that started the run', false, { length: 1, excludedMessageIds: ['m0'] }],
		['all of the maximum age', true, { length: 9, since: (NOON + 2) * 1000 }],
	])('%s: %s', (_, isEnough, range) => {
		expect(isLongEnough(messages, [], { ...ALL, ...range })).toBe(isEnough);
	});

	test.each<[string, boolean, object[], number, Partial<conversation.ConversationRange>]>([
		['all since a queued text that they do not show', true, [message(9, 'b'), message(4, 'a')], 9.5, {}],
		['not all since then', false, [message(9, 'b'), message(5, 'a')], 10, {}],
		['the queued text', true, [message(9, 'b'), own(8, 'Hi Ada')], 7, {}],
		[
			'all, as it is too old to count',
			true,
			[message(9, 'b'), message(8, 'a')],
			7,
			{ since: (NOON + 8) * 1000 },
		],
		[
			'all, as it was queued after the message that started the run',
			true,
			[message(9, 'b'), message(8, 'a'), message(7, '-'), message(6, '-')],
			10,
			{ excludedMessageIds: ['m8'] },
		],
	])('%s: %s', (_, isEnough, read, second, range) => {
		const texts = [queued(second, 'Hi Ada')];
		expect(isLongEnough(read as never, texts, { ...ALL, length: 2, ...range })).toBe(isEnough);
	});
});

describe('what the chat shows of a queued text, or not', () => {
	const textsOf = (messages: object[], since = -Infinity) =>
		conversationOf(messages as never, [queued(10, 'Hi Ada')], { ...ALL, since }).map(({ text }) => text);

	test('a customer who writes the same does not stand for it', () => {
		expect(textsOf([message(11, 'Hi Ada')])).toEqual(['Hi Ada', 'Hi Ada']);
	});

	test('a message up to five seconds before it can be it, as the clocks differ', () => {
		expect(textsOf([own(5, 'Hi Ada')])).toEqual(['Hi Ada']);
		expect(textsOf([own(4, 'Hi Ada')])).toEqual(['Hi Ada', 'Hi Ada']);
	});

	test('one that is older than the maximum age is left out', () => {
		expect(textsOf([], (NOON + 10) * 1000)).toEqual(['Hi Ada']);
		expect(textsOf([], (NOON + 11) * 1000)).toEqual([]);
	});
});

test('a message of the first second that counts does not reach back far enough, and an empty chat does not either', () => {
	const since = (NOON + 1) * 1000;
	expect(isLongEnough([message(2, 'b'), message(1, 'a')], [], { ...ALL, since })).toBe(false);
	expect(isLongEnough([message(2, 'b'), message(0, 'a')], [], { ...ALL, since })).toBe(true);
	expect(isLongEnough([], [], ALL)).toBe(false);
});
test.each(['constructor', 'toString', '__proto__', 'OK'])(
	'a queued text %s that the chat does not show yet is remembered',
	(text) => {
		const turns = conversationOf([message(1, 'q')], [queued(2, text)], ALL);
		expect(turns.map((t) => t.text)).toEqual(['q', text]);
	},
);

describe('a file that was queued before a question', () => {
	const question = message(3, 'And when do you open?');
	const shown = (body: string, type: string) => message(5, body, { from_me: true, has_media: true, type });
	const file = (text: string) => ({ ...queued(1, text), file: 'document' });

	test.each([
		['is not shown yet', [question], '[document] Here it is'],
		['is shown after it', [shown('Here it is', 'document'), question], '[document] Here it is'],
		[
			'is shown after it without has_media',
			[{ ...shown('Here it is', 'document'), has_media: undefined }, question],
			'[document] Here it is',
		],
	])('%s, and stands before it', (_, messages, text) => {
		expect(conversationOf(messages, [file('Here it is')], ALL)).toEqual([
			{ role: 'assistant', text },
			{ role: 'user', text: 'And when do you open?' },
		]);
	});

	test('without a caption is the first file that the chat shows without one', () => {
		const messages = [shown('', 'image'), own(4, 'Hi'), question];
		expect(conversationOf(messages, [file('')], ALL).map(({ text }) => text)).toEqual([
			'[image]',
			'And when do you open?',
			'Hi',
		]);
	});
});
