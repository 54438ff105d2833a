import { sendOnce, type SendLine } from '../../../../nodes/MessagingChannel/execution/sending/sendOnce';
import type { SendOutcome } from '../../../../nodes/MessagingChannel/execution/sending/send';
import type { TextSend } from '../../../../nodes/MessagingChannel/execution/sending/sentTexts';
import {
	before,
	done,
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

test('all tries of a send have one ID', async () => {
	const { line, log } = lineIn({});
	const [own, other] = [textSend({ id: 'own' }), textSend({ itemIndex: 1 })];
	for (const send of [own, other]) await sendOnce(line, send);
	expect([own, other].map((send) => log.find(send)?.id)).toEqual([
		'own',
		expect.stringMatching(/^[\da-f-]{36}$/),
	]);
});

test.each<[string, World, SendOutcome['kind'], unknown, string[]]>([
	['that was confirmed', {}, 'alreadySent', [{ id: '1', ...before }], ['begin', 'made']],
	[
		'that was confirmed, as the journal knows',
		{ before: done },
		'alreadySent',
		[{ id: '1', ...before }],
		['begin'],
	],
	[
		'that was confirmed, without the database',
		{ before: refusal },
		'alreadySent',
		[{ id: '1', ...before }],
		['begin'],
	],
	[
		'that nobody confirmed',
		{ answers: [lost], chat: 'missing' },
		'uncertain',
		unsure,
		['attempted', 'search'],
	],
	[
		'that the chat shows now',
		{ answers: [lost], chat: message },
		'verified',
		[{ ...message, verified: true }],
		['attempted', 'search', 'begin', 'made', 'noted 7'],
	],
	['that was refused', { answers: [refusal] }, 'sent', [{ id: '1' }], SENT],
])('the next tries of a text %s', async (_, { before: known, chat, answers }, kind, output, told) => {
	const first = lineIn({ answers });
	await sendOnce({ ...first.line, isSearched: false }, textSend());
	const next = lineIn({ before: known, chat });
	const tries = [textSend(), textSend()].map(
		(send) => async () => await sendOnce({ ...next.line, log: first.log }, send),
	);
	const outcome = await tries[0]?.();
	expect(outcome?.kind).toBe(kind);
	expect(outcome && shown(outcome)).toEqual(output);
	expect(next.toldSince()).toEqual(told);
	await tries[1]?.();
	expect(next.toldSince().join()).not.toContain('request');
});

test.each<[string, Partial<SendLine>, object, object]>([
	['with its request ID, and no journal', { journal: undefined }, {}, before],
	['without a request ID', {}, { requestId: undefined, requestKey: undefined }, { already_sent: true }],
])('the next try of a confirmed text %s is told as sent before', async (_, more, own, marks) => {
	const { line, toldSince } = lineIn({});
	const tryAgain = async () => await sendOnce({ ...line, ...more }, textSend(own));
	await tryAgain();
	toldSince();
	expect(shown(await tryAgain())).toStrictEqual([{ id: '1', ...marks }]);
	expect(toldSince()).toEqual([]);
});

test('what another try sends counts as the text of the first one', async () => {
	const { line, digests } = lineIn({ answers: [lost], chat: 'missing' });
	await sendOnce(line, textSend());
	await sendOnce(line, textSend({ request: textOf('Goodbye', 'text') }));
	expect(digests.size).toBe(1);
	expect([...digests]).toEqual([expect.any(String)]);
});

test.each<[string, World['answers'], Array<SendOutcome['kind']>, number]>([
	['is confirmed', [], ['sent', 'alreadySent', 'alreadySent'], 1],
	['is refused', [refusal], ['refused', 'sent', 'alreadySent'], 2],
])('of calls of a tool at once, one sends; the first %s', async (_, answers, kinds, requests) => {
	const { line, toldSince } = lineIn({ isTool: true, answers });
	const outcomes = await Promise.all(kinds.map(async () => await sendOnce(line, textSend())));
	expect(outcomes.map(({ kind }) => kind)).toEqual(kinds);
	expect(toldSince().filter((what) => what.startsWith('request'))).toHaveLength(requests);
});

test('the time of a send is that of its latest attempt', async () => {
	const { line, log } = lineIn({ answers: [lost], chat: 'missing' });
	const { clock, reconciliation, request } = line;
	const times: number[] = [];
	line.steps = [async () => await clock.sleep(5_000)];
	const find = async ({ attemptedAt }: TextSend) => await Promise.resolve(void times.push(attemptedAt));
	line.reconciliation = () => ({ ...reconciliation(), find });
	line.request = async (each) => {
		each.beforeAttempt?.(clock.now());
		await clock.sleep(60_000);
		return await request(each);
	};
	const begunAt = clock.now();

	await sendOnce(line, textSend());

	expect([log.find(textSend())?.attemptedAt, ...times]).toEqual([begunAt + 65_000, begunAt + 65_000]);
});
