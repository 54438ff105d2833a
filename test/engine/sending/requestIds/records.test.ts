// The records of request IDs, seen from the next execution and from other processes.
import type { IDataObject } from 'n8n-workflow';

import { CONTINUES, person, toEach, useEngine } from '../../../support/engine/engine';
import { newKeyRow, type KeyRow } from '../../../support/engine/keyRow';
import { ID, rows, startedAnew } from '../../../support/engine/requestIds';
import { jsonOf, type Run, type RunOptions } from '../../../support/engine/run';

const engine = useEngine();
const runStarted = startedAnew(engine);

/** Runs the node in an n8n that has been started anew, with an output for each item. */
const runAnew = async (row: KeyRow, { options, ...run }: RunOptions): Promise<Run> =>
	await runStarted(row, { ...run, options: { ...ID, ...options }, node: CONTINUES });

/** How many items ended in which way. */
function counts(run: Run): Record<string, number> {
	const found: Record<string, number> = {};
	for (const { ambiguous, already_sent, verified, queued, code } of jsonOf(run)) {
		const sent = already_sent ? (verified ? 'found' : 'sent before') : queued ? 'sent' : String(code);
		const kind = ambiguous ? 'ambiguous' : sent;
		found[kind] = (found[kind] ?? 0) + 1;
	}
	return found;
}

/** The texts that the service got more than once. */
async function doubled(): Promise<string[]> {
	const accepted = await engine.accepted();
	return accepted.filter((text, index) => accepted.indexOf(text) !== index);
}

/** All connections break before the service gets the texts. */
async function breakOff(row: KeyRow, items: IDataObject[]): Promise<void> {
	await engine.service.control.addFault({
		operationId: 'message.send',
		kind: 'reset',
		when: 'before',
		times: items.length,
	});
	const broken = await runAnew(row, { items, options: { afterAmbiguousSend: 'fail' } });
	expect(counts(broken)).toEqual({ ambiguous: items.length });
	expect(await engine.accepted()).toEqual([]);
}

test.each([25, 100])(
	'after an outage, all that was never sent is sent, also in several batches, %i at once',
	async (maxConcurrency) => {
		const row = newKeyRow();
		const items = rows(60);
		await breakOff(row, items);
		// Each batch that listens by itself would go on at another time.
		let chance = 0;
		const random = () => (chance = (chance + 0.3) % 1);

		const run = await runAnew(row, { items, random, options: { maxConcurrency } });

		expect(counts(run)).toEqual({ sent: 60 });
	},
);

test('two items with one ID do not wait for each other for ever while another one is looked for', async () => {
	const row = newKeyRow();
	const [first, other] = rows(2) as IDataObject[] as [IDataObject, IDataObject];
	await breakOff(row, [first, other]);
	await engine.service.control.addFault({
		operationId: 'chat.resolve',
		kind: 'status',
		status: 429,
		times: 1,
		headers: { 'Retry-After': '60', 'X-RateLimit-Reset': '' },
	});
	const plain = toEach(20, 'plain').map((item) => ({ ...item, row: '' }));

	const run = await runAnew(row, {
		items: [first, ...plain, other, { ...other, to: person(9) }],
		options: { requestId: '={{ $json.row === "" ? "" : $json.row + "-march" }}', maxConcurrency: 3 },
	});

	expect(counts(run)).toEqual({ sent: 22, 'sent before': 1 });
});

test('texts that change from day to day take no room in the records', async () => {
	const row = newKeyRow();
	const lengths: number[] = [];
	for (let day = 0; day < 3; day++) {
		const items = rows(200).map((item) => ({ ...item, message: `${item.message}, overdue for ${day} days` }));
		const run = await runAnew(row, { items });
		expect(counts(run)).toEqual(day === 0 ? { sent: 200 } : { 'sent before': 200 });
		lengths.push(row.keys.length);
	}
	expect(lengths[2]).toBeLessThanOrEqual((lengths[0] ?? 0) + 5);
});

test('the last text of a worker that is killed while another one ends is found in the chat', async () => {
	const row = newKeyRow();
	const options = { ...ID, maxConcurrency: 1 };
	const killed = async () =>
		await new Promise<void>((resolve) => {
			void engine.runBeside({
				items: rows(40),
				row,
				options,
				node: { id: 'the one that is killed' },
				transport: async ({ body }, send) => {
					const response = await send();
					if ((body as IDataObject | undefined)?.message !== 'm 30') return response;
					resolve();
					return await new Promise(() => {});
				},
			});
		});
	await engine.run({
		items: rows(2, 100),
		row,
		options,
		node: { id: 'the one that ends' },
		transport: async ({ body }, send) => {
			if ((body as IDataObject | undefined)?.message === 'm 101') await killed();
			return await send();
		},
	});

	const again = await runAnew({ ...row }, { items: rows(40) });

	expect(jsonOf(again)[30]).toMatchObject({ already_sent: true, verified: true });
	expect(await doubled()).toEqual([]);
});

describe('a living process', () => {
	const item = (row: number) => ({ to: person(row), message: `m ${row}`, row });

	/** The clock begins 4 seconds after the beginning of one of the steps in which a process shows that it is alive. */
	beforeEach(async () => {
		const start = Math.ceil(Date.UTC(2030, 0, 31, 9) / 15_000) * 15_000 + 4_000;
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		await engine.reset();
		now.mockRestore();
	});

	/** The service refuses the connections for a text six times, over about a minute, and then takes it. */
	const refusing = (text: string, onRefusal: (count: number) => void = () => {}): Partial<RunOptions> => {
		let count = 0;
		return {
			options: { ...ID, maxAttempts: 10, maxConcurrency: 1 },
			transport: async ({ body }, send) => {
				if ((body as IDataObject | undefined)?.message !== text || ++count > 6) return await send();
				onRefusal(count);
				throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED' });
			},
		};
	};

	test('is seen although two of its executions show it at the same moment', async () => {
		const row = newKeyRow();
		const own = { row, node: { id: 'process 1' } };
		const others: Array<Promise<Run>> = [];
		const onRefusal = (count: number) => {
			if (count === 5) others.push(runAnew(row, { items: [item(0)] }));
			if (count === 6)
				others.push(engine.run({ items: [item(5)], options: ID, executionId: 'third', ...own }));
		};

		await Promise.all([
			engine.run({ items: [item(0)], executionId: 'first', ...own, ...refusing('m 0', onRefusal) }),
			engine.run({ items: [item(1)], executionId: 'second', ...own, ...refusing('m 1') }),
		]);
		const [elsewhere] = await Promise.all(others);

		expect(counts(elsewhere as Run)).toEqual({ ambiguous: 1 });
		expect(await doubled()).toEqual([]);
	});

	test('is listened for again, after the database has failed, by the next item', async () => {
		const row = newKeyRow();
		await breakOff(row, [item(0), item(1)]);
		// It listens for the next whole step, and two seconds more.
		const heardAt = (Math.floor(engine.now() / 15_000) + 2) * 15_000 + 2_000;
		let failures = 0;
		Object.defineProperty(row, 'isBroken', { get: () => engine.now() >= heardAt && failures++ === 0 });

		const run = await runAnew(row, { items: [item(0), item(1)], options: { maxConcurrency: 1 } });

		expect(counts(run)).toEqual({ database_error: 1, sent: 1 });
	});

	test('is listened for by each execution anew', async () => {
		const row = newKeyRow();
		const own = { row, node: { id: 'process 1', ...CONTINUES } };
		await breakOff(row, [item(0)]);
		const others: Array<Promise<Run>> = [];
		const onRefusal = (count: number) => {
			if (count === 4) others.push(runAnew(row, { items: [item(2)], ...refusing('m 2') }));
			if (count === 5)
				others.push(engine.run({ items: [item(2)], options: ID, executionId: 'later', ...own }));
		};

		// It finds itself alone, and then runs on for a minute.
		await engine.run({
			items: [item(0), item(1)],
			executionId: 'long',
			...own,
			...refusing('m 1', onRefusal),
		});
		await Promise.all(others);

		expect(await doubled()).toEqual([]);
	});

	test('is heard by a worker that found itself alone before, when it reaches what the other has begun', async () => {
		const row = newKeyRow();
		const [one, other] = [
			{ row, isWorker: true, node: { id: 'worker 1', ...CONTINUES } },
			{ isWorker: true },
		];
		await breakOff(row, [item(0)]);
		const others: Array<Promise<Run>> = [];
		const onRefusal = (count: number) => {
			if (count === 4) others.push(runAnew(row, { items: [item(60)], ...other, ...refusing('m 60') }));
		};

		const items = rows(80).map((_, place) => item(place));
		const run = await engine.run({ items, executionId: 'long', ...one, ...refusing('m 1', onRefusal) });
		await Promise.all(others);

		expect(await doubled()).toEqual([]);
		expect(counts(run)).toEqual({ sent: 79, 'sent before': 1 });
	});
});

test('an execution of a worker sends its messages, although another one of the node is stopped', async () => {
	const row = newKeyRow();
	const stopped = new AbortController();
	let other: Promise<Run> | undefined;
	const worker = { row, node: CONTINUES, isWorker: true, options: { ...ID, maxConcurrency: 1 } };

	const run = await engine.run({
		...worker,
		items: rows(200),
		watch: {
			answered: () => {
				other ??= engine.run({
					...worker,
					items: rows(1, 300),
					cancelled: stopped.signal,
					watch: { sending: () => stopped.abort() },
				});
			},
		},
	});

	await other;
	expect(counts(run)).toEqual({ sent: 200 });
});
