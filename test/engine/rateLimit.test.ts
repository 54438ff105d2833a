import { CONTINUES, toEach, useEngine } from '../support/engine/engine';

const engine = useEngine();

const statuses = async (operationId = 'message.send') =>
	(await engine.requests(operationId)).map(({ status }) => status);

const refused = async () => (await statuses()).filter((status) => status === 429).length;

const allow = async (limit: number, windowSeconds: number) =>
	await engine.service.control.setRateLimit({ limit, windowSeconds });

describe('a window that is known', () => {
	test('is used up and then waited for, so that the service refuses nothing', async () => {
		await allow(30, 10);

		const { output, clock } = await engine.run({ items: toEach(100), node: CONTINUES });

		expect(await refused()).toBe(0);
		expect(output.filter(({ json }) => json.queued)).toHaveLength(100);
		expect(clock.waits).toHaveLength(3);
		expect(clock.passedMs).toBeGreaterThan(29_000);
		expect(clock.skippedMs).toBeLessThanOrEqual(32_000);
	});
});

describe('a wait', () => {
	test('that is longer than Max Rate Limit Wait (Seconds) fails the item and says until when', async () => {
		await allow(2, 60);

		const { output, clock } = await engine.run({
			items: toEach(4),
			node: CONTINUES,
			options: { maxRateLimitWait: 20, maxConcurrency: 1 },
		});

		expect(output.map(({ json }) => json.code)).toEqual([
			undefined,
			undefined,
			'rate_limit_exceeded',
			'rate_limit_exceeded',
		]);
		const [, until = ''] = /resets at (\S+Z)$/.exec(String(output[3]?.json.error)) ?? [];
		expect(Date.parse(until) - clock.now()).toBeGreaterThan(50_000);
		expect(Date.parse(until) - clock.now()).toBeLessThanOrEqual(61_000);
		expect(output[3]?.json).toMatchObject({
			httpStatus: 429,
			description: expect.stringContaining("'Max Rate Limit Wait (Seconds)'"),
		});
		expect(clock.waits).toEqual([]);
		expect(await statuses()).toHaveLength(2);
	});

	test('of more than 5 s is logged, once for all waiters', async () => {
		await allow(1, 30);

		const { log } = await engine.run({ items: toEach(2) });

		expect(log).toEqual([expect.stringMatching(/^Waiting (30|31) s for the rate limit to reset$/)]);
	});
});

test.each<[string, (resetAt: number, now: number) => string]>([
	['seconds from now', (resetAt, now) => String(Math.ceil((resetAt - now) / 1000))],
	['a date of JavaScript', (resetAt) => String(new Date(resetAt))],
])('a window whose reset is told as %s is used up and waited for', async (_, told) => {
	await allow(30, 20);

	const { output, clock } = await engine.run({
		items: toEach(100),
		node: CONTINUES,
		transport: async (__, send) => {
			const { headers, ...answer } = await send();
			const reset = told(Number(headers['x-ratelimit-reset']) * 1000, engine.now());
			return { ...answer, headers: { ...headers, 'x-ratelimit-reset': reset } };
		},
	});

	expect(output.filter(({ json }) => json.queued)).toHaveLength(100);
	expect(await refused()).toBe(0);
	expect(clock.skippedMs).toBeLessThanOrEqual(64_000);
});

test.each(['seconds', 'date'] as const)(
	'a Retry-After is all that a service tells of its limit (%s), and every item is sent',
	async (retryAfter) => {
		await engine.service.control.configure({ rateLimitHeaders: false, retryAfter });
		await allow(10, 30);

		const { output, clock } = await engine.run({ items: toEach(30), node: CONTINUES });

		expect(output.filter(({ json }) => json.queued)).toHaveLength(30);
		expect(clock.waits).toHaveLength(2);
		expect(clock.skippedMs).toBeLessThanOrEqual(62_000);
	},
);
