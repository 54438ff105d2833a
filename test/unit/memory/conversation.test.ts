import type { IDataObject } from 'n8n-workflow';

import { parseMessage } from '../../../nodes/MessagingChannel/api/message';
import type { QueuedText } from '../../../nodes/MessagingChannel/execution/sending/sentTexts';
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

type Row = [
	what: string,
	messages: IDataObject[],
	queued: QueuedText[],
	texts: string[],
	range?: Partial<conversation.ConversationRange>,
];

const question = message(3, 'Q');
const shown = (body: string, type: string) => message(5, body, { from_me: true, has_media: true, type });
const file = (text: string) => ({ ...queued(1, text), file: 'document' });
const sameSecond = { timestamp: NOON + 5 };
const prompt = message(5, 'the prompt');
const afterPrompt = { excludedMessageIds: ['m5'] };

test.each<Row>([
	['only the latest', [message(3, 'c'), message(2, 'b'), message(1, 'a')], [], ['b', 'c'], { length: 2 }],
	[
		'media with its type in place of a text, and captions',
		[
			message(4, '', { type: 'audio' }),
			message(3, 'The box', { type: 'image' }),
			message(2, '  '),
			message(1, 'Null', { type: null }),
			{ id: 'bare', body: 'No type', timestamp: NOON, from_me: false },
		],
		[],
		['No type', 'Null', '[image] The box', '[audio]'],
	],
	[
		'those that are understood, where it gets no others',
		[message(2, 'new'), message(1, '-', { from_me: null }), message(0, '-', { timestamp: '28.11.2026' })],
		[],
		['new'],
		{ length: 1, since: (NOON - 9) * 1000 },
	],
	[
		'those before the one that started the run, by their place in the list',
		[
			own(9, 'later'),
			message(6, 'in the same second, but later', sameSecond),
			prompt,
			message(4, 'in the same second, before', sameSecond),
			message(1, 'before'),
		],
		[],
		['before', 'in the same second, before'],
		afterPrompt,
	],
	['all, if that one is not in the list', [message(1, 'a')], [], ['a'], { excludedMessageIds: ['gone'] }],
	[
		'none beyond the maximum age, but those without a time',
		[message(10, 'new'), message(1, 'old'), message(0, 'timeless', { timestamp: undefined })],
		[],
		['timeless', 'new'],
		{ since: (NOON + 10) * 1000 },
	],

	...[
		['before a question that came later', [message(5, 'Q2'), message(1, 'Q1')]] as const,
		['there if it is sent after that question', [own(8, 'A1'), message(5, 'Q2'), message(1, 'Q1')]] as const,
		['there with other white space', [own(8, ' A1\r\n'), message(5, 'Q2'), message(1, 'Q1')]] as const,
		[
			'there next to a message without a time',
			[message(5, 'Q2'), message(2, '', { timestamp: null }), message(1, 'Q1')],
		] as const,
	].map(([what, messages]): Row => [
		`a queued text ${what}`,
		[...messages],
		[queued(3, 'A1')],
		['Q1', 'A1', 'Q2'],
	]),
	[
		'queued texts after what came in their second, each at its time',
		[own(9, 'A'), message(5, 'Q2'), message(1, 'Q1')],
		[queued(1.2, 'A'), queued(3, 'B'), queued(7, 'A')],
		['Q1', 'A', 'B', 'Q2', 'A'],
	],
	[
		'of identical ones each as the message that was sent in its turn',
		[own(9, 'A'), message(5, 'Q2'), own(3, 'A'), message(1, 'Q1')],
		[queued(2, 'A'), queued(7, 'A')],
		['Q1', 'A', 'Q2', 'A'],
	],
	['as many identical ones as were queued', [own(3, 'A')], [queued(2, 'A'), queued(4, 'A')], ['A', 'A']],
	['one beside an identical message of long ago', [own(-600, 'A')], [queued(2, 'A')], ['A', 'A']],
	[
		'none that were queued after the message that started the run',
		[prompt],
		[queued(4, 'before'), queued(5.9, 'in the same second'), queued(6, 'after')],
		['before', 'in the same second'],
		afterPrompt,
	],
	[
		'those that the chat shows after the message that started the run',
		[own(8, 'OK'), own(7, 'OK'), prompt, own(3, 'OK'), message(1, 'Hello')],
		[queued(2, 'OK'), queued(4, 'OK'), queued(6, 'OK')],
		['Hello', 'OK', 'OK'],
		afterPrompt,
	],
	['one beside a customer who writes the same', [message(11, 'A')], [queued(10, 'A')], ['A', 'A']],
	['one that the chat shows up to five seconds earlier', [own(5, 'A')], [queued(10, 'A')], ['A']],
	['one beside a message of more than five seconds before it', [own(4, 'A')], [queued(10, 'A')], ['A', 'A']],
	['one of the maximum age', [], [queued(10, 'A')], ['A'], { since: (NOON + 10) * 1000 }],
	['none beyond the maximum age', [], [queued(10, 'A')], [], { since: (NOON + 11) * 1000 }],
	['one that is called like a method', [message(1, 'q')], [queued(2, 'constructor')], ['q', 'constructor']],

	['a file that is not shown yet', [question], [file('Here')], ['[document] Here', 'Q']],
	['a file in its place', [shown('Here', 'document'), question], [file('Here')], ['[document] Here', 'Q']],
	[
		'a file without has_media in its place',
		[{ ...shown('Here', 'document'), has_media: undefined }, question],
		[file('Here')],
		['[document] Here', 'Q'],
	],
	[
		'a file without a caption as the first one that the chat shows without one',
		[shown('', 'image'), own(4, 'Hi'), question],
		[file('')],
		['[image]', 'Q', 'Hi'],
	],
])('the model gets %s', (_, messages, texts, expected, range = {}) => {
	const turns = conversationOf(messages, texts, { ...ALL, ...range });
	expect(turns.map(({ text }) => text.trim())).toEqual(expected);
});

test('a message of which it is not known who wrote it is told', () => {
	const odd = [{ id: 'odd', body: 'Hello', timestamp: NOON, from_me: null }];
	expect(() => conversationOf(odd, [], ALL)).toThrow(
		"The service sends 'message.from_me' in a form that is not understood: null",
	);
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

test('a message of the first second that counts does not reach back far enough, and an empty chat does not either', () => {
	const since = (NOON + 1) * 1000;
	expect(isLongEnough([message(2, 'b'), message(1, 'a')], [], { ...ALL, since })).toBe(false);
	expect(isLongEnough([message(2, 'b'), message(0, 'a')], [], { ...ALL, since })).toBe(true);
	expect(isLongEnough([], [], ALL)).toBe(false);
});
