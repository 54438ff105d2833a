import { createRateLimiter } from '../../../nodes/MessagingChannel/api/rateLimiter';
import { createRateWindow } from '../../../nodes/MessagingChannel/api/rateWindow';
import { virtualClock } from '../../support/engine/clock';

import {
	FOREVER,
	NOW,
	headers,
	start,
	settled,
	go,
	admittedAtOnce,
	ask,
	queue,
	served,
	within,
	givesUp,
	told,
	answered,
	refused,
	released,
	sleep,
	set,
	waited,
	announced,
	spare,
	type Case,
	play,
	reserved,
} from './limiterSteps';

// Time passes only while the limiter waits.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

describe.each([-2, 2])('our clock, set by %i hours meanwhile, changes nothing in', (hours) => {
	test.each<Case>([
		['a wait for a window', go(), told(0), set(hours), givesUp(59_000), go(), waited(60_000)],
		['one that has begun', go(), told(0), queue(1), set(hours), served, waited(60_000)],
		['a pause after a 429', ask(2, 2), refused(30_000), told(9), set(hours), go(), waited(30_000)],
		[
			'the room for tasks that can wait',
			go(),
			told(2),
			set(hours),
			spare(false, 59_999),
			spare(true, 60_000),
		],
	])('%s', play);
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

describe('a request that is admitted and not sent', () => {
	test.each<Case>([
		['gives its place to the first that waits', ask(10, 10), queue(1), released, served, waited(0)],
		[
			'takes nothing from the window',
			go(),
			told(1, 60, 2),
			go(),
			spare(false),
			released,
			spare(true),
			ask(30, 1),
		],
		[
			'leaves no place behind if it was to find out what is left',
			go(),
			told(0, 3600),
			sleep(10_000),
			within(10_000),
			released,
			queue(1),
			served,
			waited(3600_000),
		],
		[
			'lets the next one find out what is left, rather than fail',
			go(),
			told(0, 3600),
			sleep(10_000),
			within(10_000),
			released,
			within(10_000),
			givesUp(10_000),
		],
	])('%s', play);
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
		[
			'pauses for as long as Retry-After says, if the reset is earlier',
			go(),
			answered({ ...headers(0, 2), 'retry-after': '60' }, 1000),
			go(),
			waited(60_000),
		],
		[
			'waits for the reset, if Retry-After says less',
			go(),
			answered({ ...headers(0, 60), 'retry-after': '5' }, 1000),
			givesUp(10_000),
			go(),
			waited(60_000),
		],
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
