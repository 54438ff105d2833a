import { CONTINUES, person, toEach, useEngine } from '../../support/engine/engine';

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
		[8, 15, 15].map((seconds) => `Waiting ${seconds} s for the service's queue to get shorter`),
	);
});

test('a queue that does not get shorter fails the items, and another run sends them', async () => {
	await engine.service.control.holdQueue();
	await engine.run({ items: toEach(5) });
	const options = { items: toEach(2, 'Later'), node: CONTINUES, options: { pauseWhenQueueAbove: 4 } };

	const { output, clock, execution } = await engine.run(options);

	expect(output).toEqual(
		[0, 1].map((item) => ({
			json: {
				error: "The service's queue did not get shorter for 5 minutes",
				code: 'queue_too_long',
				httpStatus: null,
				description: expect.stringMatching(
					/^The message was not sent because 5 others are waiting\. .*'Pause When Queue Above'/,
				) as string,
				to: person(item),
				outcome: 'not_sent',
			},
			pairedItem: { item },
		})),
	);
	expect(clock.skippedMs).toBeGreaterThan(285_000);
	expect(clock.skippedMs).toBeLessThanOrEqual(300_000);
	expect(await engine.accepted()).toHaveLength(5);

	await engine.service.control.releaseQueue();
	await engine.service.control.idle();
	const second = await engine.run({ ...options, execution });
	expect(second.output.map(({ json }) => json.queued)).toEqual([true, true]);
	expect(await engine.accepted()).toHaveLength(7);
});

describe('contacts who are skipped', () => {
	const options = { skipTags: ['unsubscribed'], pauseWhenQueueAbove: 4 };
	const optOut = async (count: number) =>
		await engine.service.control.seed({
			tags: [{ name: 'unsubscribed' }],
			contacts: toEach(count).map(({ to }) => ({ phone: to, tags: ['unsubscribed'] })),
		});

	test('do not fail because the queue is long', async () => {
		await optOut(1);
		await engine.service.control.holdQueue();
		await engine.run({ items: toEach(6).slice(1) });

		const { output } = await engine.run({ items: toEach(1), options, node: CONTINUES });

		expect(output[0]?.json).toMatchObject({ skipped: true, to: person(0) });
	});
});
