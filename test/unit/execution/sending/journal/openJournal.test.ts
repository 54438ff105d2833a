import countBy from 'lodash/countBy';

import { SEND_MESSAGE } from '../../../../../nodes/MessagingChannel/api/endpoints';
import { sendJournalOf } from '../../../../../nodes/MessagingChannel/execution/sending/journal/openJournal';
import type { Send, SendEnd } from '../../../../../nodes/MessagingChannel/execution/sending/send';
import type { EarlierSend } from '../../../../../nodes/MessagingChannel/execution/sending/sendJournal';
import type { ActionRun } from '../../../../../nodes/MessagingChannel/n8n/actionRun';
import { CALL_MS } from '../../../../../nodes/MessagingChannel/n8n/journal/repair';
import { CAPACITY } from '../../../../../nodes/MessagingChannel/n8n/journal/room';
import { virtualClock } from '../../../../support/engine/clock';
import { setRow } from '../../../../support/journal/setRow';

const ADA = '905551234567';
const DAY_MS = 24 * 60 * 60_000;

/** A text of an item that has no request ID. */
const plain = (itemIndex: number, to = ADA): Send => ({
	request: { endpoint: SEND_MESSAGE, parameters: { to, message: `Hello ${itemIndex}` } },
	itemIndex,
	partitionKey: to,
});

/** A text with a request ID. */
const text = (requestId: string, message = 'Hello'): Send => {
	const request = { endpoint: SEND_MESSAGE, parameters: { to: ADA, message } };
	return { request, itemIndex: 0, partitionKey: ADA, requestId, requestKey: requestId, id: requestId };
};

const texts = (count: number, prefix = 'id') =>
	Array.from({ length: count }, (_, index) => text(`${prefix} ${index}`));

interface Run {
	retryOf?: string;
	isWorker?: boolean;
	/** Those of its texts that cannot be in the service's queue. */
	notQueued?: readonly string[];
	/** Whether the queue cannot be looked at. */
	failsToLook?: boolean;
}

let nodes = 0;

/** A node, whose row outlives the processes of n8n. */
function startNode() {
	const row = setRow();
	const clock = virtualClock();
	let life = { nodeKey: `node ${nodes++}`, isOver: false };
	/** The row for a process, until that is killed. */
	const rowIn = (own: typeof life) => {
		const use = async <T>(call: () => Promise<T>): Promise<T> =>
			await (own.isOver ? new Promise<T>(() => {}) : call());
		return {
			record: async (keys: Iterable<string>, max?: number) =>
				await use(async () => await row.record(keys, max)),
			remove: async (keys: Iterable<string>) => await use(async () => await row.remove(keys)),
			count: async () => await use(row.count),
		};
	};
	return {
		row,
		clock,
		/** Kills n8n and starts it again. What it knew is gone. */
		restart: () => {
			life.isOver = true;
			life = { nodeKey: `node ${nodes++}`, isOver: false };
		},
		/** A run with these sends. */
		run: (sends: readonly Send[], { retryOf, isWorker = false, notQueued = [], failsToLook }: Run = {}) => {
			const warned: string[] = [];
			const logger = { warn: (message: string) => warned.push(message) };
			const [{ nodeKey }, ownRow] = [life, rowIn(life)];
			const run = { retryOf, isWorker, nodeKey, isTool: false, runIndex: 0, row: () => ownRow, logger };
			/** The texts whose chats were looked at. */
			const lookedFor: string[][] = [];
			const journal = sendJournalOf(run as unknown as ActionRun, clock, sends, async (open) => {
				if (failsToLook) throw new Error('no access');
				lookedFor.push(open.map(({ requestKey = '' }) => requestKey));
				return await Promise.resolve(new Set(notQueued));
			});
			/** Begins a send, and ends it in this way if it may be made. */
			const make = async (send: Send, end: SendEnd = 'made'): Promise<EarlierSend['state'] | string> => {
				const { state } = await journal.begin(send);
				if (state !== 'done') journal.settle(send, end);
				return state;
			};
			return { ...journal, make, lookedFor, warned };
		},
	};
}

/** The states of the sends of a run that makes them. */
async function made(node: ReturnType<typeof startNode>, sends: readonly Send[], options?: Run) {
	const run = node.run(sends, options);
	const states: string[] = [];
	for (const send of sends) states.push(await run.make(send).catch(({ code }: { code: string }) => code));
	return { states, forgotten: await run.close() };
}

describe('what a node has no room for', () => {
	test.each<[string, Send[], Run, string]>([
		['one ID more', texts(CAPACITY + 1), {}, 'no_room'],
		['as many IDs as it remembers, and one of them twice', [...texts(CAPACITY), text('id 0')], {}, 'absent'],
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
		for (let index = 0; index < CAPACITY + 1_000; index++) node.row.keys.add(`known young ${index}`);
		node.restart();
		const { states, forgotten } = await made(node, [...texts(130), ...texts(3)]);
		expect(countBy(states)).toEqual({ done: 6, no_room: 127 });
		expect(forgotten).toBe(0);
		expect([...node.row.keys].filter((key) => key.startsWith('open'))).toEqual([]);
	});

	test.each([
		[99, 0],
		[100, 2_000],
	])(
		'a run of %d that pushes out older ones says how many, unless it is everyday use',
		async (count, told) => {
			const node = startNode();
			for (let index = 0; index < CAPACITY + 2_000 - 200; index++) node.row.keys.add(`known old ${index}`);
			const { forgotten } = await made(node, texts(count));
			expect(Math.round(forgotten / 1_000) * 1_000).toBe(told);
			// What it asked for stays, however old.
			expect((await made(node, texts(count))).states).toEqual(texts(count).map(() => 'done'));
		},
	);
});

test('what a run asks for stays, however old, when it pushes out others', async () => {
	const node = startNode();
	await made(node, texts(3));
	await node.clock.sleep(2 * DAY_MS);
	for (let index = 0; index < CAPACITY + 2_000 - 200; index++) node.row.keys.add(`known old ${index}`);
	node.restart();
	const { states, forgotten } = await made(node, [...texts(3), ...texts(100, 'new')]);
	expect([countBy(states), forgotten > 1_000]).toEqual([{ done: 3, absent: 100 }, true]);
	node.restart();
	expect((await made(node, texts(3))).states).toEqual(['done', 'done', 'done']);
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

	test('is open if the queue cannot be looked at, and another item asks again', async () => {
		const node = await killed(texts(2));
		const run = node.run(texts(2), { failsToLook: true });
		await expect(run.begin(text('id 0'))).rejects.toMatchObject({ code: 'database_error' });
		await expect(run.begin(text('id 1'))).rejects.toMatchObject({ code: 'database_error' });
		await run.close();
	});

	test('does not keep back what was begun with it, if the queue cannot be looked at', async () => {
		const node = await killed(texts(1));
		const run = node.run(texts(2), { failsToLook: true });
		await expect(run.begin(text('id 0'))).rejects.toMatchObject({ code: 'database_error' });
		expect(await run.begin(text('id 1'))).toEqual({ state: 'absent' });
		await run.close();
	});
});

describe('a run', () => {
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

	test('of a worker begins the next batch while the first one is sent', async () => {
		const node = startNode();
		const run = node.run(texts(30), { isWorker: true });
		await run.begin(text('id 0'));
		await node.clock.sleep(10_000);
		expect([...node.row.keys].filter((key) => /^known id \d+$/.test(key))).toHaveLength(30);
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
		const run = node.run([text('a')]);
		await run.begin(text('a'));
		node.row.isBroken = true;
		run.settle(text('a'), 'made');
		await run.close();
		expect(run.warned.join()).toContain('n8n could not store what was sent');
		node.row.isBroken = false;
		expect((await made(node, [text('a')])).states).toEqual(['done']);
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
		expect((await made(node, sends, retry)).states).toEqual(['open', 'absent']);
	});

	test.each<[SendEnd | undefined, string]>([
		[undefined, 'absent'],
		['uncertain', 'open'],
	])('that cannot begin its place leaves an ID as it was: %s', async (before, after) => {
		const node = startNode();
		const sends = [text('a')];
		if (before) {
			const earlier = node.run(sends);
			await earlier.make(text('a'), before);
			await earlier.close();
			node.restart();
		}
		const { record } = node.row;
		node.row.record = async (keys, max) => {
			if ([...keys].some((key) => /^open (?!a$)/.test(key))) throw new Error('database is locked');
			return await record(keys, max);
		};
		const run = node.run(sends, retry);
		await expect(run.begin(text('a'))).rejects.toMatchObject({ code: 'database_error' });
		await run.close();
		node.row.record = record;
		node.restart();
		expect((await made(node, sends)).states).toEqual([after]);
	});
});
