// cspell:ignore forbiddenword
import type { IDataObject, IRunExecutionData } from 'n8n-workflow';

import { virtualClock } from '../../support/engine/clock';
import { newExecution } from '../../support/engine/context';
import { CONTINUES, person, toEach, useEngine } from '../../support/engine/engine';
import { stored, type Run, type RunOptions } from '../../support/engine/run';
import { byPhone } from '../../support/operations/parameters';

const engine = useEngine();
const { spoilSend } = engine;

const failing = (message = 'a forbiddenword') => [...toEach(4), { to: person(9), message }];

const flags = (output: Array<{ json: IDataObject }>) => output.map(({ json }) => json.already_sent === true);

test('what was accepted is not sent again; its earlier answer is returned', async () => {
	const first = await engine.run({ items: failing(), options: { maxConcurrency: 1 } });
	expect(first.error).toBeDefined();
	const accepted = await engine.service.control.accepted();

	const second = await engine.run({ items: failing('fine'), execution: stored(first.execution) });

	expect(flags(second.output)).toEqual([true, true, true, true, false]);
	expect(second.output.slice(0, 4).map(({ json }) => json.job_id)).toEqual(
		accepted.map(({ jobId }) => jobId),
	);
	expect(second.output.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 1, 2, 3, 4].map((item) => ({ item })),
	);
	expect(await engine.accepted()).toEqual([...toEach(4).map(({ message }) => message), 'fine']);
});

test('an item that names another person for one try is sent to each once', async () => {
	const itemsFor = (number: number) => [
		{ to: person(number), message: 'Hello' },
		{ to: person(9), message: 'a forbiddenword' },
	];
	let execution: IRunExecutionData | undefined;
	for (const number of [1, 2, 1, 2])
		({ execution } = await engine.run({
			items: itemsFor(number),
			options: { maxConcurrency: 1 },
			...(execution && { execution }),
		}));

	const accepted = await engine.service.control.accepted();
	expect(accepted.map(({ to }) => to)).toEqual([1, 2].map((number) => `${person(number)}@c.us`));
});

describe('a message that may have arrived', () => {
	test('is never sent again, but searched for again', async () => {
		await engine.service.control.holdQueue();
		await spoilSend({ kind: 'reset', when: 'after' });
		const items = [{ to: `${person(1)}@c.us`, message: 'Hello' }];
		const first = await engine.run({ items });
		expect(first.error?.message).toContain('may have been sent');
		await engine.service.control.releaseQueue();
		await engine.service.control.idle();

		const second = await engine.run({ items, execution: first.execution });

		expect(second.output[0]?.json).toMatchObject({ body: 'Hello', verified: true });
		expect(await engine.requests('message.send')).toHaveLength(1);
	});

	test('was found by an earlier try: its message does not confirm another', async () => {
		const to = `${person(1)}@c.us`;
		const items = [
			{ to, message: 'Hello' },
			{ to: person(2), message: 'a forbiddenword' },
			{ to, message: 'Hello' },
		];
		await spoilSend({ kind: 'status', status: 504, when: 'after' });
		const first = await engine.run({ items: items.slice(0, 2) });
		await spoilSend({ kind: 'status', status: 504, when: 'before', bodyHas: { to } });

		const second = await engine.run({ items, node: CONTINUES, execution: first.execution });

		expect(second.output.map(({ json }) => [json.already_sent, json.ambiguous])).toEqual([
			[true, undefined],
			[undefined, undefined],
			[undefined, true],
		]);
	});
});

test('items with the same text to the same recipient are all sent, and not again', async () => {
	const same = { to: person(1), message: 'Hello' };
	const items = [same, same, same, { to: person(2), message: 'a forbiddenword' }];
	const first = await engine.run({ items, node: CONTINUES });
	expect(await engine.accepted()).toHaveLength(3);

	await engine.run({ items, node: CONTINUES, execution: first.execution });

	expect(await engine.accepted()).toHaveLength(3);
});

// With Retry On Fail, n8n then runs the node again.
test.each(['', 'number unknown', null])(
	'a message whose response has the error %j is not sent again',
	async (error) => {
		const body = { success: true, queued: true, job_id: 'job-1', to: `${person(0)}@c.us`, error };
		await spoilSend({ kind: 'status', status: 202, body, when: 'after' });
		const first = await engine.run({ items: toEach(2) });
		expect(first.output[0]?.json.error).toBe(error);

		const second = await engine.run({ items: toEach(2), execution: first.execution });

		expect(flags(second.output)).toEqual([true, true]);
		expect(await engine.accepted()).toHaveLength(2);
	},
);

test('nothing is kept in the execution once all items are done', async () => {
	const { execution } = await engine.run({ items: toEach(20) });

	const kept = JSON.stringify(execution.executionData?.contextData);
	expect(kept).not.toContain('job');
	expect(kept.length).toBeLessThan(100);
});

test('creates are made once, too', async () => {
	const parameters = { name: '={{ $json.name }}' };
	await engine.service.control.addFault({
		kind: 'status',
		status: 400,
		operationId: 'tag.create',
		bodyHas: { name: 'two' },
	});
	const options = { operation: 'tag:create', items: [{ name: 'one' }, { name: 'two' }], parameters };
	const first = await engine.run({ ...options, options: { maxConcurrency: 1 } });

	const second = await engine.run({ ...options, execution: first.execution });

	expect(flags(second.output)).toEqual([true, false]);
	expect(await engine.requests('tag.create')).toHaveLength(3);
});

/** A message to a person of its own, scheduled in so many hours, for each of these numbers of hours. */
const scheduledIn = (...hours: number[]): RunOptions => ({
	operation: 'scheduledMessage:create',
	items: hours.map((each) => ({
		to: person(each),
		at: new Date(engine.now() + each * 3_600_000).toISOString(),
	})),
	parameters: {
		to: byPhone('={{ $json.to }}'),
		message: 'Hello',
		scheduledAt: '={{ $json.at }}',
	},
});

test.each<[string, Partial<RunOptions>, (first: Run, original: IRunExecutionData) => Partial<RunOptions>]>([
	['the first try did it', {}, ({ execution }) => ({ execution })],
	['an earlier retry did it', { mode: 'retry' }, (_, original) => ({ execution: stored(original) })],
	['its request ID was used', { options: { requestId: '={{ $json.to }}' } }, () => ({})],
])('a message whose time is over meanwhile counts as scheduled if %s', async (_, how, again) => {
	const scheduled = { ...scheduledIn(1, 9), ...how };
	const original = newExecution();
	const fault = { kind: 'status', status: 400, operationId: 'scheduledMessage.create' } as const;
	await engine.service.control.addFault({ ...fault, bodyHas: { to: person(9) } });
	const first = await engine.run({ ...scheduled, execution: stored(original) });
	expect(first.error?.context.itemIndex).toBe(1);
	const later = jest.spyOn(Date, 'now').mockReturnValue(engine.now() + 2 * 3_600_000);
	const next = { ...scheduled, row: first.row, executionId: 'next', ...again(first, original) };

	const second = await engine.run({ ...next, clock: virtualClock() }).finally(() => later.mockRestore());

	expect(flags(second.output)).toEqual([true, false]);
	expect(await engine.requests('scheduledMessage.create')).toHaveLength(3);
});
