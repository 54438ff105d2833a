import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import {
	joinNode,
	leaveNode,
} from '../../../../nodes/MessagingChannel/execution/sending/requestIds/nodeRequests';
import { requestIdsOf } from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestIds';
import {
	requestKeysOf,
	type IdentifiedSend,
} from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestKeys';
import { virtualClock } from '../../../support/engine/clock';
import { keyRowHelpers } from '../../../support/engine/keyRow';
import { contextOf } from '../context';

const START = Date.UTC(2030, 0, 31, 9);
const MINUTE_MS = 60 * 1000;

const text = (id: string | number, message = `Hello ${id}`): IdentifiedSend => ({
	request: { endpoint: SEND_MESSAGE, parameters: { to: '905551112233', message } },
	itemIndex: 0,
	partitionKey: '905551112233',
	...requestKeysOf('node', 'account', String(id)),
});

const texts = (count: number) => Array.from({ length: count }, (_, id) => text(id));

const image = (id: string): IdentifiedSend => ({
	...text(id),
	request: { endpoint: { ...SEND_MESSAGE, sends: 'other' } },
});

const isOf = (kind: string) => (key: string) => key.startsWith(`${kind} `);

/** The ends of the executions, so that none of them lives on after its test. */
const ends: Array<() => Promise<void>> = [];
afterEach(async () => void (await Promise.all(ends.splice(0).map(async (end) => await end()))));

let processes = 0;

/** A node, and what its row of the database holds. */
function nodeWith(keys: readonly string[] = [], now = START) {
	const clock = virtualClock(undefined, now);
	const warnings: string[] = [];
	const row = {
		keys: [...keys],
		calls: 0,
		isFailing: false,
		/** Also after so many calls, or a search for what is not there would never end. */
		get isBroken() {
			return row.isFailing || row.calls > 1000;
		},
	};
	const recorded: string[][] = [];
	const removed: string[][] = [];
	/** What a process that is killed after each call leaves. */
	const left: string[][] = [];
	/** How many sends each question about the service's queue was about. */
	const queueChecks: number[] = [];
	const { checkProcessedAndRecord, removeProcessed } = keyRowHelpers(row);
	const noted =
		<Rest extends unknown[], Result>(
			calls: string[][],
			call: (keys: string[], ...rest: Rest) => Promise<Result>,
		) =>
		async (asked: string[], ...rest: Rest) =>
			await clock.during(async () => {
				const result = await call(asked, ...rest);
				calls.push(asked);
				left.push(row.keys);
				return result;
			});
	const helpers = {
		checkProcessedAndRecord: noted(recorded, checkProcessedAndRecord),
		removeProcessed: noted(removed, removeProcessed),
	};

	/** Begins an execution with these sends, in a process of its own unless one is named. */
	const start = (sends: IdentifiedSend[], process = `process ${++processes}`) => {
		const context = contextOf({
			getWorkflow: () => ({ id: process }),
			getNode: () => ({ id: 'node' }),
			logger: { warn: (message: string) => warnings.push(message) },
			helpers,
		});
		const claims = requestIdsOf(context, clock, sends, async (unconfirmed) => {
			queueChecks.push(unconfirmed.length);
			return await Promise.resolve(new Set(unconfirmed.map(({ requestKey }) => requestKey)));
		});
		ends.push(claims.close);
		/** The status of a send, if it has one within ten minutes. */
		const claim = async (send: IdentifiedSend) => {
			const claimed = new AbortController();
			const tooLate = clock.sleep(10 * MINUTE_MS, claimed.signal).then(() => 'it still waits');
			return await Promise.race([claims.claim(send), tooLate]).finally(() => claimed.abort());
		};
		return { ...claims, claim };
	};
	return { clock, row, recorded, removed, left, queueChecks, warnings, start };
}

/** What a process that is killed while it sends the last of these leaves. */
async function leftAfter(sends: IdentifiedSend[], keys?: readonly string[]): Promise<string[]> {
	const { start, row } = nodeWith(keys);
	const { claim, confirm } = start(sends);
	for (const [index, send] of sends.entries()) {
		if (index > 0) confirm(sends[index - 1] as IdentifiedSend);
		await claim(send);
	}
	return row.keys;
}

/** What a process that finds these keys in the row knows of a send. */
const statusAfter = async (keys: readonly string[], send: IdentifiedSend) =>
	await nodeWith(keys).start([send]).claim(send);

const isNew = { state: 'new' };
const isSent = { state: 'sent' };
const unconfirmed = { state: 'unconfirmed' };

test('what a stopped execution has in flight may have been sent', async () => {
	const { row, start } = nodeWith();
	const { claim, close } = start([text(1)]);
	await claim(text(1));

	await close();

	expect(row.keys).toContain('running');
	expect(await statusAfter(row.keys, text(1))).toMatchObject(unconfirmed);
});

describe('a text that a killed process may have sent', () => {
	test('is looked for from when it can have been sent, and is known as sent once it is found', async () => {
		const { start, row } = nodeWith(await leftAfter([text('a')]), START + 25 * MINUTE_MS);
		const { claim, confirm, close } = start([text('a')]);

		expect(await claim(text('a'))).toEqual({
			state: 'unconfirmed',
			earlier: { hasSameText: true, isDecidedByChat: true, sentAfter: START },
		});
		confirm(text('a'));
		await close();

		expect(await statusAfter(row.keys, text('a'))).toEqual(isSent);
	});

	test('is looked for also if the database failed before it was known whether to', async () => {
		const { start, row, clock } = nodeWith(await leftAfter([text('a')]));
		const { claim } = start([text('a')]);
		const claimed = claim(text('a'));
		// It listens for other processes by now.
		while (clock.skippedMs === 0) await clock.yield();
		row.isFailing = true;
		await expect(claimed).rejects.toMatchObject({ code: 'database_error' });
		row.isFailing = false;

		expect(await claim(text('a'))).toMatchObject({ earlier: { hasSameText: true, isDecidedByChat: true } });
	});

	test('is not looked for if it has changed since', async () => {
		const changed = text('a', 'Changed');

		expect(await statusAfter(await leftAfter([text('a')]), changed)).toEqual({
			state: 'unconfirmed',
			earlier: { hasSameText: false, isDecidedByChat: false, sentAfter: undefined },
		});
	});

	test('is known by the text of the item that sent it, also if an item before it has the same ID', async () => {
		const sends = [text('a', 'first'), text('a', 'second')];
		const killed = nodeWith();
		await killed.start(sends).claim(text('a', 'second'));

		expect(await nodeWith(killed.row.keys).start(sends).claim(text('a', 'second'))).toMatchObject({
			earlier: { hasSameText: true },
		});
	});

	test('is known as sent once it is found, also if the process before was killed while it read the row', async () => {
		const keys = await leftAfter([text('a')]);
		const { left, start: startReader } = nodeWith(keys);
		await startReader([text('a')]).claim(text('a'));
		const reading = left.find((after) => after.some(isOf('reading')));
		const { start, row } = nodeWith(reading);
		const { claim, confirm, close } = start([text('a')]);

		expect(await claim(text('a'))).toMatchObject({
			state: 'unconfirmed',
			earlier: { isDecidedByChat: false },
		});
		confirm(text('a'));
		await close();

		expect(await statusAfter(row.keys, text('a'))).toEqual(isSent);
	});

	test('leaves nothing to remove once it is found', async () => {
		const { start, removed } = nodeWith(await leftAfter([text('a')]));
		const { claim, confirm, close } = start([text('a')]);
		await claim(text('a'));
		const before = removed.length;
		confirm(text('a'));
		await close();

		expect(
			removed
				.slice(before)
				.flat()
				.filter((key) => !isOf('alive')(key)),
		).toEqual([]);
	});

	test('makes an execution listen for other processes once, however many batches it has', async () => {
		const sends = texts(60);
		const keys = await leftAfter(sends);
		// None of them was confirmed.
		const { start, clock } = nodeWith(keys.filter((key) => !isOf('made')(key)));
		const { claim } = start(sends);

		for (const send of sends) expect(await claim(send)).toMatchObject(unconfirmed);

		expect(clock.skippedMs).toBeLessThan(MINUTE_MS);
	});
});

test('an image that may have been sent needs no look at other processes', async () => {
	const { start, clock } = nodeWith(await leftAfter([image('a')]));

	expect(await start([image('a')]).claim(image('a'))).toMatchObject({
		state: 'unconfirmed',
		earlier: { hasSameText: false },
	});
	expect(clock.skippedMs).toBe(0);
});

test('only what the chat can show is looked for in the queue, because that costs a look at all items', async () => {
	const { start, queueChecks } = nodeWith(await leftAfter([image('a'), text('b')]));
	const { claim } = start([text('new'), image('a')]);
	await claim(text('new'));
	await claim(image('a'));
	expect(queueChecks).toEqual([]);

	await start([text('b')]).claim(text('b'));

	expect(queueChecks).toEqual([1]);
});

describe('two items with one ID', () => {
	const sends = [text('a'), text('a')];

	test.each<[string, 'confirm' | 'withdraw' | 'release', object]>([
		['was sent', 'confirm', isSent],
		['was certainly not sent', 'withdraw', isNew],
		['may have been sent', 'release', unconfirmed],
	])('the second waits until it is known that the first %s', async (_, end, expected) => {
		const { claim, ...claims } = nodeWith().start(sends);
		const [first, second] = [claim(text('a')), claim(text('a'))];
		expect(await first).toEqual(isNew);

		claims[end](text('a'));

		expect(await second).toEqual(expected);
	});

	test('the one of another execution goes on when the first is stopped', async () => {
		const { start } = nodeWith();
		const stopped = start(sends, 'one process');
		const other = start(sends, 'one process');
		await stopped.claim(text('a'));
		const waiting = other.claim(text('a'));

		await stopped.close();

		expect(await waiting).toEqual(unconfirmed);
	});
});

test('what a process knows of a node is forgotten with its last execution', () => {
	const known = joinNode('node');
	expect(joinNode('node')).toBe(known);
	leaveNode('node', known);
	expect(joinNode('node')).toBe(known);
	leaveNode('node', known);
	leaveNode('node', known);

	const anew = joinNode('node');

	expect(anew).not.toBe(known);
	leaveNode('node', anew);
});

describe('an ID that was recorded and not sent', () => {
	test('is free at the end of the execution', async () => {
		const { start, row, warnings } = nodeWith();
		const { claim, confirm, close } = start(texts(3));
		await claim(text(0));
		confirm(text(0));

		await close();

		expect(row.keys.filter(isOf('id'))).toHaveLength(1);
		expect(row.keys.filter(isOf('text'))).toHaveLength(1);
		expect(row.keys).not.toContain('running');
		expect(warnings).toEqual([]);
	});

	describe('when the database fails before it is known whether others were used', () => {
		const failing = async () => {
			const begun = await leftAfter([text(0)]);
			const node = nodeWith(begun);
			const execution = node.start(texts(3));
			const claimed = execution.claim(text(1));
			while (node.row.calls === 0) await node.clock.yield();
			node.row.isFailing = true;
			await expect(claimed).rejects.toMatchObject({ code: 'database_error' });
			node.row.isFailing = false;
			return { ...node, ...execution, begun };
		};

		test('is free at the end of the execution', async () => {
			const { begun, row, close, warnings } = await failing();

			await close();

			expect(row.keys.filter(isOf('id'))).toEqual(begun.filter(isOf('id')));
			expect(warnings).toEqual([]);
		});

		test('is new to the execution', async () => {
			const { claim } = await failing();

			expect(await claim(text(1))).toEqual(isNew);
		});
	});

	describe('when the database fails after its text was stored', () => {
		const failing = async () => {
			const node = nodeWith();
			const before = node.start([text('used')]);
			await before.claim(text('used'));
			before.confirm(text('used'));
			await before.close();
			// Only then a batch stores its texts at once.
			await node.start([text('b')], 'one process').claim(text('b'));
			const begun = node.row.keys;
			const first = node.start([text('a'), text('used'), image('c')], 'one process');
			const claimed = first.claim(text('a'));
			while (node.row.keys.length === begun.length) await node.clock.yield();
			node.row.isFailing = true;
			await expect(claimed).rejects.toMatchObject({ code: 'database_error' });
			node.row.isFailing = false;
			return { ...node, first, begun };
		};

		test('its text is not stored at the end of the execution', async () => {
			const { row, removed, first, begun } = await failing();
			await first.claim(image('c'));
			first.withdraw(image('c'));

			await first.close();

			expect(row.keys.filter(isOf('text'))).toEqual(begun.filter(isOf('text')));
			expect(removed.flat()).not.toContain(undefined);
		});

		test('another execution can send it with another text, and only that one is stored', async () => {
			const { start, row } = await failing();
			const changed = text('a', 'Changed');
			expect(await start([changed], 'one process').claim(changed)).toEqual(isNew);

			expect(await statusAfter(row.keys, text('a'))).toMatchObject({ earlier: { hasSameText: false } });
			expect(await statusAfter(row.keys, changed)).toMatchObject({
				earlier: { hasSameText: true },
			});
		});
	});

	test('is not free at the end of another execution', async () => {
		const { start, row } = nodeWith();
		await start(texts(3), 'one process').claim(text(0));
		const { claim, confirm, close } = start([text('a')], 'one process');
		await claim(text('a'));
		confirm(text('a'));

		await close();

		expect(row.keys.filter(isOf('id'))).toHaveLength(4);
	});

	test('leaves nothing in the row, also if it is that of an image', async () => {
		const { start, row, removed } = nodeWith();
		const { claim, withdraw, close } = start([image('a')]);
		await claim(image('a'));
		withdraw(image('a'));

		await close();

		expect(row.keys).toEqual([expect.stringMatching(/^time /)]);
		expect(removed.flat().map((key) => typeof key)).toEqual(removed.flat().map(() => 'string'));
	});
});

describe('an ID that one execution recorded and another one freed', () => {
	/** A third execution, in another process, sends the text meanwhile. */
	const sentMeanwhile = async () => {
		const { start, row } = nodeWith();
		const first = start(texts(2), 'one process');
		await first.claim(text(0));
		const second = start([text(1)], 'one process');
		await second.claim(text(1));
		second.withdraw(text(1));
		await second.close();
		const third = start([text(1)]);
		expect(await third.claim(text(1))).toEqual(isNew);
		third.confirm(text(1));
		await third.close();
		return { first, row };
	};

	test('is known as sent by the one that recorded it', async () => {
		const { first } = await sentMeanwhile();

		expect(await first.claim(text(1))).toEqual(isSent);
	});

	test('is known as sent after the one that recorded it', async () => {
		const { first, row } = await sentMeanwhile();
		await first.close();

		expect(await statusAfter(row.keys, text(1))).toEqual(isSent);
	});
});

describe('the text of an ID that was used before', () => {
	/**
	 * What the next execution knows of the last send after a process is killed that has recorded it, in its second batch, and
	 * not yet read what was stored of it.
	 */
	const afterKillBeforeReading = async (keys: readonly string[], sends: IdentifiedSend[]) => {
		const { start, left } = nodeWith(keys);
		const { claim } = start(sends);
		const last = sends.at(-1) as IdentifiedSend;
		await claim(sends[0] as IdentifiedSend);
		const calls = left.length;
		await claim(last);
		return await nodeWith(left[calls]).start(sends).claim(last);
	};
	const changed = text('a', 'Changed');
	const newTexts = Array.from({ length: 25 }, (_, id) => text(`new ${id}`));

	test('is not stored over that of an execution that left it uncertain', async () => {
		const { start, row } = nodeWith();
		const { claim, release, close } = start([text('a')]);
		await claim(text('a'));
		release(text('a'));
		await close();

		expect(await afterKillBeforeReading(row.keys, [...newTexts, changed])).toMatchObject({
			earlier: { hasSameText: false },
		});
	});

	test('is not stored over that of another process that was killed meanwhile', async () => {
		const { start, row } = nodeWith();
		const { claim, confirm, close } = start([...texts(26), changed]);
		await claim(text(0));
		confirm(text(0));
		// It runs beside this one.
		row.keys = await leftAfter([text('a')], row.keys);
		await claim(text(25));
		confirm(text(25));
		await close();

		expect(await afterKillBeforeReading(row.keys, [...newTexts, changed])).toMatchObject({
			earlier: { hasSameText: false },
		});
	});

	test('is not stored in a later batch, also if n8n has dropped what tells of a killed process', async () => {
		const keys = await leftAfter([...texts(25), text('a')]);

		expect(
			await afterKillBeforeReading(
				keys.filter((key) => key !== 'running'),
				[...texts(25), changed],
			),
		).toMatchObject({ earlier: { hasSameText: false } });
	});
});

test.each([
	[10_000, 25],
	[500, 50],
	[100, 125],
	[0, 125],
])('after 25 sends in %d ms, the next call records %d', async (ms, expected) => {
	const { start, clock, recorded } = nodeWith();
	const { claim } = start(texts(200));
	await claim(text(0));
	await clock.sleep(ms);

	await claim(text(25));

	const counts = recorded.map((keys) => keys.filter(isOf('id')).length);
	expect(counts.filter((count) => count > 0)).toEqual([25, expected]);
});
