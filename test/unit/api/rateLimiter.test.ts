import {
	createRateLimiter,
	hasSpareRoom,
	newAccountState,
	safeConcurrency,
} from '../../../nodes/MessagingChannel/api/rateLimiter';
import { createRateWindow } from '../../../nodes/MessagingChannel/api/rateWindow';
import { virtualClock } from '../../support/engine/clock';

const FOREVER = 3_600_000;
const NOW = Date.UTC(2030, 0, 31, 9);

// Time passes only while the limiter waits.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

/** The headers of a window that ends so many seconds from now. */
const headers = (remaining: number | string, resetInSeconds = 60, limit: number | string = 10) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
	'x-ratelimit-reset': String(NOW / 1000 + resetInSeconds),
});

const dated = (given: object, clockMs: number) => ({ ...given, date: new Date(clockMs).toUTCString() });

function start() {
	const clock = virtualClock();
	const account = newAccountState();
	const waits: number[] = [];
	const limiter = createRateLimiter(clock, (ms) => waits.push(Math.round(ms / 1000)), account);
	return { clock, account, waits, limiter, queued: [] as Array<Promise<void>> };
}

type Started = ReturnType<typeof start>;
type Step = (started: Started) => unknown;

const settled = async () => {
	for (let round = 0; round < 100; round++) await Promise.resolve();
};

/** Requests go one after the other, each when it may. */
const go =
	(count = 1): Step =>
	async ({ limiter }) => {
		for (let request = 0; request < count; request++) await limiter.admit(FOREVER);
	};

async function admittedAtOnce({ limiter }: Pick<Started, 'limiter'>, asking: number): Promise<number> {
	let admitted = 0;
	for (let count = 0; count < asking; count++) {
		limiter.admit(FOREVER).then(
			() => admitted++,
			() => {},
		);
	}
	for (let round = 0; round < asking * 10; round++) await Promise.resolve();
	return admitted;
}

/** So many requests ask at once, and so many of them go without a wait. */
const ask =
	(asking: number, admitted: number): Step =>
	async (started) =>
		expect(await admittedAtOnce(started, asking)).toBe(admitted);

/** Requests that wait in the queue until `served`. */
const queue =
	(count: number): Step =>
	async ({ limiter, queued }) => {
		for (let request = 0; request < count; request++) queued.push(limiter.admit(FOREVER));
		await settled();
	};
const served: Step = async ({ queued }) => await Promise.all(queued);

/** A request goes that may wait for so long. */
const within =
	(ms: number): Step =>
	async ({ limiter }) =>
		await limiter.admit(ms);
const givesUp =
	(ms: number): Step =>
	async ({ limiter }) =>
		await expect(limiter.admit(ms)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });

/** Responses come that tell how many requests are left. */
const told =
	(remaining: number | number[], resetInSeconds = 60, limit = 10): Step =>
	({ limiter }) => {
		for (const left of [remaining].flat()) limiter.settle(headers(left, resetInSeconds, limit));
	};

/** A response with these headers; none when it was lost. */
const answered =
	(given?: Record<string, unknown>, retryAfterMs?: number): Step =>
	({ limiter }) =>
		limiter.settle(given, retryAfterMs);

/** A refusal (429), with the headers of the window unless it has none. */
const refused = (ms: number, ...window: Parameters<typeof headers> | []): Step =>
	answered(window.length > 0 ? headers(...(window as Parameters<typeof headers>)) : {}, ms);

const sleep =
	(ms: number): Step =>
	async ({ clock }) =>
		await clock.sleep(ms);
const setBack: Step = ({ clock }) => {
	const { now } = clock;
	clock.now = () => now() - 2 * FOREVER;
};

const waited =
	(ms: number): Step =>
	({ clock }) =>
		expect(clock.skippedMs).toBe(ms);
const announced =
	(...seconds: number[]): Step =>
	({ waits }) =>
		expect(waits).toEqual(seconds);
const spare =
	(expected: boolean, laterMs = 0): Step =>
	({ account, clock }) =>
		expect(hasSpareRoom(account, clock.now() + laterMs)).toBe(expected);
const safe =
	(expected: number, laterMs = 0): Step =>
	({ account, clock }) =>
		expect(safeConcurrency(account, clock.now() + laterMs)).toBe(expected);

type Case = [what: string, ...steps: Step[]];

const play = async (_: string, ...steps: Step[]) => {
	const started = start();
	for (const step of steps) await step(started);
};

/** An account with room that is left to others: the first that waits asks for its own at once a second. */
const reserved = [ask(2, 2), told([14, 12], 60, 20), ask(3, 3), told([11, 10, 9], 60, 20)];

test.each<Case>([
	['before the first answer few go', ask(30, 10)],
	['as many go as are left, and those in flight count', go(2), told(8), ask(10, 7)],
	['when none is left, the next waits for the reset', go(), told(0), go(), announced(60), waited(60_000)],
	['a lost answer tells nothing', go(), answered(), ask(100, 10)],
	['a service without rate windows is not held back', go(), answered({ date: '' }), ask(100, 100)],
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

describe('when our clock is set back by hours', () => {
	test.each<Case>([
		['a used-up window does not fail every request until then', go(), told(0), setBack, within(10_000)],
		['background tasks go on', go(), told(2), spare(false), setBack, spare(true)],
		[
			'ten seconds count as set back, and less does not',
			go(),
			told(2),
			spare(false, -9_999),
			spare(true, -10_000),
		],
		[
			'a pause after a 429 lets a request through to find out',
			go(),
			told(2),
			go(),
			refused(30_000),
			setBack,
			within(10_000),
		],
		[
			'a pause after a 429 holds up neither the requests after that nor background tasks',
			go(),
			told(9),
			go(),
			refused(30_000),
			setBack,
			within(10_000),
			told(8),
			spare(true),
			within(10_000),
		],
	])('%s', play);

	test('who waits already waits no longer', async () => {
		const started = start();
		for (const step of [go(), told(0), queue(1), setBack, served]) await step(started);
		expect(started.clock.skippedMs).toBeLessThanOrEqual(60_000);
	});
});

describe('while requests are in flight and the window has no place left for more', () => {
	const crowded = [ask(3, 3), told(2, 60, 5), queue(1)];

	test.each<Case>([
		['an answer that leaves one lets the next in at once', ...crowded, told(2, 60, 5), served, waited(0)],
		['one wait is announced once', ask(2, 2), told(0), queue(1), told(0), served, announced(60)],
	])('%s', play);

	test('an answer that leaves none lets nobody in', async () => {
		const started = start();
		let admitted = 0;
		for (const step of crowded) await step(started);
		void started.queued[0]?.then(() => admitted++);
		await told(1, 60, 5)(started);
		await settled();
		expect([admitted, started.clock.skippedMs]).toEqual([0, 0]);
	});

	test('the reset is not slept through', async () => {
		jest.spyOn(Date, 'now').mockReturnValue(NOW + 600);
		const started = start();
		for (const step of [ask(3, 3), told(2, 1, 5), go(), waited(400)]) await step(started);
	});

	test('cancelling ends the wait', async () => {
		const clock = virtualClock();
		const execution = new AbortController();
		const sleepUntil = async (ms: number, over?: AbortSignal) =>
			await clock.sleep(ms, AbortSignal.any([execution.signal, ...(over ? [over] : [])]));
		const limiter = createRateLimiter({ ...clock, sleep: sleepUntil });
		expect(await admittedAtOnce({ limiter }, 10)).toBe(10);
		const waiting = limiter.admit(FOREVER);
		await settled();
		const reason = new Error('The execution was stopped');
		execution.abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});
});

describe('a wait that is too long', () => {
	test.each<Case>([
		['is not begun', go(), told(0), givesUp(10_000), announced()],
		[
			'is found out anew when the service has not been heard of for a while',
			go(),
			told(0, 3600),
			sleep(9_000),
			givesUp(10_000),
			sleep(1_000),
			within(10_000),
			givesUp(10_000),
		],
		['is none when it is as long as it may be', go(), told(0), within(60_000), waited(60_000)],
		['is none while the answers in flight alone hold up', ask(10, 10), within(0), within(0), waited(2000)],
		['is none before an answer can have come', ...reserved, within(0), waited(1000)],
		[
			'is given up when its time is over, though nothing wakes it',
			...reserved,
			queue(10),
			givesUp(5000),
			waited(5000),
		],
	])('%s', play);

	test('says until when, and does not keep others from waiting', async () => {
		const { limiter } = start();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0));
		const [hasty, patient] = await Promise.allSettled([limiter.admit(10_000), limiter.admit(FOREVER)]);
		expect(hasty).toMatchObject({
			reason: { message: expect.stringContaining('resets at 2030-01-31T09:01') as string },
		});
		expect(patient.status).toBe('fulfilled');
	});

	test('is given up when those in flight may take all that is left', async () => {
		const started = start();
		const { clock, limiter } = started;
		for (const step of [ask(3, 3), told(2, 60, 5)]) await step(started);
		void limiter.admit(FOREVER);
		await clock.sleep(500);
		const refusal = givesUp(0)(started);
		await clock.sleep(1100);
		limiter.settle(headers(2, 60, 5));
		await refusal;
	});

	test('is told at once when an answer shows it', async () => {
		const started = start();
		const { clock, limiter } = started;
		const refusedAt: number[] = [];
		await ask(10, 10)(started);
		const patient = limiter.admit(FOREVER);
		limiter.admit(5000).catch(() => refusedAt.push(clock.skippedMs));
		await settled();
		limiter.settle(headers(0));
		await patient;
		expect(refusedAt).toEqual([0]);
	});

	test('is found out for all by the first of several executions that it would fail', async () => {
		const { clock, limiter, account } = start();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 3600, 1));
		const other = createRateLimiter(clock, () => {}, account);
		const patient = limiter.admit(FOREVER).then(() => clock.skippedMs);
		const findOut = async () => {
			await clock.sleep(10_000);
			await other.admit(5000);
			await expect(other.admit(5000)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
		};
		await findOut();
		other.settle(headers(0, 3600, 1), 1000);
		await findOut();
		other.settle(headers(5));
		// The service has changed its mind, and everybody hears of it.
		expect(await patient).toBe(20_000);
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

	test('is known from the first response that tells the time', () => {
		const { limiter, account } = start();
		const isKnownAfter = (given?: object) => {
			limiter.settle(given as Record<string, unknown>);
			return account.isClockKnown;
		};
		expect(account.isClockKnown).toBe(false);
		expect([undefined, {}, { date: 'soon' }].map(isKnownAfter)).toEqual([false, false, false]);
		expect([dated({}, NOW), {}].map(isKnownAfter)).toEqual([true, true]);
	});

	test('is not corrected by an answer that was long in flight', async () => {
		const { clock, limiter, account } = start();
		await limiter.admit(FOREVER);
		limiter.settle(dated(headers(9), clock.now() - 20_000), undefined, clock.now() - 21_000);
		expect(account.clockOffsetMs).toBe(0);
	});
});

describe('a refusal', () => {
	test.each<Case>([
		['empties the window, whatever its headers count', go(), refused(1000, 9), go(), waited(60_000)],
		['whose reset is missing pauses for the given time', go(), refused(4000), go(), announced(4)],
		...[-1, 0, 32 * 86_400 + 1, Date.UTC(2030, 0, 31, 10) * 1000].map((reset): Case => [
			`as one whose reset is in ${reset} s`,
			go(),
			refused(4000, 0, reset),
			go(),
			announced(4),
		]),
		['whose reset is a day away is believed', go(), refused(4000, 0, 86_400), givesUp(FOREVER)],
		['and a month', go(), refused(4000, 0, 32 * 86_400), givesUp(FOREVER)],
		[
			'without headers leaves what is known of the window',
			go(),
			told(5, 60, 6),
			go(),
			refused(4000),
			go(),
			waited(4000),
			ask(30, 5),
		],
		['of the first request leaves the window unknown', go(), refused(4000), go(), ask(30, 9)],
		[
			'by a window that others used up lets one find out',
			go(),
			refused(1000, 0),
			go(),
			waited(60_000),
			ask(10, 0),
		],
		['by a window of which nothing was taken is not ours', go(), refused(1000, 10), go(), ask(30, 9)],
		[
			'is heeded although the answer to an earlier request shows room, and another nothing',
			ask(3, 3),
			refused(4000),
			told(9),
			answered({}),
			go(),
			waited(4000),
		],
		['that comes late is heard', ask(2, 2), told(7, 120), refused(1000, 3, 1), go(), waited(1000)],
		[
			'does not shorten the wait for an empty window',
			go(2),
			told(0),
			answered(undefined, 1000),
			go(),
			waited(60_000),
		],
	])('%s', play);

	test('without a reset empties the window for the given time', () => {
		const window = createRateWindow();
		window.take();
		window.settle({}, NOW, 4000);
		expect(window.obstacle(NOW + 3999)).toEqual({ kind: 'usedUp', resetAt: NOW + 4000 });
		expect(window.obstacle(NOW + 4000)).toBeUndefined();
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
