import type { IDataObject } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import { createSendReconciliation } from '../../../../nodes/MessagingChannel/execution/sending/sendReconciliation';
import {
	newSentTexts,
	type SentTexts,
	type TextSend,
} from '../../../../nodes/MessagingChannel/execution/sending/sentTexts';
import { virtualClock } from '../../../support/engine/clock';
import { serviceWithChat } from './chat';

// What is a second old must not depend on the machine.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9)));
afterEach(() => jest.restoreAllMocks());

const to = '905551234567';
const request = { endpoint: SEND_MESSAGE, parameters: { to, message: 'Hello' } };
const chatId = `${to}@c.us`;

/** The service's clock shows the same time as ours. */
const IN_STEP = { isClockKnown: true, clockOffsetMs: 0 };

let sends = 0;
const send = (more: Partial<TextSend> = {}): TextSend => ({
	id: String(++sends),
	to,
	message: 'Hello',
	attemptedAt: Date.now(),
	...more,
});

/** A service with these messages in every chat. */
function chatWith(
	messages: IDataObject[],
	{ sent: given, offsetMs = 0 }: { sent?: SentTexts; offsetMs?: number | (() => number | undefined) } = {},
) {
	const clock = virtualClock();
	const { client, asked } = serviceWithChat(chatId, messages);
	const account = {
		isClockKnown: offsetMs !== undefined,
		get clockOffsetMs() {
			return (typeof offsetMs === 'function' ? offsetMs() : offsetMs) ?? 0;
		},
	};
	const sent = given ?? newSentTexts(account);
	const reconciliation = createSendReconciliation(client, clock, sent, account);
	const find = async (text: TextSend) => {
		sent.attempted(text);
		return (await reconciliation.find(text))?.id;
	};
	return { clock, asked, sent, reconciliation, find };
}

const seconds = () => Math.floor(Date.now() / 1000);

const message = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	body: 'Hello',
	from_me: true,
	timestamp: seconds() + 1,
	...more,
});

test('the message is found by its text, its sender and its time', async () => {
	const { find } = chatWith([
		message('other', { body: 'Hello!' }),
		message('theirs', { from_me: false }),
		message('caption', { has_media: true }),
		message('older', { timestamp: seconds() - 60 }),
		message('it'),
	]);
	expect(await find(send())).toBe('it');
});

test('a message from the second of the attempt is found, an older one is not', async () => {
	const at = seconds() - 60;
	const { find } = chatWith([message('it', { timestamp: at }), message('older', { timestamp: at - 1 })]);
	expect(await find(send({ attemptedAt: at * 1000 + 999 }))).toBe('it');
	expect(await find(send({ attemptedAt: at * 1000 + 999 }))).toBeUndefined();
});

test.each([
	['ahead', -30_000],
	['behind', 30_000],
])("a clock that is %s of the service's finds the message, and no older one", async (_, offsetMs) => {
	const at = seconds() + offsetMs / 1000;
	const { find } = chatWith([message('it', { timestamp: at + 1 }), message('older', { timestamp: at - 2 })], {
		offsetMs,
	});
	expect(await find(send())).toBe('it');
	expect(await find(send())).toBeUndefined();
});

test('an answer with an old time does not let an older message match', async () => {
	let offsetMs: number | undefined = 0;
	const { sent, reconciliation } = chatWith([message('older', { timestamp: seconds() - 60 })], {
		offsetMs: () => offsetMs,
	});
	const text = send();
	sent.attempted(text);
	offsetMs = -Date.now();
	expect(await reconciliation.find(text)).toBeUndefined();
});

test.each([
	['of another text', { message: 'Hallo' }],
	['to another recipient', { to: '905557654321' }],
	['to another national number', { to: '05557654321' }],
	['to a number that ends like it', { to: `4${to}` }],
	['to a group', { to: '120363000000000001@g.us' }],
])('a message %s is none like it', async (_, other) => {
	const { find, sent } = chatWith([message('it')]);
	sent.attempted(send(other));
	expect(await find(send())).toBe('it');
});

test.each([[chatId], [to], [`0${to.slice(2)}`], ['0090 555 123 45 67']])(
	'each message like it that is on its way to %s may be the one in the chat',
	async (written) => {
		const { find, sent } = chatWith([message('its')]);
		const other = send({ to: written });
		sent.attempted(other);
		sent.confirmed(request, { to: chatId }, 0, other);
		expect(await find(send())).toBeUndefined();
	},
);

test('one that waited before it was sent has none of the messages of that time', async () => {
	const { find, sent } = chatWith([message('its'), message('by hand', { timestamp: seconds() - 50 })]);
	const other = send({ attemptedAt: Date.now() - 100_000 });
	sent.attempted(other);
	sent.attempted({ ...other, attemptedAt: Date.now() });
	sent.confirmed(request, undefined, 0, other);
	expect(await find(send({ attemptedAt: Date.now() - 20_000 }))).toBeUndefined();
});

test.each([
	['that the service writes otherwise', '9005551234567', '9005551234567'],
	['with its country code, when this one goes to the national number', '4915112345678', '015112345678'],
])('a message like it to a number %s may be the one in the chat', async (_, other, written) => {
	const { find, sent } = chatWith([message('its')]);
	sent.attempted(send({ to: other }));
	expect(await find(send({ to: written }))).toBeUndefined();
});

test('two messages like each other are found one by one, each for one send', async () => {
	const { find } = chatWith([message('newer'), message('older')]);
	expect(await find(send())).toBe('newer');
	expect(await find(send())).toBe('older');
});

test.each<[string, Array<[id: string, more?: IDataObject]>, string[], Array<string | undefined>]>([
	['the only one with its text', [['2', { body: 'Hi' }], ['1']], ['Hello', 'Hi'], ['1', '2']],
	['none, if there are two', [['newer'], ['older']], ['Hello'], [undefined]],
	['none, if another send can have it', [['1']], ['Hello', 'Hello'], [undefined, undefined]],
	['none that is older', [['older', { timestamp: 1 }]], ['Hello'], [undefined]],
])('the message of a confirmed text: %s', async (_, shown, texts, ids) => {
	const { sent, reconciliation, asked } = chatWith(shown.map(([id, more]) => message(id, more)));
	const own = texts.map((text) => send({ message: text }));
	for (const text of own) sent.attempted(text);

	expect(await reconciliation.identify(chatId, own)).toStrictEqual(ids);
	expect(asked).toHaveLength(1);
});

test('to whom nobody has written yet, there is no message to a text', async () => {
	const call = async () => await Promise.resolve({ data: null });
	const client = { call, download: call as never };
	const reconciliation = createSendReconciliation(client, virtualClock(), newSentTexts(IN_STEP), IN_STEP);
	expect(await reconciliation.identify(to, [send()])).toEqual([]);
	expect(await reconciliation.find(send())).toBeUndefined();
	expect(await reconciliation.recover(send(), 0)).toBe('missing');
});

test('a message that the chat lists twice counts once', async () => {
	const { sent, find } = chatWith([message('one'), message('one')]);
	sent.attempted(send());
	expect(await find(send())).toBeUndefined();
});

test.each<[string, number[], number[], boolean]>([
	['each one from before it stands for another send', [30], [31], true],
	['also one of the same second', [20, 100], [120, 20], true],
	['one that somebody wrote on the phone stands for no send after it', [30, 100], [120, 0], false],
])('of the messages in the chat, the one after the attempt is ours: %s', async (_, before, sends, isOurs) => {
	const { find, sent } = chatWith([
		message('after'),
		...before.map((ago) => message(`${ago} s before`, { timestamp: seconds() - ago })),
	]);
	for (const ago of sends) sent.attempted(send({ attemptedAt: (seconds() - ago) * 1000 }));
	expect(await find(send())).toBe(isOurs ? 'after' : undefined);
});

test('a message that another send matched says nothing about a third', async () => {
	const before = seconds() - 30;
	const sent = newSentTexts(IN_STEP);
	const { find } = chatWith([message('open'), message('foreign', { timestamp: before })], { sent });
	sent.attempted(send({ id: 'matched', attemptedAt: (before - 1) * 1000 }));
	Object.assign(sent.known.get('matched') ?? {}, { messageId: 'found' });
	sent.attempted(send());
	expect(await find(send())).toBeUndefined();
});

test('when the poll is rejected, the message stays unconfirmed', async () => {
	const clock = virtualClock();
	const refusal = new ApiError({ message: '', description: '', code: 'forbidden', httpStatus: 403 });
	const refuse = async () => await Promise.reject(refusal);
	const { find } = createSendReconciliation(
		{ call: refuse, download: refuse },
		clock,
		newSentTexts(IN_STEP),
		IN_STEP,
	);
	expect(await find(send())).toBeUndefined();
	expect(clock.skippedMs).toBeGreaterThan(6900);
});

test.each(['find', 'recover'] as const)('%s ends when the execution is cancelled', async (search) => {
	const cancelled = new Error('cancelled');
	const fail = async () => await Promise.reject(cancelled);
	const reconciliation = createSendReconciliation(
		{ call: fail, download: fail },
		virtualClock(),
		newSentTexts(IN_STEP),
		IN_STEP,
	);
	await expect(reconciliation[search](send(), undefined)).rejects.toBe(cancelled);
});

describe('a text of an earlier execution', () => {
	const SENT_AFTER = Date.UTC(2030, 0, 31, 8);
	/** Other messages since then, each so many seconds before the next. */
	const others = (count: number, apart: number) =>
		Array.from({ length: count }, (_, number) =>
			message(`other ${number}`, { body: 'Other', timestamp: SENT_AFTER / 1000 + (count - number) * apart }),
		);
	const hello = (secondsBefore: number) => message('it', { timestamp: SENT_AFTER / 1000 - secondsBefore });

	test.each<[string, IDataObject[], string | undefined, string?, number?]>([
		[
			'is missing in a chat in which only the other side wrote it',
			[message('it', { from_me: false })],
			'missing',
		],
		['is missing in a chat of which no message has it', others(450, 1), 'missing'],
		['is found behind 450 newer messages', [...others(450, 1), hello(0)], 'it'],
		['may be in a chat that had it before', [...others(150, 1), hello(1)], undefined],
		[
			'may be in a chat that had it long before, as an earlier execution can have sent it',
			[
				...others(450, 1),
				...Array.from({ length: 200 }, (_, place) => ({ ...hello(3601 + place), id: place, body: '-' })),
				hello(90 * 86_400),
			],
			undefined,
		],
		['may be in a chat with too many newer messages', others(3900, 1), undefined],
		['may be in a chat with more messages of one second than one request returns', others(201, 0), undefined],
		[
			'is one with other white space',
			[{ ...hello(0), body: 'Good\u00A0\r\nmorning ' }],
			'it',
			'Good morning',
		],
		[
			'may be one with other signs, capital letters and emoji',
			[{ ...hello(0), body: '“it’s” AT&amp;T 2' }],
			undefined,
			'"It\'s" AT&T 2 \u2764\ufe0f\u200b',
		],
		[
			'may be one in letters of the other size, of which two are one there, or in letters without accents',
			[{ ...hello(0), body: 'ΟΣ Α, SS ß i e' }],
			undefined,
			'ος α, ß ẞ İ é',
		],
		['may be one of signs alone', [{ ...hello(0), body: '\u2764' }], undefined, '\u2764\ufe0f'],
		['is missing beside one with other letters', [{ ...hello(0), body: 'Hallo' }], 'missing'],
		...[undefined, null, '', { text: 'Hello' }].map((body): [string, IDataObject[], undefined] => [
			`may be one whose text is ${JSON.stringify(body)}`,
			[{ ...hello(0), body }],
			undefined,
		]),
		['may be one that the service shows with a preview', [{ ...hello(0), has_media: true }], undefined],
		['is missing beside a file without a caption', [{ ...hello(0), body: '', has_media: true }], 'missing'],
		['is missing beside one without a text from before', [{ ...hello(3601), body: '' }], 'missing'],
		[
			"is missing beside one without a text from before, by the service's clock",
			[{ ...hello(-1800), body: '' }],
			'missing',
			'Hello',
			2 * 3_600_000,
		],
		['may be one without a text from an hour before', [{ ...hello(3600), body: '' }], undefined],
		[
			'may be one from an hour before, on the next page',
			[...others(199, 1), { ...hello(3600), id: 'newer', body: '-' }, hello(3600)],
			undefined,
		],
		[
			'is missing beside one without a text from the other side',
			[{ ...hello(0), body: '', from_me: false }],
			'missing',
		],
	])('%s', async (_, messages, expected, text = 'Hello', offsetMs = 0) => {
		const { reconciliation } = chatWith(messages, { offsetMs });

		const found = await reconciliation.recover(send({ message: text, attemptedAt: SENT_AFTER }), SENT_AFTER);

		expect(typeof found === 'object' ? found.id : found).toBe(expected);
	});

	test('is not missing without a time before which it was not sent, unless the whole chat was read', async () => {
		const { recover } = chatWith([...others(450, 1), hello(90 * 86_400)]).reconciliation;
		expect(await recover(send(), undefined)).toBeUndefined();
		expect(await chatWith(others(450, 1)).reconciliation.recover(send(), undefined)).toBe('missing');
	});

	test('of which the chat shows one with other white space, and one of another send, is that one', async () => {
		const { sent, find } = chatWith([{ ...message('other'), body: 'Hel lo' }, message('it')]);
		sent.attempted(send({ message: 'Hel lo' }));
		expect(await find(send())).toBe('it');
		// Of the two texts, which count as one, only one message is left.
		const alone = chatWith([{ ...message('its'), body: 'Hel lo' }]);
		alone.sent.attempted(send({ message: 'Hel lo' }));
		expect(await alone.find(send())).toBeUndefined();
	});
});
