import {
	createRateLimiter,
	hasSpareRoom,
	newAccountState,
	safeConcurrency,
} from '../../../nodes/MessagingChannel/api/rateLimiter';
import { createRateWindow } from '../../../nodes/MessagingChannel/api/rateWindow';
import { virtualClock } from '../../support/engine/clock';

const FOREVER = 3_600_000;

// Time passes only while the limiter waits.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9)));
afterEach(() => jest.restoreAllMocks());

/** A limiter and the headers of a window that ends so many seconds from now. */
function limiterWithClock() {
	const clock = virtualClock();
	const waits: number[] = [];
	const account = newAccountState();
	const limiter = createRateLimiter(clock, (ms) => waits.push(Math.round(ms / 1000)), account);
	const begun = Math.floor(clock.now() / 1000);
	const headers = (remaining: number | string, resetInSeconds = 60, limit: number | string = 10) => ({
		'x-ratelimit-limit': String(limit),
		'x-ratelimit-remaining': String(remaining),
		'x-ratelimit-reset': String(begun + resetInSeconds),
	});
	return { clock, limiter, waits, headers, account };
}

/** How many requests are admitted without a wait. */
async function admittedAtOnce(
	limiter: ReturnType<typeof createRateLimiter>,
	asking: number,
): Promise<number> {
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

test('before the first answer few go', async () => {
	const { limiter } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 30)).toBe(10);
});

test('as many go as are left, and those in flight count', async () => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	await limiter.admit(FOREVER);
	limiter.settle(headers(8));
	expect(await admittedAtOnce(limiter, 10)).toBe(7);
});

test('a late response with a higher limit of before changes nothing', async () => {
	const { limiter, headers } = limiterWithClock();
	for (let request = 0; request < 3; request++) await limiter.admit(FOREVER);
	limiter.settle(headers(0, 60, 2), 4000);
	limiter.settle(headers(99, 60, 100));
	expect(await admittedAtOnce(limiter, 30)).toBe(0);
});

test('when none is left, the next waits for the reset, and then goes', async () => {
	const { clock, limiter, headers, waits } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle(headers(0, 60));
	await limiter.admit(FOREVER);
	expect(waits).toHaveLength(1);
	expect(clock.skippedMs).toBeGreaterThan(58_000);
	expect(clock.skippedMs).toBeLessThanOrEqual(60_000);
});

test('after the reset a whole window is there', async () => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle(headers(9));
	expect(await admittedAtOnce(limiter, 9)).toBe(9);
	for (let remaining = 8; remaining >= 0; remaining--) limiter.settle(headers(remaining));
	let admitted = 0;
	for (let count = 0; count < 30; count++) void limiter.admit(FOREVER).then(() => admitted++);
	while (admitted === 0) await new Promise(setImmediate);
	expect(admitted).toBe(10);
});

describe('an account that others call too', () => {
	test('is left to them by the share that they take', async () => {
		const { limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		limiter.settle(headers(12, 60, 20));
		limiter.settle(headers(12, 60, 20));
		// Two of eight were ours, so a quarter of the window is: three more.
		expect(await admittedAtOnce(limiter, 100)).toBe(3);
	});

	test('is also left to them when the next window begins', async () => {
		const { limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 4)).toBe(4);
		for (const remaining of [6, 4, 2, 0]) limiter.settle(headers(remaining));
		await limiter.admit(FOREVER);
		// Four of ten were ours, and one of the next four is in flight.
		expect(await admittedAtOnce(limiter, 10)).toBe(3);
	});

	test('is not flooded when an answer about the last window comes late', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 4)).toBe(4);
		for (const remaining of [6, 4, 0]) limiter.settle(headers(remaining));
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, -1));
		expect(clock.skippedMs).toBeGreaterThan(58_000);
		expect(await admittedAtOnce(limiter, 100)).toBeLessThan(10);
	});

	test('counts no refused request as our share of a window', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 4)).toBe(4);
		for (const remaining of [5, 4]) limiter.settle(headers(remaining));
		for (const remaining of [0, 0]) limiter.settle(headers(remaining), 1000);
		await clock.sleep(60_000);
		expect(await admittedAtOnce(limiter, 10)).toBe(2);
	});

	test('is taken again when the others leave it', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		for (const remaining of [14, 12]) limiter.settle(headers(remaining, 60, 20));
		await clock.sleep(60_000);
		expect(await admittedAtOnce(limiter, 5)).toBe(5);
		for (const remaining of [19, 18, 17, 16, 15]) limiter.settle(headers(remaining, 120, 20));
		await clock.sleep(60_000);
		expect(await admittedAtOnce(limiter, 10)).toBe(10);
	});

	test('is taken again at once when nobody else has called for a second', async () => {
		const { limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		for (const remaining of [14, 12]) limiter.settle(headers(remaining, 60, 20));
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		for (const remaining of [11, 10, 9]) limiter.settle(headers(remaining, 60, 20));
		await limiter.admit(FOREVER);
		limiter.settle(headers(8, 60, 20));
		expect(await admittedAtOnce(limiter, 20)).toBe(8);
	});

	test('has its last places left to those who are nearer to them', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(1, 60, 20));
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBeGreaterThan(58_000);
	});

	test('is tried once a second while there is room that is not known to be ours', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		// One of seventeen was ours, and so is one of twenty.
		limiter.settle(headers(3, 60, 20));
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(1000);
	});

	test('has its last tenth left to them', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(2, 60, 20));
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(60_000);
	});

	test('is not taken for ours alone because of a probe while another request was in flight', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		for (const remaining of [14, 12]) limiter.settle(headers(remaining, 60, 20));
		expect(await admittedAtOnce(limiter, 4)).toBe(4);
		for (const remaining of [11, 10, 9, 8]) limiter.settle(headers(remaining, 60, 20));
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(1000);
		limiter.settle(headers(7, 60, 20));
		expect(await admittedAtOnce(limiter, 20)).toBeLessThan(5);
	});

	test('is no more ours because of a window from which nothing was taken', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		for (const remaining of [14, 12]) limiter.settle(headers(remaining, 60, 20));
		await clock.sleep(60_000);
		await limiter.admit(FOREVER);
		limiter.settle(headers(20, 120, 20));
		await clock.sleep(60_000);
		expect(await admittedAtOnce(limiter, 20)).toBe(5);
	});

	test('counts lost requests of ours as ours', async () => {
		const { limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		limiter.settle(headers(9));
		limiter.settle(undefined);
		limiter.settle(headers(7));
		expect(await admittedAtOnce(limiter, 10)).toBe(7);
	});

	test('is not burst into before the answers have told of the others', async () => {
		const { limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(99, 60, 100));
		expect(await admittedAtOnce(limiter, 100)).toBe(11);
	});

	test('keeps nobody waiting for their share for longer than that one wants to', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		for (const remaining of [14, 12]) limiter.settle(headers(remaining, 60, 20));
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		for (const remaining of [11, 10, 9]) limiter.settle(headers(remaining, 60, 20));

		const waiting = [FOREVER, 0, FOREVER, 1500].map(async (ms) => {
			await limiter.admit(ms);
			return clock.skippedMs;
		});

		// Each second one finds out how much is left; whoever wants to wait no longer is given up after the first.
		const isGivenUp = { reason: { code: 'rate_limit_exceeded' } };
		expect(await Promise.allSettled(waiting)).toMatchObject([
			{ value: 1000 },
			isGivenUp,
			{ value: 2000 },
			isGivenUp,
		]);
	});

	test('is shared by the executions of one process, which know of each other', async () => {
		const clock = virtualClock();
		const account = newAccountState();
		const [one, other] = [
			createRateLimiter(clock, () => {}, account),
			createRateLimiter(clock, () => {}, account),
		];
		expect(await admittedAtOnce(one, 6)).toBe(6);
		expect(await admittedAtOnce(other, 20)).toBe(4);
	});
});

describe('when our clock is set back by hours', () => {
	async function usedUp(remaining = 0) {
		const known = limiterWithClock();
		const { clock, limiter, headers } = known;
		await limiter.admit(FOREVER);
		limiter.settle(headers(remaining));
		const { now } = clock;
		return { ...known, setBack: () => void (clock.now = () => now() - 2 * FOREVER) };
	}

	test('a used-up window does not fail every request until then', async () => {
		const { limiter, setBack } = await usedUp();
		setBack();
		await expect(limiter.admit(10_000)).resolves.toBeUndefined();
	});

	test('who waits already waits no longer', async () => {
		const { limiter, clock, setBack } = await usedUp();
		const waiting = limiter.admit(FOREVER);
		for (let round = 0; round < 10; round++) await Promise.resolve();
		setBack();
		await waiting;
		expect(clock.skippedMs).toBeLessThanOrEqual(60_000);
	});

	test('background tasks go on', async () => {
		const { account, clock, setBack } = await usedUp(2);
		expect(hasSpareRoom(account, clock.now())).toBe(false);
		setBack();
		expect(hasSpareRoom(account, clock.now())).toBe(true);
	});

	test('ten seconds count as set back, and less does not', async () => {
		const { account, clock } = await usedUp(2);
		expect(hasSpareRoom(account, clock.now() - 9_999)).toBe(false);
		expect(hasSpareRoom(account, clock.now() - 10_000)).toBe(true);
	});

	test('a pause after a 429 lets a request through to find out', async () => {
		const { limiter, setBack } = await usedUp(2);
		await limiter.admit(FOREVER);
		limiter.settle({}, 30_000);
		setBack();
		await expect(limiter.admit(10_000)).resolves.toBeUndefined();
	});

	test('a pause after a 429 holds up neither the requests after that nor background tasks', async () => {
		const { limiter, account, clock, headers, setBack } = await usedUp(9);
		await limiter.admit(FOREVER);
		limiter.settle({}, 30_000);
		setBack();
		await limiter.admit(10_000);
		limiter.settle(headers(8));
		expect(hasSpareRoom(account, clock.now())).toBe(true);
		await expect(limiter.admit(10_000)).resolves.toBeUndefined();
	});
});

test('an answer that takes long holds nobody else up', async () => {
	const { limiter, headers, clock } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 4)).toBe(4);
	limiter.settle(headers(2, 60, 5));
	const before = clock.skippedMs;
	await limiter.admit(FOREVER);
	expect(clock.skippedMs - before).toBeGreaterThan(900);
	expect(clock.skippedMs - before).toBeLessThanOrEqual(1_000);
});

describe('while requests are in flight and the window has no place left for more', () => {
	/** Three requests of ours, one of them answered, and one that waits. */
	async function crowded(resetInSeconds = 60) {
		const known = limiterWithClock();
		const { limiter, headers } = known;
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		limiter.settle(headers(2, resetInSeconds, 5));
		let admitted = 0;
		const waiting = limiter.admit(FOREVER).then(() => admitted++);
		return { ...known, waiting, admitted: () => admitted };
	}

	const settled = async () => {
		for (let round = 0; round < 50; round++) await Promise.resolve();
	};

	test('an answer that leaves none lets nobody in', async () => {
		const { limiter, headers, admitted, clock } = await crowded();
		await settled();
		limiter.settle(headers(1, 60, 5));
		await settled();
		expect(admitted()).toBe(0);
		expect(clock.skippedMs).toBe(0);
	});

	test('an answer that leaves one lets the next in at once, and no timer runs on', async () => {
		const { limiter, headers, waiting, clock } = await crowded();
		await settled();
		limiter.settle(headers(2, 60, 5));
		await waiting;
		for (let round = 0; round < 10; round++) await new Promise(setImmediate);
		expect(clock.skippedMs).toBe(0);
	});

	test('the reset is not slept through', async () => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9) + 600);
		const { waiting, clock } = await crowded(1);
		await waiting;
		expect(clock.skippedMs).toBe(400);
	});

	test('the last place of a window that is ours alone is not given up', async () => {
		const { limiter, headers, clock } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 9)).toBe(9);
		for (const remaining of [8, 7, 6, 5, 4, 3, 2, 1]) limiter.settle(headers(remaining));
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(1000);
	});

	test('cancelling ends the wait', async () => {
		const clock = virtualClock();
		const execution = new AbortController();
		const sleep = async (ms: number, over?: AbortSignal) =>
			await clock.sleep(ms, AbortSignal.any([execution.signal, ...(over ? [over] : [])]));
		const limiter = createRateLimiter({ ...clock, sleep });
		expect(await admittedAtOnce(limiter, 10)).toBe(10);
		const waiting = limiter.admit(FOREVER);
		await settled();
		const reason = new Error('The execution was stopped');
		execution.abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});
});

test('of two answers about one window, the later one has the lower count', async () => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	await limiter.admit(FOREVER);
	limiter.settle(headers(3, 60, 5));
	limiter.settle(headers(4, 60, 5));
	expect(await admittedAtOnce(limiter, 10)).toBe(3);
});

test('the lower count of two answers holds when another request is still in flight', async () => {
	const { limiter, headers } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 3)).toBe(3);
	limiter.settle(headers(2, 60, 5));
	limiter.settle(headers(3, 60, 5));
	expect(await admittedAtOnce(limiter, 10)).toBe(1);
});

test('a late answer about an earlier window does not count', async () => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	await limiter.admit(FOREVER);
	limiter.settle(headers(8, 60));
	limiter.settle(headers(1, 1));
	// One was in flight when the service counted 8.
	expect(await admittedAtOnce(limiter, 10)).toBe(7);
});

test('a window that ends sooner than it was said to takes its place', async () => {
	const { limiter, headers } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 4)).toBe(4);
	limiter.settle(headers(999, 3600, 1000));
	limiter.settle(headers(2, 5, 3));
	limiter.settle(headers(1, 5, 3));
	limiter.settle(headers(0, 5, 3));
	expect(await admittedAtOnce(limiter, 10)).toBe(0);
});

test('an early end of the window counts before it is empty', async () => {
	const { limiter, headers } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 2)).toBe(2);
	limiter.settle(headers(999, 3600, 1000));
	limiter.settle(headers(2, 5, 3));
	expect(await admittedAtOnce(limiter, 10)).toBe(2);
});

test('answers of the last second before a reset count', async () => {
	const { limiter, headers } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 2)).toBe(2);
	limiter.settle(headers(9, 1));
	limiter.settle(headers(5, 1));
	// Two of five were ours, so four of ten are: two more.
	expect(await admittedAtOnce(limiter, 10)).toBe(2);
});

test('a late answer about an earlier window counts when it says that nothing is left', async () => {
	const { limiter, headers, clock } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 2)).toBe(2);
	limiter.settle(headers(7, 120));
	limiter.settle(headers(0, 1));
	await limiter.admit(FOREVER);
	expect(clock.skippedMs).toBe(1000);
});

test('an answer about the next window ends the last one', async () => {
	const { limiter, headers } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 6)).toBe(6);
	for (const remaining of [9, 8, 7, 6, 5]) limiter.settle(headers(remaining));
	limiter.settle(headers(9, 120));
	expect(await admittedAtOnce(limiter, 20)).toBe(9);
});

test('a window that ends sooner than it was said to, and is empty, takes its place', async () => {
	const { limiter, headers, clock } = limiterWithClock();
	await limiter.admit(FOREVER);
	await limiter.admit(FOREVER);
	limiter.settle(headers(7, 120));
	limiter.settle(headers(0, 60));
	await limiter.admit(FOREVER);
	expect(clock.skippedMs).toBeGreaterThan(58_000);
	expect(clock.skippedMs).toBeLessThanOrEqual(60_000);
});

describe('a wait that is too long', () => {
	test('fails at once and says until when', async () => {
		const { waits, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 60));
		await expect(limiter.admit(10_000)).rejects.toMatchObject({
			code: 'rate_limit_exceeded',
			message: expect.stringMatching(/resets at 20\d\d-/) as string,
		});
		expect(waits).toEqual([]);
	});

	test('is found out anew when the service has not been heard of for a while', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 3600));
		await clock.sleep(9_000);
		await expect(limiter.admit(10_000)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
		await clock.sleep(1_000);
		await limiter.admit(10_000);
		await expect(limiter.admit(10_000)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
	});

	test('is none when it is as long as it may be', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 60));
		await limiter.admit(60_000);
		expect(clock.skippedMs).toBe(60_000);
	});

	test('does not keep others from waiting', async () => {
		const { limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 60));
		const [hasty, patient] = await Promise.allSettled([limiter.admit(10_000), limiter.admit(FOREVER)]);
		expect([hasty.status, patient.status]).toEqual(['rejected', 'fulfilled']);
	});
});

describe('who waits behind another', () => {
	test('is not given up while only the answers in flight hold it back', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(99, 60, 100));
		expect(await admittedAtOnce(limiter, 11)).toBe(11);
		await Promise.all([limiter.admit(0), limiter.admit(0)]);
		expect(clock.skippedMs).toBe(2000);
	});

	test('is given up when those in flight may take all that is left', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		limiter.settle(headers(2, 60, 5));
		void limiter.admit(FOREVER);
		await clock.sleep(500);
		const hasty = limiter.admit(0);
		const refused = expect(hasty).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
		await clock.sleep(1100);
		limiter.settle(headers(2, 60, 5));
		await refused;
	});

	/** An account with room that is left to others: the first waiter asks for its own at once a second. */
	async function reserved() {
		const known = limiterWithClock();
		const { limiter, headers } = known;
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		for (const remaining of [14, 12]) limiter.settle(headers(remaining, 60, 20));
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		for (const remaining of [11, 10, 9]) limiter.settle(headers(remaining, 60, 20));
		return known;
	}

	const settled = async () => {
		for (let round = 0; round < 50; round++) await Promise.resolve();
	};

	test('is not given up before an answer can have come, however short it may wait', async () => {
		const { clock, limiter } = await reserved();
		await limiter.admit(0);
		expect(clock.skippedMs).toBe(1000);
	});

	test('is given up when its time is over, though nothing wakes it', async () => {
		const { clock, limiter } = await reserved();
		for (let count = 0; count < 10; count++) void limiter.admit(FOREVER);
		await expect(limiter.admit(5000)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
		expect(clock.skippedMs).toBe(5000);
	});

	test('is told at once when an answer shows that it would wait in vain', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 10)).toBe(10);
		const refusedAt: number[] = [];
		const patient = limiter.admit(FOREVER);
		limiter.admit(5000).catch(() => refusedAt.push(clock.skippedMs));
		await settled();
		limiter.settle(headers(0, 60));
		await patient;
		expect(refusedAt).toEqual([0]);
	});
});

test('one wait is announced once, however often it is looked at', async () => {
	const { limiter, headers, waits } = limiterWithClock();
	expect(await admittedAtOnce(limiter, 2)).toBe(2);
	limiter.settle(headers(0, 60));
	const waiting = limiter.admit(FOREVER);
	for (let round = 0; round < 50; round++) await Promise.resolve();
	limiter.settle(headers(0, 60));
	await waiting;
	expect(waits).toEqual([60]);
});

describe('in the queue of several executions', () => {
	/** Two limiters of one account whose window is used up for so many seconds. */
	async function usedUp(resetInSeconds: number) {
		const { clock, limiter, headers, account } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, resetInSeconds, 1));
		return { clock, headers, one: limiter, other: createRateLimiter(clock, () => {}, account) };
	}

	test('a window that nobody has told of for a while is asked for by the first that it would fail', async () => {
		const { clock, headers, one, other } = await usedUp(3600);
		const patient = one.admit(FOREVER).then(() => clock.skippedMs);
		const ask = async () => {
			await clock.sleep(10_000);
			await other.admit(5000);
			await expect(other.admit(5000)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
		};
		await ask();
		other.settle(headers(0, 3600, 1), 1000);
		await ask();
		other.settle(headers(5, 60));
		// The service has changed its mind, and everybody hears of it.
		expect(await patient).toBe(20_000);
	});

	test('while no answer has come, nobody gives up', async () => {
		const { clock, limiter } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 10)).toBe(10);
		await Promise.all(Array.from({ length: 20 }, async () => await limiter.admit(0)));
		expect(clock.skippedMs).toBe(20_000);
	});
});

describe('the clock of the service', () => {
	const dated = (headers: object, clockMs: number) => ({ ...headers, date: new Date(clockMs).toUTCString() });

	test('decides when a window resets', async () => {
		const { clock, limiter, headers, account } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(dated(headers(0, 30), clock.now() - 30_000));
		expect(account.clockOffsetMs).toBe(-30_000);
		await expect(limiter.admit(59_999)).rejects.toThrow('which resets at 2030-01-31T09:01:00.000Z');
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(60_000);
	});

	test('does not move the end of a pause', async () => {
		const { clock, limiter, headers, waits } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		limiter.settle(dated({}, clock.now() - 30_000), 4000);
		limiter.settle(headers(9));
		await limiter.admit(FOREVER);
		expect(waits).toEqual([4]);
		expect(clock.skippedMs).toBe(4000);
	});

	test('is known from the first response that tells the time', () => {
		const { clock, limiter, account } = limiterWithClock();
		const isKnownAfter = (headers?: object) => {
			limiter.settle(headers as Record<string, unknown>);
			return account.isClockKnown;
		};
		expect(account.isClockKnown).toBe(false);
		expect([undefined, {}, { date: 'soon' }].map(isKnownAfter)).toEqual([false, false, false]);
		expect([dated({}, clock.now()), {}].map(isKnownAfter)).toEqual([true, true]);
	});

	test('is not corrected by an answer that was long in flight', async () => {
		const { clock, limiter, headers, account } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(dated(headers(9), clock.now() - 20_000), undefined, clock.now() - 21_000);
		expect(account.clockOffsetMs).toBe(0);
	});
});

describe('a refusal', () => {
	test('empties the window, whatever its headers count', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(9, 60), 1000);
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBeGreaterThan(58_000);
	});

	test.each([
		['missing', undefined],
		['past', -1],
		['now', 0],
		['more than a month away', 32 * 86_400 + 1],
		['in microseconds', Date.UTC(2030, 0, 31, 10) * 1000],
	])('whose reset is %s pauses everybody for the given time', async (_, reset) => {
		const { waits, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(reset === undefined ? {} : headers(0, reset), 4000);
		await limiter.admit(FOREVER);
		expect(waits).toEqual([4]);
	});

	test.each([
		['a day', 1],
		['a month', 32],
	])('whose reset is %s away is believed', async (_, days) => {
		const { limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, days * 86_400), 4000);
		await expect(limiter.admit(FOREVER)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
	});

	test('pauses, but leaves what is known of the window as it was', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(5, 60, 6));
		await limiter.admit(FOREVER);
		limiter.settle({}, 4000);
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(4000);
		expect(await admittedAtOnce(limiter, 30)).toBe(5);
	});

	test('of the first request leaves the window unknown', async () => {
		const { limiter } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle({}, 4000);
		await limiter.admit(FOREVER);
		expect(await admittedAtOnce(limiter, 30)).toBe(9);
	});

	test('by a window that others have used up lets one request find out about the next', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 60), 1000);
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(60_000);
		expect(await admittedAtOnce(limiter, 10)).toBe(0);
	});

	test('by a window from which nothing was taken does not count against us', async () => {
		const { limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(10, 60), 1000);
		await limiter.admit(FOREVER);
		expect(await admittedAtOnce(limiter, 30)).toBe(9);
	});

	test('is heeded although the answer to an earlier request shows room, and another nothing', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 3)).toBe(3);
		limiter.settle({}, 4000);
		limiter.settle(headers(9, 60));
		limiter.settle({});
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(4000);
	});

	test('without a reset empties the window for the given time', () => {
		const window = createRateWindow();
		const now = Date.now();
		window.take();
		window.settle({}, now, 4000);
		expect(window.obstacle(now + 3999)).toEqual({ kind: 'usedUp', resetAt: now + 4000 });
		expect(window.obstacle(now + 4000)).toBeUndefined();
	});

	test('that comes late is heard', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		expect(await admittedAtOnce(limiter, 2)).toBe(2);
		limiter.settle(headers(7, 120));
		limiter.settle(headers(3, 1), 1000);
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBe(1000);
	});

	test('without headers does not shorten a wait for a window that is known to be empty', async () => {
		const { clock, limiter, headers } = limiterWithClock();
		await limiter.admit(FOREVER);
		await limiter.admit(FOREVER);
		limiter.settle(headers(0, 60));
		limiter.settle(undefined, 1000);
		await limiter.admit(FOREVER);
		expect(clock.skippedMs).toBeGreaterThan(58_000);
	});
});

test.each([
	['a limit that is no number', 'many', '0'],
	['no limit', '', '0'],
	['a limit of 0', '0', '0'],
	['a remainder that is no number', '10', 'none'],
	['no remainder', '10', ''],
	['a blank remainder', '10', ' '],
	['a remainder below 0', '10', '-1'],
])('headers with %s tell nothing', async (_, limit, remaining) => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle(headers(remaining, 60, limit));
	expect(await admittedAtOnce(limiter, 30)).toBe(10);
});

test.each(['limit', 'remaining', 'reset'])('a list in place of the %s tells nothing', async (name) => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	const field = `x-ratelimit-${name}`;
	const told: Record<string, unknown> = headers(0);
	limiter.settle({ ...told, [field]: [told[field]] });
	expect(await admittedAtOnce(limiter, 30)).toBe(10);
});

test.each<[string, (reset: number) => string]>([
	['milliseconds', (reset) => String(reset * 1000)],
	['ISO 8601', (reset) => new Date(reset * 1000).toISOString()],
	['a database', (reset) => new Date(reset * 1000).toISOString().replace('T', ' ').slice(0, 19)],
])('a reset in the form of %s is read', async (_, form) => {
	const { clock, limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	const told = headers(0, 50);
	limiter.settle({ ...told, 'x-ratelimit-reset': form(Number(told['x-ratelimit-reset'])) });
	await limiter.admit(FOREVER);
	expect(clock.skippedMs).toBeGreaterThan(48_000);
	expect(clock.skippedMs).toBeLessThanOrEqual(50_000);
});

test.each(['-1', '1.5', '1e1', '10, 10', ' '])('a limit of %j tells nothing', async (limit) => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle(headers(0, 60, limit));
	expect(await admittedAtOnce(limiter, 30)).toBe(10);
});

test('a lost answer tells nothing', async () => {
	const { limiter } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle(undefined);
	expect(await admittedAtOnce(limiter, 100)).toBe(10);
});

test('a service without rate windows is not held back', async () => {
	const { limiter } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle({ 'content-type': 'application/json' });
	expect(await admittedAtOnce(limiter, 100)).toBe(100);
});

test('a request without an answer gives its place back to the unknown, not to the window', async () => {
	const { limiter, headers } = limiterWithClock();
	await limiter.admit(FOREVER);
	await limiter.admit(FOREVER);
	limiter.settle(headers(2, 60, 4));
	limiter.settle(undefined);
	// The service may have counted it or not: one place fewer is the careful answer.
	expect(await admittedAtOnce(limiter, 10)).toBe(1);
});

describe('a task that can wait', () => {
	test('has room while at least half of the window is left, requests in flight included', async () => {
		const { limiter, headers, account, clock } = limiterWithClock();
		expect(hasSpareRoom(account, clock.now())).toBe(true);
		const settle = async (remaining: number) => {
			await limiter.admit(FOREVER);
			limiter.settle(headers(remaining));
			return hasSpareRoom(account, clock.now());
		};

		expect(await settle(6)).toBe(true);
		await limiter.admit(FOREVER);
		expect(hasSpareRoom(account, clock.now())).toBe(true);
		await limiter.admit(FOREVER);
		expect(hasSpareRoom(account, clock.now())).toBe(false);
		limiter.settle(headers(5));
		limiter.settle(headers(4));
		expect(hasSpareRoom(account, clock.now())).toBe(false);
		expect(hasSpareRoom(account, clock.now() + 61_000)).toBe(true);
	});

	test('has room as soon as the window resets by the clock of the service', async () => {
		const { limiter, headers, account, clock } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle({ ...headers(4), date: new Date(clock.now() + 30_000).toUTCString() });

		expect(hasSpareRoom(account, clock.now() + 25_000)).toBe(false);
		expect(hasSpareRoom(account, clock.now() + 35_000)).toBe(true);
	});

	test('has none while others wait', async () => {
		const { limiter, headers, account, clock } = limiterWithClock();
		await limiter.admit(FOREVER);
		limiter.settle(headers(0));
		const waiting = limiter.admit(FOREVER);

		expect(hasSpareRoom(account, clock.now() + 61_000)).toBe(false);

		await waiting;
		expect(hasSpareRoom(account, clock.now())).toBe(true);
	});
});

test('one request in flight for each eight that are left is safe, and none while nothing is known', async () => {
	const { limiter, headers, account, clock } = limiterWithClock();
	const safe = (laterMs = 0) => safeConcurrency(account, clock.now() + laterMs);

	expect(safe()).toBe(0);
	await limiter.admit(FOREVER);
	limiter.settle(headers(79, 60, 80));
	expect([safe(), safe(59_999), safe(60_000)]).toEqual([9, 9, 0]);
	await limiter.admit(FOREVER);
	limiter.settle(headers(80, 60, 80), 1000);
	expect(safe()).toBe(0);
});

test('how many are safe follows the clock of the service', async () => {
	const { limiter, headers, account, clock } = limiterWithClock();
	await limiter.admit(FOREVER);
	limiter.settle({ ...headers(79, 60, 80), date: new Date(clock.now() + 30_000).toUTCString() });

	expect(account.clockOffsetMs).toBeGreaterThan(20_000);
	expect(safeConcurrency(account, clock.now() + 25_000)).toBe(9);
	expect(safeConcurrency(account, clock.now() + 35_000)).toBe(0);
});
