import { CONTINUES, useEngine } from '../../../support/engine/engine';
import { newKeyRow } from '../../../support/engine/keyRow';
import { manualClock } from '../../../support/engine/manualClock';
import { ID, images, rows, startedAnew } from '../../../support/engine/requestIds';
import { jsonOf, type RunOptions } from '../../../support/engine/run';
import { eventually } from '../../../support/poll';

const engine = useEngine();
const runAnew = startedAnew(engine);

test('what another process overwrites in the row is stored again', async () => {
	const row = newKeyRow();
	await runAnew(row, {
		items: rows(2),
		transport: async (_, send) => {
			const response = await send();
			// Another process writes the row as it was before.
			row.keys = [];
			return response;
		},
	});

	const second = await runAnew(row, { items: rows(2) });

	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true]);
	expect(await engine.accepted()).toHaveLength(2);
});

test('what a stopped execution had in flight is looked for by the next one', async () => {
	const row = newKeyRow();
	await engine.service.control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after' });
	const execution = new AbortController();
	const stopped = runAnew(row, { items: rows(2), node: CONTINUES, cancelled: execution.signal });
	await eventually(engine.accepted, ({ length }) => length === 2);
	execution.abort();
	expect(jsonOf(await stopped).map(({ outcome }) => outcome)).toEqual(['uncertain', 'uncertain']);
	await engine.service.control.clearFaults();

	const second = await runAnew(row, { items: rows(3) });

	expect(jsonOf(second).map(({ verified, queued }) => verified ?? queued)).toEqual([true, true, true]);
	expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2']);
});

test('without the database nothing is sent, as nobody knows what was', async () => {
	const { error } = await runAnew({ ...newKeyRow(), isBroken: true }, { items: rows(2) });

	expect(error?.message).toBe('n8n could not check whether this request ID was used before');
	expect(await engine.accepted()).toEqual([]);
});

test('the database fails at the beginning: what comes when it is back is sent', async () => {
	let calls = 0;
	const row = Object.defineProperty(newKeyRow(), 'isBroken', { get: () => ++calls <= 3 });

	const { output } = await engine.run({
		items: rows(60),
		options: { ...ID, maxConcurrency: 1 },
		row,
		node: CONTINUES,
	});

	expect(output.filter(({ json }) => json.outcome === 'not_sent').length).toBeLessThan(4);
	expect(await engine.accepted()).toHaveLength(output.filter(({ json }) => json.queued).length);
});

test('the database fails at the end: the log says so, and nothing is sent again', async () => {
	const row = newKeyRow();
	const first = await runAnew(row, {
		items: rows(2),
		transport: async (_, send) => {
			row.isBroken = true;
			return await send();
		},
	});
	expect(first.log).toEqual([expect.stringContaining('could not store what was sent: database is locked')]);
	row.isBroken = false;

	const second = await runAnew(row, { items: rows(2) });

	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true]);
	expect(await engine.accepted()).toHaveLength(2);
});

test.each<[string, RunOptions]>([
	['an image', images(rows(2))],
	['a text', { items: rows(2) }],
])('%s that is refused while the database fails for seconds is free', async (_, send) => {
	let failsUntil = 0;
	const row = Object.defineProperty(newKeyRow(), 'isBroken', { get: () => engine.now() < failsUntil });
	const options = { ...send, options: ID, row, node: { id: 'refused', ...CONTINUES } };
	const outcomesOf = async (more: Partial<RunOptions>) =>
		jsonOf(await engine.run({ ...options, ...more })).map(({ outcome }) => outcome);
	const refuse: RunOptions['transport'] = async (_options, request) => {
		failsUntil = engine.now() + 9_000;
		return await request();
	};
	for (const operationId of ['media.sendImage', 'message.send'])
		await engine.service.control.addFault({ kind: 'status', status: 400, times: 2, operationId });

	expect(await outcomesOf({ transport: refuse })).toEqual(['not_sent', 'not_sent']);
	expect(await outcomesOf({ executionId: 'next' })).toEqual(['queued', 'queued']);
});

/** How many facts of a row are done and open. */
function stateCounts(keys: readonly string[]): { done: number; open: number } {
	const open = keys.filter((key) => /^open [\w-]{43}$/.test(key)).length;
	return { open, done: keys.filter((key) => /^known [\w-]{43}$/.test(key)).length - open };
}

test('a quick run uses the database for each 125 messages', async () => {
	const clock = manualClock(engine.now());
	const { row } = await engine.run({
		items: rows(400),
		options: ID,
		clock,
		transport: async (_options, send) => {
			await clock.advance(4);
			return await send();
		},
	});

	// Three for each batch, of which the first has 25; one before the first, and some at the end.
	expect(row.calls).toBeLessThanOrEqual(3 * (Math.ceil(375 / 125) + 1) + 6);
	expect(await engine.accepted()).toHaveLength(400);
});

test('in a slow run, the database knows after a second what was sent', async () => {
	const clock = manualClock(engine.now());
	const row = newKeyRow();
	const made: number[] = [];
	await engine.run({
		items: rows(3),
		options: { ...ID, maxConcurrency: 1 },
		row,
		clock,
		transport: async (_, send) => {
			await clock.advance(1000);
			made.push(stateCounts(row.keys).done);
			return await send();
		},
	});

	expect(made).toEqual([0, 1, 2]);
});

test('at any moment, the database does not know of at most 350 messages whether they were sent', async () => {
	const row = newKeyRow();
	let most = 0;
	const watched = new Proxy(row, {
		set(target, name, value: unknown) {
			if (name === 'keys') {
				most = Math.max(most, stateCounts(value as string[]).open);
			}
			return Reflect.set(target, name, value);
		},
	});

	await engine.run({ items: rows(500), options: { ...ID, maxConcurrency: 100 }, row: watched });

	expect(most).toBeLessThanOrEqual(350);
});

test('the keys are digests', async () => {
	const { row } = await engine.run({ items: rows(1), options: ID });

	expect(row.keys).toEqual([
		expect.stringMatching(/^day \d+ 0$/),
		expect.stringMatching(/^time \d+$/),
		expect.stringMatching(/^known [\w-]{43}$/),
	]);
});
