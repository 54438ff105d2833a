import { createBackpressure } from '../../../nodes/MessagingChannel/api/backpressure';
import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { virtualClock } from '../../engine/clock';

/** A queue with these numbers of waiting messages, one look after the other; the last one stays. */
function queueOf(...waiting: unknown[]) {
	const clock = virtualClock();
	let looks = 0;
	const client: Client = {
		call: async ({ call }) => {
			expect(call.path).toBe('/messages/queue');
			if (looks > 20) throw new Error('It looks on and on.');
			const data = { waiting: waiting[Math.min(looks++, waiting.length - 1)] };
			return await Promise.resolve({ success: true, data });
		},
		download: async () => await Promise.reject(new Error('Not for queues.')),
	};
	return { clock, looks: () => looks, holdBack: createBackpressure(client, clock) };
}

afterEach(() => jest.restoreAllMocks());

test('0 never looks', async () => {
	const { holdBack, looks } = queueOf(1000);
	await holdBack(0);
	expect(looks()).toBe(0);
});

test('it waits until the queue is not longer than allowed, with growing pauses up to 15 s', async () => {
	const { holdBack, looks, clock } = queueOf(9, 9, 9, 9, 9, 6, 5);
	await holdBack(5);
	expect(looks()).toBe(7);
	expect(Math.round(clock.skippedMs / 1000)).toBe(2 + 4 + 8 + 15 + 15 + 15);
});

test('all that wait share one look', async () => {
	const { holdBack, looks } = queueOf(9, 0);
	await Promise.all(Array.from({ length: 50 }, async () => await holdBack(5)));
	expect(looks()).toBe(2);
});

test('a look holds good for a second', async () => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9));
	const { holdBack, looks, clock } = queueOf(0);
	await holdBack(5);
	await holdBack(5);
	await clock.sleep(999);
	await holdBack(5);
	expect(looks()).toBe(1);
	await clock.sleep(1);
	await holdBack(5);
	expect(looks()).toBe(2);
});

test.each([[undefined], [null], ['many']])(
	'a queue that does not tell (%j) holds nobody back',
	async (waiting) => {
		const { holdBack, looks } = queueOf(waiting, waiting, 0);
		await holdBack(5);
		expect(looks()).toBeLessThanOrEqual(3);
	},
);

test('an answer without a queue holds nobody back', async () => {
	const call = async () => await Promise.resolve({ success: true, data: null });
	const holdBack = createBackpressure({ call, download: call as never }, virtualClock());
	await expect(holdBack(5)).resolves.toBeUndefined();
});

test('a failed look fails those that wait, and the next looks again', async () => {
	const { clock } = queueOf();
	let looks = 0;
	const call = async () =>
		looks++ === 0
			? await Promise.reject(new Error('broken'))
			: await Promise.resolve({ data: { waiting: 0 } });
	const holdBack = createBackpressure({ call, download: call as never }, clock);
	const both = await Promise.allSettled([holdBack(5), holdBack(5)]);
	expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	await expect(holdBack(5)).resolves.toBeUndefined();
});
