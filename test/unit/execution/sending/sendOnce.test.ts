import { sendOnce, type SendLine } from '../../../../nodes/MessagingChannel/execution/sending/sendOnce';
import type { EarlierRequest } from '../../../../nodes/MessagingChannel/execution/sending/sendJournal';
import type { SendOutcome } from '../../../../nodes/MessagingChannel/execution/sending/send';
import {
	before,
	done,
	error,
	lineIn,
	lost,
	message,
	refusal,
	SENT,
	shown,
	textOf,
	textSend,
	type World,
	unsure,
} from './line';

const broken = new Error('broken');
const skipped = { skipped: true, reason: 'tag', to: 'Ada' } as const;
const open = (more: Partial<EarlierRequest> = {}) =>
	({ state: 'open', earlier: { hasSameText: true, isDecidedByChat: true, sentAfter: 5, ...more } }) as const;

const stepThat = (step: () => Promise<never>): Partial<SendLine> => ({ steps: [step] });

/** A step that leaves somebody out, and has the others get this text. */
const leavingOut = (rest: string) => async () =>
	await Promise.resolve({ request: textOf(rest, 'text'), skipped: [skipped] });

const ASKED = ['begin', 'recover Ada 5 5'];

test.each<[string, World, Partial<SendLine>, SendOutcome['kind'], unknown, string[]]>([
	['that the service confirms', {}, {}, 'sent', [{ id: '1' }], SENT],
	[
		'without a journal',
		{},
		{ journal: undefined, noteSent: undefined },
		'sent',
		[{ id: '1' }],
		['attempted', 'request Hello', 'confirmed'],
	],
	[
		'that the service refuses',
		{ answers: [refusal] },
		{},
		'refused',
		refusal,
		['begin', 'attempted', 'request Hello', 'notMade', 'refused'],
	],
	[
		'that fails',
		{ answers: [broken] },
		{},
		'refused',
		broken,
		['begin', 'attempted', 'request Hello', 'notMade', 'refused'],
	],
	[
		'that a check refuses',
		{},
		stepThat(async () => await Promise.reject(refusal)),
		'refused',
		expect.objectContaining({ code: 'forbidden', neverSent: true }),
		['begin', 'notMade', 'refused'],
	],
	[
		'whose check fails',
		{},
		stepThat(async () => await Promise.reject(broken)),
		'refused',
		broken,
		['begin', 'notMade', 'refused'],
	],
	[
		'that passes its checks',
		{},
		{ steps: [async () => await Promise.resolve(), leavingOut('Good night'), leavingOut('Goodbye')] },
		'sent',
		[{ id: '1' }, skipped, skipped],
		SENT.map((what) => what.replace('Hello', 'Goodbye')),
	],
	[
		'that ends with an error of the server',
		{ answers: [error('bad_gateway', { httpStatus: 502 })], chat: 'missing' },
		{},
		'uncertain',
		expect.objectContaining({ code: 'bad_gateway', ambiguous: true }),
		['begin', 'attempted', 'request Hello', 'search', 'uncertain'],
	],
	[
		'that nobody gets',
		{},
		{ steps: [async () => await Promise.resolve({ request: undefined, skipped: [skipped] })] },
		'skipped',
		[skipped],
		['begin', 'notMade', 'refused'],
	],
	[
		'after the execution was stopped',
		{},
		{ cancelled: AbortSignal.abort() },
		'refused',
		expect.objectContaining({ code: 'execution_stopped' }),
		[],
	],
	['when the database cannot be used', { before: refusal }, {}, 'refused', refusal, ['begin']],
	[
		'that nobody confirms',
		{ answers: [lost], chat: 'missing' },
		{},
		'uncertain',
		unsure,
		['begin', 'attempted', 'request Hello', 'search', 'uncertain'],
	],
	[
		'that nobody confirms, when the chat cannot be read',
		{ answers: [lost] },
		{},
		'uncertain',
		unsure,
		['begin', 'attempted', 'request Hello', 'search', 'uncertain'],
	],
	[
		'that nobody confirms and nobody looks for',
		{ answers: [lost] },
		{ isSearched: false },
		'uncertain',
		unsure,
		['begin', 'attempted', 'request Hello', 'uncertain'],
	],
	[
		'that only the chat confirms',
		{ answers: [lost], chat: message },
		{},
		'verified',
		[{ ...message, verified: true }],
		['begin', 'attempted', 'request Hello', 'search', 'made', 'noted 7'],
	],
	['that an earlier execution made', { before: done }, {}, 'alreadySent', [before], ['begin']],
	[
		'that an earlier one may have made in another form',
		{ before: { state: 'otherwise' }, chat: message },
		{},
		'uncertain',
		expect.objectContaining({ code: 'sent_otherwise' }),
		['begin', 'uncertain'],
	],
	[
		'of an earlier one that the chat shows',
		{ before: open(), chat: message },
		{},
		'verified',
		[{ ...message, verified: true, ...before }],
		[...ASKED, 'made', 'noted 7'],
	],
	[
		'of an earlier one that the chat does not show',
		{ before: open(), chat: 'missing' },
		{},
		'sent',
		[{ id: '1' }],
		[...ASKED, ...SENT.slice(1)],
	],
	[
		'of an earlier one that may still come',
		{ before: open({ isDecidedByChat: false }), chat: 'missing' },
		{},
		'uncertain',
		unsure,
		[...ASKED, 'uncertain'],
	],
	[
		'of an earlier one, when the chat cannot be read',
		{ before: open() },
		{},
		'uncertain',
		unsure,
		[...ASKED, 'uncertain'],
	],
	[
		'of an earlier one with another text',
		{ before: open({ hasSameText: false }), chat: message },
		{},
		'uncertain',
		unsure,
		['begin', 'uncertain'],
	],
	[
		'of an earlier one that nobody looks for',
		{ before: open(), chat: message },
		{ isSearched: false },
		'uncertain',
		unsure,
		['begin', 'uncertain'],
	],
	[
		'of an earlier one of which nothing is known',
		{ before: { state: 'open' }, chat: message },
		{},
		'uncertain',
		unsure,
		['begin', 'uncertain'],
	],
])('a text %s', async (_, world, more, kind, output, told) => {
	const { line, toldSince } = lineIn(world);
	const outcome = await sendOnce({ ...line, ...more }, textSend());
	expect(outcome.kind).toBe(kind);
	expect(shown(outcome)).toEqual(output);
	expect(toldSince()).toEqual(told);
	// What the service has queued, its chat may not show yet.
	expect(line.sent.queuedTo('Ada', line.clock.elapsed())).toHaveLength(kind === 'sent' ? 1 : 0);
});

test.each<[string, World, 'other' | undefined, string[], string[]]>([
	['file', {}, 'other', ['begin', 'request Hello', 'made'], ['begin', 'made']],
	[
		'file of an earlier execution',
		{ before: open(), chat: message },
		'other',
		['begin', 'uncertain'],
		['begin', 'uncertain'],
	],
	[
		'file that nobody confirms',
		{ answers: [lost], chat: message },
		'other',
		['begin', 'request Hello', 'uncertain'],
		[],
	],
	[
		'tag that nobody confirms',
		{ answers: [lost] },
		undefined,
		['begin', 'request Hello', 'uncertain'],
		['begin', 'request Hello', 'made'],
	],
])('a %s is not looked for, and tried again', async (_, world, sends, told, toldAgain) => {
	const { line, toldSince } = lineIn(world);
	const send = textSend({ request: textOf('Hello', sends) });
	await sendOnce(line, send);
	expect(toldSince()).toEqual(told);
	await sendOnce(line, send);
	expect(toldSince()).toEqual(toldAgain);
});
