import { eventually } from '../../support/poll';
import { CONTINUES, toEach, useEngine } from '../../support/engine/engine';

const engine = useEngine();

test('cancelling ends the wait for the rate limit, and nothing more is sent', async () => {
	await engine.service.control.setRateLimit({ limit: 5, windowSeconds: 100 });
	const execution = new AbortController();
	let answered = 0;
	const watch = {
		answered: () => {
			if (++answered === 5) execution.abort();
		},
	};

	const { output, clock } = await engine.run({
		items: toEach(20),
		options: { maxConcurrency: 5 },
		node: CONTINUES,
		cancelled: execution.signal,
		watch,
	});

	expect(output.map(({ json }) => json.outcome)).toEqual([
		...Array<string>(5).fill('queued'),
		...Array<string>(15).fill('not_sent'),
	]);
	expect(output[19]?.json).toMatchObject({
		error: 'The execution was stopped or reached its time limit',
		code: 'execution_stopped',
	});
	expect(clock.skippedMs).toBe(0);
	expect(await engine.requests()).toHaveLength(5);
});

test('cancelling ends the search for an unconfirmed message', async () => {
	await engine.service.control.addFault({ kind: 'status', status: 504, operationId: 'message.send' });
	const execution = new AbortController();
	const watch = { answered: () => execution.abort() };

	const { output } = await engine.run({
		items: toEach(1),
		node: CONTINUES,
		cancelled: execution.signal,
		watch,
	});

	expect(output[0]?.json).toMatchObject({ outcome: 'uncertain', code: 'send_timeout', ambiguous: true });
	expect(await engine.requests('chat.getMessages')).toEqual([]);
});

test('cancelling ends the wait for a shorter queue', async () => {
	await engine.service.control.holdQueue();
	await engine.run({ items: toEach(3) });
	await engine.service.control.clearRequests();
	const execution = new AbortController();
	const watch = { answered: () => execution.abort() };

	const { output } = await engine.run({
		items: toEach(3),
		options: { pauseWhenQueueAbove: 1 },
		node: CONTINUES,
		cancelled: execution.signal,
		watch,
	});

	expect(output.map(({ json }) => [json.outcome, json.code])).toEqual(
		toEach(3).map(() => ['not_sent', 'execution_stopped']),
	);
	expect(await engine.requests('message.send')).toEqual([]);
});

test('a request in flight is uncertain, and n8n has ended the execution, when the node fails', async () => {
	await engine.service.control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after' });
	const execution = new AbortController();

	const running = engine.run({ items: toEach(1), cancelled: execution.signal });
	await eventually(engine.accepted, ({ length }) => length === 1);
	execution.abort();

	expect((await running).error).toMatchObject({
		message: 'The execution was stopped or reached its time limit',
		description: expect.stringMatching(
			/^The service did not confirm the message, but it may have been sent\./,
		),
	});
});

test('a node that was cancelled fails, so that n8n runs it again with the execution, for what is missing', async () => {
	const execution = new AbortController();
	let answered = 0;
	const watch = {
		answered: () => {
			if (++answered === 2) execution.abort();
		},
	};
	const options = { maxConcurrency: 1 };

	const first = await engine.run({ items: toEach(5), options, cancelled: execution.signal, watch });
	expect(first.error).toMatchObject({
		message: 'The execution was stopped or reached its time limit',
		description: expect.stringContaining('Run the workflow again'),
	});
	const second = await engine.run({ items: toEach(5), options, execution: first.execution });

	expect(second.output.map(({ json }) => json.outcome)).toEqual([
		...Array<string>(2).fill('already_sent'),
		...Array<string>(3).fill('queued'),
	]);
	expect(await engine.accepted()).toHaveLength(5);
});
