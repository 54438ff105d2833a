import type { IDataObject, INode } from 'n8n-workflow';

import type { FilePart } from '../../../../nodes/MessagingChannel/api/apiRequest';
import type { Send } from '../../../../nodes/MessagingChannel/execution/sending/send';
import { recipientKey } from '../../../../nodes/MessagingChannel/recipients/recipient';
import { sendLogOf } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';

/** The log of a run of a node, in the data that its execution keeps for it. */
const logOf = (nodeData: IDataObject, runIndex = 0, isTool = false) =>
	sendLogOf({ nodeData, runIndex, isTool, node: {} as INode }, 0);

const send = (itemIndex: number, partitionKey = 'Ada', message = 'Hello'): Send => ({
	request: {
		endpoint: { method: 'POST', path: '/messages/send', permission: 'messages:send' },
		parameters: { to: partitionKey, message },
	},
	itemIndex,
	partitionKey: partitionKey,
});

const entry = { partitionKey: 'Ada', id: 'send', attemptedAt: 1, answer: [{ id: '1' }] };

test('an entry is found by a later try of the same run', () => {
	const kept: IDataObject = {};
	logOf(kept).record(send(3), entry);
	const stored = JSON.parse(JSON.stringify(kept)) as IDataObject;
	expect(logOf(stored).find(send(3))).toEqual(entry);
});

test.each([
	['another item', send(4), 0],
	['the same item about somebody else', send(3, 'Bob'), 0],
	['another pass of a loop', send(3), 1],
])('but not for %s', (_, other, runIndex) => {
	const kept: IDataObject = {};
	logOf(kept).record(send(3), entry);
	expect(logOf(kept, runIndex).find(other)).toBeUndefined();
});

test('an item that named somebody else first is found for each of them, also in another notation', () => {
	const kept: IDataObject = {};
	const people = ['Ada', '05551234567', 'Bob'];
	for (const partitionKey of people)
		logOf(kept).record(send(3, partitionKey), { ...entry, id: partitionKey, partitionKey });
	const found = ['Ada', '905551234567', 'Bob', 'Eve'].map((to) => logOf(kept).find(send(3, to))?.id);
	expect(found).toEqual([...people, undefined]);
});

test.each([false, true])('the parts of one text are kept apart, by a tool: %s', (isTool) => {
	const part = (index: number): Send => ({
		...send(3),
		part: { index, texts: ['Hello', 'Goodbye'], whole: send(3).request },
	});
	const log = logOf({}, 0, isTool);
	const second = { ...entry, id: 'second' };
	log.record(part(1), second);
	expect(log.find(part(0))).toBeUndefined();
	log.forget(part(1));
	log.record(part(0), entry);
	expect(log.find(part(1))).toBeUndefined();
	log.record(part(1), second);
	expect([0, 1].map((index) => log.find(part(index))?.id)).toEqual(['send', 'second']);
	// A retry that does not split the text.
	expect(log.find(send(3))).toEqual(entry);
});

test('a finished run keeps nothing, and only another try of one that is not has an earlier one', () => {
	const kept: IDataObject = {};
	logOf(kept).clear();
	expect([logOf(kept).hasEarlier, logOf(kept, 0, true).hasEarlier]).toEqual([false, true]);
	const log = logOf(kept);
	log.record(send(3), entry);
	expect([0, 1].map((runIndex) => logOf(structuredClone(kept), runIndex).hasEarlier)).toEqual([true, false]);
	log.clear();
	expect(kept).toEqual({ sends: {} });
});

const NATIONAL = '05551234567';
const FULL = '905551234567';
const HIDDEN = '17@lid';

test.each<[string, string, string | undefined, string, boolean]>([
	['with its country code', NATIONAL, undefined, FULL, true],
	['without its country code', FULL, undefined, NATIONAL, true],
	['that the service told', NATIONAL, `${FULL}@c.us`, FULL, true],
	['of another country than the service told', NATIONAL, `${FULL}@c.us`, '495551234567', false],
	['that the service wrote otherwise', '5511987654321', '551187654321@c.us', '5511987654321', true],
	['in a path', NATIONAL, undefined, `/contacts/${FULL}`, false],
	['of a hidden one', HIDDEN, undefined, FULL, false],
	['that the service hides in a list', FULL, undefined, HIDDEN, false],
	['that the service hides in its answer', NATIONAL, HIDDEN, FULL, true],
	['that was hidden before the answer', HIDDEN, `${FULL}@c.us`, HIDDEN, true],
	['that is hidden since the answer', FULL, HIDDEN, HIDDEN, true],
	['in a question of the same execution', `${NATIONAL} here`, undefined, `${FULL} here`, true],
	['in a question of another execution', `${NATIONAL} here`, undefined, `${FULL} there`, false],
])('a number %s: whether it is the same recipient', (_, storedKey, to, partitionKey, isSame) => {
	const log = logOf({});
	log.record(send(3), { ...entry, partitionKey: storedKey, answer: to === undefined ? [] : [{ to }] });
	expect(log.find(send(3, partitionKey)) !== undefined).toBe(isSame);
});

test('a pass of a loop keeps nothing of the passes before it', () => {
	const kept: IDataObject = {};
	for (let pass = 0; pass < 12; pass++) logOf(kept, pass).record(send(3), entry);
	expect(kept).toEqual({ sends: { 11: { 3: entry } } });
});

test.each([
	[3_599_999, true],
	[3_600_000, false],
])('without an execution, what may have been sent is known %d ms later: %j', (ms, isKnown) => {
	const node = { credentials: { messagingChannelApi: { id: `account ${ms}` } } } as unknown as INode;
	const logAt = (now: number) => sendLogOf({ nodeData: undefined, runIndex: 0, isTool: true, node }, now);
	const attempted = { ...entry, attemptedAt: Date.now() };
	logAt(5_000).record(send(3), attempted);
	expect(logAt(5_000 + ms).find(send(3))).toEqual(isKnown ? attempted : undefined);
});

test('without an execution, each account knows what its unfinished calls may have sent', () => {
	const logOf = (credentials?: object) =>
		sendLogOf({ nodeData: undefined, runIndex: 0, isTool: true, node: { credentials } as INode }, 0);
	const account = (id: string) => ({ messagingChannelApi: { id } });
	logOf(account('one')).record(send(0), entry);
	expect([account('two'), {}, undefined].map((of) => logOf(of).find(send(0)))).toEqual(
		Array(3).fill(undefined),
	);

	const finished = logOf(account('one'));
	finished.record(send(0, 'Ada', 'Goodbye'), entry);
	finished.clear();
	expect(logOf(account('one')).find(send(0, 'Ada', 'Goodbye'))).toBeUndefined();
	expect(logOf(account('one')).find(send(0))).toEqual(entry);
});

describe('of a tool', () => {
	const tool = (kept: IDataObject, runIndex = 0) => logOf(kept, runIndex, true);
	const sendTo = (recipient: IDataObject): Send => ({
		...send(0, recipientKey(String(recipient.to ?? 'Ada'))),
		request: { ...send(0).request, parameters: { ...recipient, message: 'Hello' } },
	});

	test('a send is found by its content until the execution ends, whichever call it comes from', () => {
		const kept: IDataObject = {};
		const log = tool(kept);
		log.record(send(0), entry);
		log.clear();
		expect(tool(kept, 1).find(send(0))).toEqual(entry);
		expect(tool(kept).find(send(0, 'Ada', 'Good morning'))).toBeUndefined();
	});

	const broadcast = (...recipients: string[]) => ({ recipients });

	test.each<[string, IDataObject, IDataObject, boolean]>([
		['to a chat and to its phone number', { to: '905551112233' }, { to: '905551112233@c.us' }, true],
		['in a channel with another suffix', { to: '905551112233' }, { to: '905551112233@person' }, true],
		[
			'to recipients in another form and order',
			broadcast('905551112233', '1@g.us'),
			broadcast('1@g.us', '905551112233@c.us'),
			true,
		],
		[
			'with variables in another order',
			{ variables: { name: 'Ada', city: 'Rome' } },
			{ variables: { city: 'Rome', name: 'Ada' } },
			true,
		],
		['to another number', { to: '905551112233' }, { to: '905551112244' }, false],
		['to other recipients', broadcast('905551112233'), broadcast('905551112244'), false],
		['with other variables', { variables: { name: 'Ada' } }, { variables: { name: 'Bob' } }, false],
	])('a message %s: whether it is the same', (_, first, second, isSame) => {
		const kept: IDataObject = {};
		const { partitionKey } = sendTo(first);
		tool(kept).record(sendTo(first), { ...entry, partitionKey });
		expect(tool(kept, 1).find(sendTo(second)) !== undefined).toBe(isSame);
	});

	const partTo = (to: string): Send => ({
		...send(0, to),
		part: { index: 0, texts: ['Hello', 'Goodbye'], whole: send(0, to, 'Hello Goodbye').request },
	});

	test.each([
		['a message', (to: string) => send(0, to)],
		['a part of a text', partTo],
	])('%s to a number without its country code is the same as to the full number', (_, textTo) => {
		const kept: IDataObject = {};
		const earlier = { ...entry, partitionKey: NATIONAL, answer: undefined };
		tool(kept).record(textTo(NATIONAL), earlier);
		expect(tool(kept, 1).find(textTo(FULL))).toEqual(earlier);
		expect(tool(kept, 1).find(textTo('905551234568'))).toBeUndefined();
	});

	test('with a file, it is the same only with this file', () => {
		const kept: IDataObject = {};
		const file = (source: string) => ({ filename: 'a', mimetype: 'image/png', source }) as FilePart;
		const sendOf = (source: string) => ({ ...send(0), request: { ...send(0).request, file: file(source) } });
		tool(kept).record(sendOf('one'), entry);
		expect(['one', 'two'].map((source) => tool(kept).find(sendOf(source)))).toEqual([entry, undefined]);
	});

	test.each([
		[true, undefined],
		[false, entry],
	])('only the latest 1,000 are kept: %j', (isTool, first) => {
		const log = logOf({}, 0, isTool);
		for (let item = 0; item < 1001; item++) log.record(send(item, 'Ada', `Text ${item}`), entry);
		expect(log.find(send(0, 'Ada', 'Text 0'))).toEqual(first);
		expect(log.find(send(1, 'Ada', 'Text 1'))).toEqual(entry);
	});
});

test('what a tool sent to exactly this recipient is found before what it may have sent to them', () => {
	const log = logOf({}, 0, true);
	log.record(send(0, NATIONAL), { partitionKey: NATIONAL, id: 'send', attemptedAt: 1 });
	log.record(send(0, FULL), { ...entry, partitionKey: NATIONAL });
	expect(log.find(send(0, FULL))).toMatchObject({ answer: [{ id: '1' }] });
});
