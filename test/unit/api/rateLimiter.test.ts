import { createRateLimiter } from '../../../nodes/MessagingChannel/api/rateLimiter';

import {
	FOREVER,
	NOW,
	headers,
	dated,
	start,
	go,
	admittedAtOnce,
	ask,
	queue,
	served,
	told,
	answered,
	refused,
	sleep,
	waited,
	announced,
	spare,
	safe,
	type Case,
	play,
	reserved,
} from './limiterSteps';

// Time passes only while the limiter waits.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

test.each<Case>([
	['before the first answer few go', ask(30, 10)],
	['as many go as are left, and those in flight count', go(2), told(8), ask(10, 7)],
	['when none is left, the next waits for the reset', go(), told(0), go(), announced(60), waited(60_000)],
	['a lost answer tells nothing', go(), answered(), ask(100, 10)],
	['a service without rate windows is not held back', go(), answered({ date: '' }), ask(100, 100)],
	[
		'an answer of a proxy does not tell that a service has none',
		...[go(), told(9), sleep(61_000), go(), answered({ date: '' }), ask(100, 10)],
	],
	// The service may have counted it or not: one place fewer is the careful answer.
	['a request without an answer gives no place back', go(2), told(2, 60, 4), answered(), ask(10, 1)],
	['an answer that takes long holds nobody else up', ask(4, 4), told(2, 60, 5), go(), waited(1000)],
	[
		'the last place of a window that is ours alone is not given up',
		ask(9, 9),
		told([8, 7, 6, 5, 4, 3, 2, 1]),
		go(),
		waited(1000),
	],
])('%s', play);

test('after the reset a whole window is there', async () => {
	const { limiter } = start();
	await limiter.admit(FOREVER);
	limiter.settle(headers(9));
	expect(await admittedAtOnce({ limiter }, 9)).toBe(9);
	for (let remaining = 8; remaining >= 0; remaining--) limiter.settle(headers(remaining));
	let admitted = 0;
	for (let count = 0; count < 30; count++) void limiter.admit(FOREVER).then(() => admitted++);
	while (admitted === 0) await new Promise(setImmediate);
	expect(admitted).toBe(10);
});

describe('of answers that contradict each other', () => {
	test.each<Case>([
		['about one window, the lower count is the later one', go(2), told([3, 4], 60, 5), ask(10, 3)],
		['it holds while another request is in flight', ask(3, 3), told([2, 3], 60, 5), ask(10, 1)],
		// One was in flight when the service counted 8.
		['a late one about an earlier window does not count', go(2), told(8), told(1, 1), ask(10, 7)],
		['that one counts when nothing is left', ask(2, 2), told(7, 120), told(0, 1), go(), waited(1000)],
		[
			'one with a higher limit of before changes nothing',
			go(3),
			refused(4000, 0, 60, 2),
			told(99, 60, 100),
			ask(30, 0),
		],
		['an earlier end counts', ask(2, 2), told(999, 3600, 1000), told(2, 5, 3), ask(10, 2)],
		['also of an empty window', ask(4, 4), told(999, 3600, 1000), told([2, 1, 0], 5, 3), ask(10, 0)],
		['and is waited for', go(2), told(7, 120), told(0, 60), go(), waited(60_000)],
		// Two of five were ours, so four of ten are: two more.
		['those of the last second before a reset count', ask(2, 2), told([9, 5], 1), ask(10, 2)],
		['one about the next window ends the last', ask(6, 6), told([9, 8, 7, 6, 5]), told(9, 120), ask(20, 9)],
	])('%s', play);
});

describe('an account that others call too', () => {
	test.each<Case>([
		// Two of eight were ours, so a quarter of the window is: three more.
		['is left to them by the share that they take', ask(2, 2), told([12, 12], 60, 20), ask(100, 3)],
		// Four of ten were ours, and one of the next four is in flight.
		['also when the next window begins', ask(4, 4), told([6, 4, 2, 0]), go(), ask(10, 3)],
		[
			'is not flooded when an answer about the last window comes late',
			ask(4, 4),
			told([6, 4, 0]),
			go(),
			told(0, -1),
			waited(60_000),
			ask(100, 3),
		],
		[
			'counts no refused request as our share of a window',
			ask(4, 4),
			told([5, 4]),
			refused(1000, 0),
			refused(1000, 0),
			sleep(60_000),
			ask(10, 2),
		],
		[
			'is taken again when the others leave it',
			ask(2, 2),
			told([14, 12], 60, 20),
			sleep(60_000),
			ask(5, 5),
			told([19, 18, 17, 16, 15], 120, 20),
			sleep(60_000),
			ask(10, 10),
		],
		['at once when nobody else has called for a second', ...reserved, go(), told(8, 60, 20), ask(20, 8)],
		// One of seventeen was ours, and so is one of twenty.
		['is tried once a second while there is room', go(), told(3, 60, 20), go(), waited(1000)],
		['has its last tenth left to them', go(), told(2, 60, 20), go(), waited(60_000)],
		[
			'is not ours alone because of a probe while another request was in flight',
			ask(3, 3),
			told([14, 12], 60, 20),
			ask(4, 4),
			told([11, 10, 9, 8], 60, 20),
			go(),
			waited(1000),
			told(7, 60, 20),
			ask(20, 0),
		],
		[
			'is no more ours because of a window from which nothing was taken',
			ask(2, 2),
			told([14, 12], 60, 20),
			sleep(60_000),
			go(),
			told(20, 120, 20),
			sleep(60_000),
			ask(20, 5),
		],
		['counts lost requests of ours as ours', ask(3, 3), told(9), answered(), told(7), ask(10, 7)],
		['is not burst into before the answers tell of the others', go(), told(99, 60, 100), ask(100, 11)],
	])('%s', play);

	test('keeps nobody waiting for their share for longer than that one wants to', async () => {
		const started = start();
		for (const step of reserved) await step(started);
		const waiting = [FOREVER, 0, FOREVER, 1500].map(async (ms) => {
			await started.limiter.admit(ms);
			return started.clock.skippedMs;
		});

		// Each second one finds out how much is left; whoever wants to wait no longer is given up after the first.
		const isGivenUp = { reason: { code: 'rate_limit_exceeded' } };
		const outcomes = [{ value: 1000 }, isGivenUp, { value: 2000 }, isGivenUp];
		expect(await Promise.allSettled(waiting)).toMatchObject(outcomes);
	});

	test('is shared by the executions of one process, which know of each other', async () => {
		const { clock, account, limiter } = start();
		expect(await admittedAtOnce({ limiter }, 6)).toBe(6);
		expect(await admittedAtOnce({ limiter: createRateLimiter(clock, () => {}, account) }, 20)).toBe(4);
	});
});

describe('the clock of the service', () => {
	test('decides when a window resets, how much room there is, and how many are safe', async () => {
		const { clock, limiter, account } = start();
		await limiter.admit(FOREVER);
		limiter.settle(dated(headers(0, 30), clock.now() - 30_000));
		expect(account.clockOffsetMs).toBe(-30_000);
		await expect(limiter.admit(59_999)).rejects.toThrow('which resets at 2030-01-31T09:01:00.000Z');
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(60_000);
	});

	test.each<Case>([
		[
			'decides about room for tasks that can wait',
			go(),
			answered(dated(headers(4), NOW + 30_000)),
			spare(false, 25_000),
			spare(true, 35_000),
		],
		[
			'decides how many are safe',
			go(),
			answered(dated(headers(79, 60, 80), NOW + 30_000)),
			safe(9, 25_000),
			safe(0, 35_000),
		],
		[
			'does not move the end of a pause',
			ask(2, 2),
			answered(dated({}, NOW - 30_000), 4000),
			told(9),
			go(),
			announced(4),
			waited(4000),
		],
	])('%s', play);

	test('is known from the first response that tells the time, also an error of a gateway', () => {
		const { limiter, account } = start();
		const isKnownAfter = (given?: object) => {
			limiter.settle(given as Record<string, unknown>, undefined, undefined, true);
			return account.isClockKnown;
		};
		expect(account.isClockKnown).toBe(false);
		expect([undefined, {}, { date: 'soon' }].map(isKnownAfter)).toEqual([false, false, false]);
		expect([dated({}, NOW), {}].map(isKnownAfter)).toEqual([true, true]);
	});

	test('is not corrected by an answer that was long in flight', async () => {
		const { clock, limiter, account } = start();
		await limiter.admit(FOREVER);
		limiter.settle(dated(headers(9), clock.now() - 20_000), undefined, clock.elapsed() - 21_000);
		expect(account.clockOffsetMs).toBe(0);
	});
});

test.each([
	...['many', '', '0', '-1', '1.5', '1e1', '10, 10', ' ', ['10']].map((limit) => ['limit', limit] as const),
	...['none', '', ' ', '-1', ['0']].map((remaining) => ['remaining', remaining] as const),
	['reset', [String(NOW / 1000 + 60)]] as const,
])('with the %s %j, the headers tell nothing', async (name, value) => {
	await play('', go(), answered({ ...headers(0), [`x-ratelimit-${name}`]: value }), ask(30, 10));
});

test.each([String(NOW + 50_000), '2030-01-31T09:00:50.000Z', '2030-01-31 09:00:50'])(
	'a reset in the form %s is read',
	async (reset) =>
		await play('', go(), answered({ ...headers(0), 'x-ratelimit-reset': reset }), go(), waited(50_000)),
);

describe('a task that can wait', () => {
	test.each<Case>([
		['has room while nothing is known', spare(true)],
		[
			'has room while at least half of the window is left, requests in flight included',
			...[go(), told(6), spare(true), go(), spare(true), go(), spare(false)],
			...[told([5, 4]), spare(false), spare(true, 61_000)],
		],
		['has none while others wait', go(), told(0), queue(1), spare(false, 61_000), served, spare(true)],
	])('%s', play);
});

test('one request in flight for each eight that are left is safe, and none while nothing is known', async () =>
	await play(
		'',
		...[safe(0), go(), told(79, 60, 80), safe(9), safe(9, 59_999), safe(0, 60_000)],
		...[go(), refused(1000, 80, 60, 80), safe(0)],
	));

test('none is safe after two refusals, of which only the first one tells the limit', async () =>
	await play('', go(), refused(1000, 0), go(), refused(1000), safe(0)));
