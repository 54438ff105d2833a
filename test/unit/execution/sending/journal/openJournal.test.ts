import countBy from 'lodash/countBy';

import { SEND_MESSAGE } from '../../../../../nodes/MessagingChannel/api/endpoints';
import type { Send, SendEnd } from '../../../../../nodes/MessagingChannel/execution/sending/send';
import type { EarlierSend } from '../../../../../nodes/MessagingChannel/execution/sending/sendJournal';
import { CALL_MS } from '../../../../../nodes/MessagingChannel/n8n/journal/repair';
import { CAPACITY } from '../../../../../nodes/MessagingChannel/n8n/journal/room';
import { made, plain, startNode, text, texts, type Run } from './node';

const DAY_MS = 24 * 60 * 60_000;

describe('what a node has no room for', () => {
	test.each<[string, Send[], Run, string]>([
		['one ID more', texts(CAPACITY + 1), {}, 'no_room'],
		[
			'as many IDs as it remembers, one of them twice, and a send without',
			[...texts(CAPACITY), text('id 0'), plain(0)],
			{},
			'absent',
		],
		[
			'a retry of one more',
			Array.from({ length: CAPACITY + 1 }, (_, index) => plain(index)),
			{ retryOf: '1' },
			'no_room',
		],
	])('of a run with %s', async (_, sends, options, expected) => {
		const run = startNode().run(sends, options);
		expect(await run.make(sends[0] as Send).catch(({ code }: { code: string }) => code)).toBe(expected);
		await run.close();
	});

	test('is refused and leaves nothing behind, and what was done before stays known', async () => {
		const node = startNode();
		await made(node, texts(3));
		node.fill(CAPACITY + 1_000);
		node.restart();
		const callsBefore = node.row.calls;
		const { states, forgotten } = await made(node, [...texts(130), ...texts(3)]);
		expect(countBy(states)).toEqual({ done: 6, no_room: 127 });
		expect(forgotten).toBe(0);
		// A row is full for a day, and each call rewrites all of it.
		expect(node.row.calls - callsBefore).toBeLessThan(30);
		expect([...node.row.keys].filter((key) => key.startsWith('open'))).toEqual([]);
	});

	test('costs no call in a run of which all was done', async () => {
		const node = startNode();
		const callsOfRun = async () => {
			const before = node.row.calls;
			await made(node, texts(1));
			return node.row.calls - before;
		};
		await callsOfRun();
		const calls = await callsOfRun();
		node.fill(CAPACITY + 500);
		expect(await callsOfRun()).toBe(calls);
	});

	test.each([
		[99, 0],
		[100, 2_000],
	])(
		'a run of %d that pushes out older ones says how many, unless it is everyday use',
		async (count, told) => {
			const node = startNode();
			node.fill(CAPACITY + 1_800);
			const { forgotten } = await made(node, texts(count));
			expect(Math.round(forgotten / 1_000) * 1_000).toBe(told);
			// What it asked for stays, however old.
			expect((await made(node, texts(count))).states).toEqual(texts(count).map(() => 'done'));
		},
	);
});

test('what a run sends after midnight stays for two days from then', async () => {
	const node = startNode();
	await node.clock.sleep(DAY_MS - (node.clock.now() % DAY_MS) - 1_000);
	const campaign = node.run(texts(2));
	await campaign.make(text('id 0'));
	await node.clock.sleep(2_000);
	await campaign.make(text('new'));
	await campaign.close();
	node.fill(2_000);
	node.restart();
	await node.clock.sleep(DAY_MS / 2);
	await made(node, texts(1, 'noon'));
	await node.clock.sleep(DAY_MS);
	for (let index = 0; index < CAPACITY; index++) node.row.keys.add(`known next day ${index}`);
	await made(node, texts(1, 'evening'));
	expect((await made(node, [text('new')])).states).toEqual(['done']);
});

test('what a run asks for stays, however old, when it pushes out others', async () => {
	const node = startNode();
	await made(node, texts(4), { uncertain: ['id 3'] });
	await node.clock.sleep(2 * DAY_MS);
	node.fill(CAPACITY + 1_800);
	node.restart();
	const all = [...texts(4), ...texts(100, 'new')];
	// What was uncertain is known now.
	const { states, forgotten } = await made(node, all, { uncertain: ['new 0'] });
	expect([countBy(states), forgotten > 1_000]).toEqual([{ done: 3, open: 1, absent: 100 }, true]);
	node.restart();
	expect((await made(node, all.slice(0, 5))).states).toEqual(['done', 'done', 'done', 'done', 'open']);
});

test('a run that asks for what is uncertain, however old, pushes out nothing', async () => {
	const node = startNode();
	await made(node, texts(1), { uncertain: ['id 0'] });
	await node.clock.sleep(2 * DAY_MS);
	node.fill(CAPACITY + 1_800);
	for (const failsToLook of [false, true, false]) {
		node.restart();
		const { states, forgotten } = await made(node, texts(1), { failsToLook, uncertain: ['id 0'] });
		expect([states, forgotten]).toEqual([[failsToLook ? 'database_error' : 'open'], 0]);
	}
});

describe('what an earlier run left', () => {
	/** A run that was killed while these were in flight, and what it had begun to send next. */
	const killed = async (inFlight: readonly Send[], all = inFlight) => {
		const node = startNode();
		const run = node.run(all);
		for (const send of inFlight) await run.begin(send);
		node.restart();
		return node;
	};
	const earlierOf = (found: EarlierSend) => ('earlier' in found ? found.earlier : found.state);

	test('is decided by the chat if it had the same text and is in no queue any more', async () => {
		const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => text(id)) as [Send, Send, Send, Send];
		const node = await killed([a, b, c]);
		const other = text('b', 'Bye');
		const run = node.run([a, other, c, d], { notQueued: ['a', 'b'] });
		expect(earlierOf(await run.begin(a))).toMatchObject({ hasSameText: true, isDecidedByChat: true });
		expect(earlierOf(await run.begin(other))).toBeUndefined();
		expect(earlierOf(await run.begin(c))).toMatchObject({ hasSameText: true, isDecidedByChat: false });
		expect(earlierOf(await run.begin(d))).toBe('absent');
		expect(run.lookedFor).toEqual([['a', 'c']]);
		await run.close();
	});

	test('is waited for once', async () => {
		const node = await killed(texts(30));
		const begunAt = node.clock.now();
		expect((await made(node, texts(30))).states).toEqual(Array(30).fill('open'));
		expect(node.clock.now() - begunAt).toBeLessThan(40_000);
	});

	test.each<[SendEnd, string]>([
		['made', 'done'],
		['notMade', 'open'],
	])('is asked for again after the wait: %s', async (end, expected) => {
		const node = startNode();
		const other = node.run(texts(1));
		await other.begin(text('id 0'));
		node.startProcess();
		const run = node.run(texts(1));
		const begun = run.begin(text('id 0'));
		await node.clock.sleep(1_000);
		other.settle(text('id 0'), end);
		await other.close();
		expect(await begun).toEqual({ state: expected });
		await run.close();
	});

	test('is not looked for if nothing can be known of it', async () => {
		const node = await killed([text('a', 'Bye')]);
		const run = node.run([text('a')]);
		expect(await run.begin(text('a'))).toEqual({ state: 'open', earlier: undefined });
		expect(run.lookedFor).toEqual([]);
		await run.close();
	});

	test('stays as it is, as far as this run does not make it', async () => {
		const node = await killed(texts(3));
		const run = node.run(texts(3), { notQueued: texts(3).map(({ requestId }) => requestId as string) });
		expect(await run.make(text('id 0'))).toBe('open');
		await run.close();
		expect((await made(node, texts(3))).states).toEqual(['done', 'open', 'open']);
	});

	test('is known in each batch, also if n8n was killed while it looked at the times', async () => {
		const node = await killed(texts(60));
		const step = Math.floor(node.clock.now() / 600_000);
		for (let age = -1; age < 150; age++) node.row.keys.add(`time ${step - age}`);
		expect((await made(node, texts(60))).states).toEqual(Array(60).fill('open'));
	});

	test('is open if the queue cannot be looked at, and another item asks again', async () => {
		const node = await killed(texts(2));
		const run = node.run(texts(2), { failsToLook: true });
		for (const id of ['id 0', 'id 1', 'id 0'])
			await expect(run.begin(text(id))).rejects.toMatchObject({ code: 'database_error' });
		await run.close();
	});

	test.each([[['old', 'new']], [['new', 'old']]])(
		'does not keep back what was begun with it, if the queue cannot be looked at: %s',
		async (ids) => {
			const node = await killed([text('old')]);
			const sends = ids.map((id) => text(id));
			expect((await made(node, sends, { failsToLook: true })).states.sort()).toEqual([
				'absent',
				'database_error',
			]);
		},
	);
});

describe('a run', () => {
	test('leaves no sign of life in the row, also if another one ends at the same time', async () => {
		const node = startNode();
		const runs = [text('one'), text('other')].map((send) => ({ ...node.run([send]), send }));
		await Promise.all(runs.map(async ({ make, send }) => await make(send)));

		await Promise.all(runs.map(async ({ close }) => await close()));

		expect([...node.row.keys].filter((key) => key.startsWith('alive'))).toEqual([]);
	});

	test.each(['for a later one of this process', 'for one after a restart'])(
		'frees what it began and has not made, and keeps open what may be made: %s',
		async (when) => {
			const node = startNode();
			const run = node.run(texts(6));
			expect(await run.make(text('id 0'), 'made')).toBe('absent');
			expect(await run.make(text('id 1'), 'notMade')).toBe('absent');
			expect(await run.make(text('id 2'), 'uncertain')).toBe('absent');
			await run.begin(text('id 3'));
			await run.close();
			if (when === 'for one after a restart') node.restart();
			expect((await made(node, texts(6))).states).toEqual([
				'done',
				'absent',
				'open',
				'open',
				'absent',
				'absent',
			]);
		},
	);

	test.each([
		['of a worker begins the next batch while the first one is sent', true, 30],
		['alone begins no other batch, which a kill would leave open', false, 25],
	])('%s', async (_, isWorker, count) => {
		const node = startNode();
		const run = node.run(texts(30), { isWorker });
		await run.begin(text('id 0'));
		await node.clock.sleep(10_000);
		expect([...node.row.keys].filter((key) => /^known id \d+$/.test(key))).toHaveLength(count);
		await run.close();
	});

	test.each<[string, Run, boolean]>([
		['alone leaves', {}, false],
		['of a worker repairs', { isWorker: true }, true],
		['of a retry repairs', { retryOf: '1' }, true],
	])('%s what another process has undone', async (_, options, isRepaired) => {
		const node = startNode();
		const run = node.run(texts(1), options);
		const isOpen = () => node.row.keys.has('open id 0');
		await run.begin(text('id 0'));
		const image = [...node.row.keys];
		run.settle(text('id 0'), 'made');
		for (let tenths = 0; tenths < 50 && isOpen(); tenths++) await node.clock.sleep(100);
		node.row.keys.clear();
		for (const key of image) node.row.keys.add(key);
		await node.clock.sleep(CALL_MS);
		await run.close();
		expect(isOpen()).toBe(!isRepaired);
	});

	test('tells if its database fails, and the next one knows all the same', async () => {
		const node = startNode();
		node.fill(CAPACITY + 1_800);
		const run = node.run(texts(100));
		await run.begin(text('id 0'));
		node.row.isBroken = true;
		run.settle(text('id 0'), 'made');
		expect(await run.close()).toBe(0);
		expect(run.warned.join()).toContain('n8n could not store what was sent');
		node.row.isBroken = false;
		expect((await made(node, texts(1))).states).toEqual(['done']);
	});
});

describe('a retry', () => {
	const retry = { retryOf: '1' };

	test('does not send again what an earlier one has sent', async () => {
		const node = startNode();
		const sends = [plain(0), plain(1)];
		expect((await made(node, sends.slice(0, 1), retry)).states).toEqual(['absent']);
		node.restart();
		expect((await made(node, sends, retry)).states).toEqual(['done', 'absent']);
		expect((await made(node, sends, { retryOf: '2' })).states).toEqual(['absent', 'absent']);
	});

	test('that is killed leaves no place open but that of its send', async () => {
		const node = startNode();
		const sends = [plain(0), plain(1)];
		await node.run(sends, retry).begin(plain(0));
		node.restart();
		const run = node.run(sends, retry);
		// Its text may have been another one, so the chat proves nothing.
		expect(await run.begin(plain(0))).toEqual({ state: 'open' });
		expect(await run.begin(plain(1))).toEqual({ state: 'absent' });
		await run.close();
	});

	const part = (index: number): Send => ({
		...plain(0),
		part: { index, texts: ['Hello', '0'], whole: plain(0).request },
	});
	test.each<[string, number, Send]>([
		['a text', 2, plain(0)],
		['its first part', 2, part(0)],
		['another part', 1, part(1)],
		['an image', 1, { ...plain(0), request: { endpoint: { ...SEND_MESSAGE, sends: 'other' } } }],
	])('stores %s with %d keys', async (_, count, send) => {
		const node = startNode();
		await made(node, [send], retry);
		expect([...node.row.keys].filter((key) => key.startsWith('known '))).toHaveLength(count);
	});

	test.each<[SendEnd | undefined, string]>([
		[undefined, 'absent'],
		['uncertain', 'open'],
	])('that cannot begin its place leaves an ID as it was: %s', async (before, after) => {
		const node = startNode();
		const sends = [text('an ID')];
		if (before) {
			const earlier = node.run(sends);
			await earlier.make(text('an ID'), before);
			await earlier.close();
			node.restart();
		}
		const { record } = node.row;
		node.row.record = async (keys, max) => {
			if ([...keys].some((key) => /^open (?!an ID)/.test(key))) throw new Error('database is locked');
			return await record(keys, max);
		};
		const run = node.run(sends, retry);
		await expect(run.begin(text('an ID'))).rejects.toMatchObject({ code: 'database_error' });
		await run.close();
		node.row.record = record;
		node.restart();
		expect((await made(node, sends)).states).toEqual([after]);
	});
});
