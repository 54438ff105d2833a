import {
	createRateLimiter,
	hasSpareRoom,
	newAccountState,
	safeConcurrency,
} from '../../../nodes/MessagingChannel/api/rateLimiter';
import { virtualClock } from '../../support/engine/clock';

export const FOREVER = 3_600_000;
export const NOW = Date.UTC(2030, 0, 31, 9);

/** The headers of a window that ends so many seconds from now. */
export const headers = (remaining: number | string, resetInSeconds = 60, limit: number | string = 10) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
	'x-ratelimit-reset': String(NOW / 1000 + resetInSeconds),
});

export const dated = (given: object, clockMs: number) => ({
	...given,
	date: new Date(clockMs).toUTCString(),
});

export function start() {
	const clock = virtualClock();
	const account = newAccountState();
	const waits: number[] = [];
	const limiter = createRateLimiter(clock, (ms) => waits.push(Math.round(ms / 1000)), account);
	return { clock, account, waits, limiter, queued: [] as Array<Promise<void>> };
}

export type Started = ReturnType<typeof start>;
export type Step = (started: Started) => unknown;

export const settled = async () => {
	for (let round = 0; round < 100; round++) await Promise.resolve();
};

/** Requests go one after the other, each when it may. */
export const go =
	(count = 1): Step =>
	async ({ limiter }) => {
		for (let request = 0; request < count; request++) await limiter.admit(FOREVER);
	};

export async function admittedAtOnce({ limiter }: Pick<Started, 'limiter'>, asking: number): Promise<number> {
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
export const ask =
	(asking: number, admitted: number): Step =>
	async (started) =>
		expect(await admittedAtOnce(started, asking)).toBe(admitted);

/** Requests that wait in the queue until `served`. */
export const queue =
	(count: number): Step =>
	async ({ limiter, queued }) => {
		for (let request = 0; request < count; request++) queued.push(limiter.admit(FOREVER));
		await settled();
	};
export const served: Step = async ({ queued }) => await Promise.all(queued);

/** A request goes that may wait for so long. */
export const within =
	(ms: number): Step =>
	async ({ limiter }) =>
		await limiter.admit(ms);
export const givesUp =
	(ms: number): Step =>
	async ({ limiter }) =>
		await expect(limiter.admit(ms)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });

/** Responses come that tell how many requests are left. */
export const told =
	(remaining: number | number[], resetInSeconds = 60, limit = 10): Step =>
	({ limiter }) => {
		for (const left of [remaining].flat()) limiter.settle(headers(left, resetInSeconds, limit));
	};

/** A response with these headers; none when it was lost. */
export const answered =
	(given?: Record<string, unknown>, retryAfterMs?: number): Step =>
	({ limiter }) =>
		limiter.settle(given, retryAfterMs);

/** A refusal (429), with the headers of the window unless it has none. */
export const refused = (ms: number, ...window: Parameters<typeof headers> | []): Step =>
	answered(window.length > 0 ? headers(...(window as Parameters<typeof headers>)) : {}, ms);

/** A request that was admitted is not sent. */
export const released: Step = ({ limiter }) => limiter.release();

export const sleep =
	(ms: number): Step =>
	async ({ clock }) =>
		await clock.sleep(ms);
/** Somebody sets our clock. */
export const set =
	(hours: number): Step =>
	({ clock }) => {
		const { now } = clock;
		clock.now = () => now() + hours * FOREVER;
	};

export const waited =
	(ms: number): Step =>
	({ clock }) =>
		expect(clock.skippedMs).toBe(ms);
export const announced =
	(...seconds: number[]): Step =>
	({ waits }) =>
		expect(waits).toEqual(seconds);
export const spare =
	(expected: boolean, laterMs = 0): Step =>
	({ account, clock }) =>
		expect(hasSpareRoom(account, clock.elapsed() + laterMs)).toBe(expected);
export const safe =
	(expected: number, laterMs = 0): Step =>
	({ account, clock }) =>
		expect(safeConcurrency(account, clock.elapsed() + laterMs)).toBe(expected);

export type Case = [what: string, ...steps: Step[]];

export const play = async (_: string, ...steps: Step[]) => {
	const started = start();
	for (const step of steps) await step(started);
};

/** An account with room that is left to others: the first that waits asks for its own at once a second. */
export const reserved = [ask(2, 2), told([14, 12], 60, 20), ask(3, 3), told([11, 10, 9], 60, 20)];
