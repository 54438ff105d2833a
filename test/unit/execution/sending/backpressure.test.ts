import type { IDataObject } from 'n8n-workflow';

import { createBackpressure } from '../../../../nodes/MessagingChannel/execution/sending/backpressure';
import type { ApiRequest, RequestLimits } from '../../../../nodes/MessagingChannel/api/apiRequest';
import { virtualClock } from '../../../support/engine/clock';
import { serviceWithQueue } from './queue';

const LIMITS: RequestLimits = { maxAttempts: 4, maxRateLimitWait: 300 };

/** A queue with these numbers of waiting messages, one look after the other; the last one stays. */
function queueOf(...waiting: unknown[]) {
	const { client, clock, looks } = serviceWithQueue(
		waiting.map((each) => ({ waiting: each }) as IDataObject),
	);
	return { clock, looks, holdBack: createBackpressure(client, clock) };
}

afterEach(() => jest.restoreAllMocks());

test('all waiters share one poll', async () => {
	const { holdBack, looks } = queueOf(90, 0);
	await Promise.all(Array.from({ length: 50 }, async () => await holdBack(50, LIMITS)));
	expect(looks()).toBe(2);
});

test('a poll is valid for a second', async () => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9));
	const { holdBack, looks, clock } = queueOf(0);
	await holdBack(5, LIMITS);
	await holdBack(5, LIMITS);
	await clock.sleep(999);
	await holdBack(5, LIMITS);
	expect(looks()).toBe(1);
	await clock.sleep(1);
	await holdBack(5, LIMITS);
	expect(looks()).toBe(2);
});

test('a length as text is read', async () => {
	const { holdBack, looks } = queueOf('9', '5');
	await holdBack(5, LIMITS);
	expect(looks()).toBe(2);
});

test.each([
	[undefined, 'nothing'],
	[null, 'null'],
	['many', "a text like 'aaaa'"],
	[-1, 'a number like -9'],
])('a queue whose length is %j sends nothing, and says why', async (waiting, kind) => {
	const { holdBack } = queueOf(waiting);
	await expect(holdBack(5, LIMITS)).rejects.toMatchObject({
		message: `The service sends 'waiting' in a form that is not understood: ${kind}`,
		description: expect.stringMatching(
			/^The message was not sent, because .* Without the option 'Pause When Queue Above', messages are sent/,
		),
	});
});

test('an answer without a queue sends nothing either', async () => {
	const call = async () => await Promise.resolve({ success: true, data: null });
	const holdBack = createBackpressure({ call, download: call as never }, virtualClock());
	await expect(holdBack(5, LIMITS)).rejects.toMatchObject({ code: 'unexpected_answer' });
});

test('a failed poll fails its waiters alone, and the next one polls again', async () => {
	let looks = 0;
	const call = async ({ limits }: ApiRequest) =>
		looks++ === 0 && limits?.maxRateLimitWait === 0
			? await Promise.reject(new Error('too late'))
			: await Promise.resolve({ data: { waiting: 0 } });
	const holdBack = createBackpressure({ call, download: call as never }, virtualClock());
	const impatient = { ...LIMITS, maxRateLimitWait: 0 };
	const both = [holdBack(5, impatient), holdBack(5, impatient), holdBack(5, LIMITS)];
	expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
		'rejected',
		'rejected',
		'fulfilled',
	]);
	await expect(holdBack(5, impatient)).resolves.toBeUndefined();
});

test('a shrinking queue may take its time, any other fails after 5 minutes', async () => {
	const shrinking = Array.from({ length: 30 }, (_, count) => 50 - count);
	const { holdBack, clock } = queueOf(...shrinking.flatMap((waiting) => Array<number>(15).fill(waiting)));
	await expect(holdBack(5, LIMITS)).rejects.toMatchObject({
		description: expect.stringContaining('21 others are waiting') as string,
	});
	expect(clock.skippedMs).toBeGreaterThan(29 * 15 * 13_000);
});

test.each([
	['only gets longer', (look: number) => 20 + look],
	['goes up and down', (look: number) => 20 + (look % 2)],
])('a queue that %s fails after 5 minutes', async (_, lengthAt) => {
	const { holdBack, clock } = queueOf(...Array.from({ length: 200 }, (__, look) => lengthAt(look)));
	await expect(holdBack(10, LIMITS)).rejects.toMatchObject({ code: 'queue_too_long' });
	expect(clock.skippedMs).toBe(5 * 60_000);
});

test('what is let through counts until the next poll', async () => {
	const { holdBack, looks } = queueOf(4, 6, 5, 0);
	let passed = 0;
	const passedAt: number[] = [];
	const send = async () => {
		await holdBack(5, LIMITS);
		passedAt[passed++] = looks();
	};
	await Promise.all(Array.from({ length: 5 }, send));
	expect(passedAt).toEqual([1, 1, 3, 4, 4]);
});

test('a send that others overtake waits while the queue lets them through', async () => {
	const { holdBack, clock } = queueOf(...Array<number>(100).fill(5));
	const waiting = Array.from({ length: 200 }, async () => await holdBack(5, LIMITS));
	await Promise.all(waiting.slice(0, 180));
	expect(clock.skippedMs).toBe(179 * 2000);
	await Promise.all(waiting);
});

test('each waits for its own length', async () => {
	const { holdBack, looks } = queueOf(9, 7, 3);
	const looksOf = async (longestQueue: number) => {
		await holdBack(longestQueue, LIMITS);
		return looks();
	};
	expect(await Promise.all([looksOf(5), looksOf(8), looksOf(10)])).toEqual([3, 2, 1]);
});

test.each([-2, 2])(
	'with the clock set by %d hours, a queue that stalls fails in 5 minutes',
	async (hours) => {
		const { holdBack, clock } = queueOf(9);
		const waiting = holdBack(5, LIMITS);
		await clock.sleep(1000);
		const { now } = clock;
		clock.now = () => now() + hours * 60 * 60 * 1000;
		await expect(waiting).rejects.toMatchObject({ code: 'queue_too_long' });
		expect(clock.skippedMs).toBeGreaterThanOrEqual(300_000);
		expect(clock.skippedMs).toBeLessThanOrEqual(310_000);
	},
);
