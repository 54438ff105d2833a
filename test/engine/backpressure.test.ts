import { toEach, useEngine } from './engine';

const engine = useEngine();

test('sends are held back while more messages wait than allowed, and then go on', async () => {
	await engine.service.control.holdQueue();
	await engine.run({ items: toEach(5) });
	let looks = 0;

	const { output, clock, log } = await engine.run({
		items: toEach(3, 'Later'),
		options: { pauseWhenQueueAbove: 4 },
		transport: async ({ url }, send) => {
			if (url.endsWith('/queue') && ++looks === 6) {
				await engine.service.control.releaseQueue();
				await engine.service.control.idle();
			}
			const acceptedSoFar = await engine.accepted();
			if (looks < 6) expect(acceptedSoFar).toHaveLength(5);
			return await send();
		},
	});

	expect(output).toHaveLength(3);
	expect(clock.waits).toEqual([2000, 4000, 8000, 15_000, 15_000]);
	expect(await engine.requests('message.getQueue')).toHaveLength(6);
	expect(log).toEqual(
		[8, 15, 15].map((seconds) => `Waiting ${seconds} s for the queue of the service to shrink`),
	);
});

test('the queue is looked at by one for all', async () => {
	await engine.run({ items: toEach(100), options: { pauseWhenQueueAbove: 1000 } });

	expect(await engine.accepted()).toHaveLength(100);
	const looks = (await engine.requests('message.getQueue')).length;
	expect(looks).toBeGreaterThan(0);
	expect(looks).toBeLessThanOrEqual(5);
});

test('the queue is not looked at unless asked for', async () => {
	await engine.run({ items: toEach(10) });

	expect(await engine.requests('message.getQueue')).toEqual([]);
});

test('a queue that cannot be looked at fails the item, and nothing is sent', async () => {
	await engine.service.control.addFault({
		kind: 'status',
		status: 403,
		operationId: 'message.getQueue',
		times: 'always',
	});

	const { error } = await engine.run({ items: toEach(1), options: { pauseWhenQueueAbove: 1 } });

	expect(error?.message).toBe("The API key lacks the permission 'messages:read'");
	expect(await engine.requests('message.send')).toEqual([]);
});
