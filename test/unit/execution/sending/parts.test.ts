import { sendParts } from '../../../../nodes/MessagingChannel/execution/sending/parts';
import { sendOnce, type SendLine } from '../../../../nodes/MessagingChannel/execution/sending/sendOnce';
import type { SendOutcome } from '../../../../nodes/MessagingChannel/execution/sending/send';
import { error, lineIn, textSend, type World } from './line';

const text = textSend({ parts: ['Good', 'morning'] });
const broken = new Error('broken');
const refusal = error('forbidden', { httpStatus: 403 });
const lost = error('send_timeout', { ambiguous: true });
const done = { state: 'done' } as const;

const send = async (line: SendLine, whole = text): Promise<SendOutcome> =>
	await sendParts(line, whole, async (part) => await sendOnce({ ...line, isSearched: false }, part));

/** What became of the text, and of the journal those entries that are of the whole. */
const ofWhole = (told: string[]) => told.filter((what) => /^(begin|made|notMade|uncertain)$/.test(what));
const requestsIn = (told: string[]) => told.filter((what) => what.startsWith('request'));

/** An error of a text. */
const failed = (code: string, description: RegExp) => ({
	error: expect.objectContaining({
		code,
		description: expect.stringMatching(description) as unknown,
	}) as unknown,
});

const ALL = ['request Good', 'request morning'];
const sent = {
	kind: 'sent',
	from: 'request',
	records: [
		{
			to: 'A',
			parts: [
				{ to: 'A', id: '1' },
				{ to: 'A', id: '2' },
			],
		},
	],
};
const bothSent = [
	{ to: 'A', id: '1' },
	{ to: 'A', id: '2' },
];

test.each<[string, World, Partial<SendLine>, object, string[], string[]]>([
	['that is confirmed', { answers: bothSent }, {}, sent, ALL, ['begin', 'made']],
	['without a journal', { answers: bothSent }, { journal: undefined }, sent, ALL, []],
	[
		'whose first part is refused',
		{ answers: [refusal] },
		{},
		{
			kind: 'refused',
			from: 'request',
			...failed('forbidden', /^0 of 2 parts of the text were sent\. What to do\.$/),
		},
		ALL.slice(0, 1),
		['begin', 'notMade'],
	],
	[
		'whose second part is refused',
		{ answers: [{ id: '1' }, refusal] },
		{},
		{
			kind: 'refused',
			from: 'request',
			...failed('forbidden', /^1 of 2 parts .* with another 'Request ID'/),
		},
		ALL,
		['begin', 'uncertain'],
	],
	[
		'whose first part fails',
		{ answers: [broken] },
		{},
		{ kind: 'refused', from: 'request', error: broken },
		ALL.slice(0, 1),
		['begin', 'notMade'],
	],
	[
		'whose first part nobody confirms',
		{ answers: [lost] },
		{},
		{ kind: 'uncertain', from: 'request', ...failed('send_timeout', /^0 of 2 .* part 1 may have been sent/) },
		ALL.slice(0, 1),
		['begin', 'uncertain'],
	],
	[
		'whose first part an earlier retry sent in another form',
		{ before: ({ part }) => ({ state: part ? 'otherwise' : 'absent' }) },
		{},
		{ kind: 'uncertain', from: 'journal', ...failed('sent_otherwise', /^Nothing was sent now/) },
		[],
		['begin', 'uncertain'],
	],
	[
		'that nobody gets',
		{},
		{ steps: [async () => await Promise.resolve({ request: undefined, skipped: [] })] },
		{ kind: 'skipped', from: 'request', recipients: [] },
		[],
		['begin', 'notMade'],
	],
	[
		'that an earlier execution made',
		{ before: done },
		{},
		{ kind: 'alreadySent', from: 'journal', records: [{ already_sent: true, request_id: 'order 1' }] },
		[],
		['begin'],
	],
	[
		'that an earlier execution began',
		{ before: { state: 'open' } },
		{},
		{ kind: 'uncertain', from: 'journal', ...failed('send_timeout', /^An earlier execution sent parts/) },
		[],
		['begin', 'uncertain'],
	],
	[
		'when the database cannot be used',
		{ before: refusal },
		{},
		{ kind: 'refused', from: 'journal', error: refusal },
		[],
		['begin'],
	],
	[
		'after the execution was stopped',
		{},
		{ cancelled: AbortSignal.abort() },
		{
			kind: 'refused',
			from: 'journal',
			error: expect.objectContaining({ code: 'execution_stopped' }) as unknown,
		},
		[],
		[],
	],
])('a text in parts %s', async (_, world, more, outcome, requests, ofJournal) => {
	const { line, toldSince } = lineIn(world);
	expect(await send({ ...line, ...more })).toEqual(outcome);
	const told = toldSince();
	expect(requestsIn(told)).toEqual(requests);
	expect(ofWhole(told)).toEqual(ofJournal);
});

test.each<[string, object, RegExp]>([
	['with a request ID', {}, /with another 'Request ID'/],
	['without one', { requestId: undefined, requestKey: undefined }, /but a new execution does/],
])('of a text in parts %s, it is said who sends what is missing', async (_, own, advice) => {
	const { line, toldSince } = lineIn({ answers: [{ id: '1' }, refusal] });
	expect(await send(line, { ...text, ...own })).toMatchObject(failed('forbidden', advice));
	expect(ofWhole(toldSince())).toEqual('requestId' in own ? [] : ['begin', 'uncertain']);
});

test.each<[string, World['answers'], World, string[], string[]]>([
	['that was confirmed', [], {}, [], ['begin', 'made']],
	['that was confirmed, as the journal knows', [], { before: done }, [], ['begin']],
	['of which a part was missing', [{ id: '1' }, refusal], {}, ALL.slice(1), ['begin', 'made']],
	['of which a part is refused again', [{ id: '1' }, refusal], { answers: [refusal] }, ALL.slice(1), []],
])('the next try of a text in parts %s', async (_, answers, world, requests, ofJournal) => {
	const first = lineIn({ answers });
	await send(first.line);
	// An expression can change the text.
	expect(first.log.find(text)?.parts).toEqual(text.parts);
	const next = lineIn(world);
	await send({ ...next.line, log: first.log });
	const told = next.toldSince();
	expect(requestsIn(told)).toEqual(requests);
	expect(ofWhole(told)).toEqual(ofJournal);
});

test('of two calls of a tool at once, the second begins the text itself when the first is refused', async () => {
	const { line, toldSince } = lineIn({ isTool: true, answers: [refusal] });
	const first = send(line);
	while (!line.log.find({ ...text, part: { index: 0, texts: [], whole: text.request } }))
		await Promise.resolve();
	const kinds = (await Promise.all([first, send(line)])).map(({ kind }) => kind);
	expect(kinds).toEqual(['refused', 'sent']);
	expect(ofWhole(toldSince()).sort()).toEqual(['begin', 'begin', 'made', 'notMade']);
});
