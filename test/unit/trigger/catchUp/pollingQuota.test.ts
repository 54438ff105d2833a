import { HOUR, MINUTE, SECOND, START, useLoops, type LoopService, type LoopTrigger } from './loops';

const { clock, newTrigger } = useLoops();

const DAY = 24 * HOUR;

interface Quota {
	/** How many requests the account has for each day. */
	quota: number;
	/** When the first window ends, in milliseconds since the start. */
	firstReset: number;
	/** What others have used, so long after a window began. */
	others?: (sinceWindow: number) => number;
}

/** Returns the largest number of requests that the trigger made in a window. */
function limit(service: LoopService, { quota, firstReset, others = () => 0 }: Quota) {
	let used = 0;
	let window = 0;
	const now = () => clock.now() - START;
	const windowNow = () => Math.max(0, Math.ceil((now() - firstReset) / DAY + 1e-9));
	const left = () => {
		const sinceWindow = now() - (firstReset + (window - 1) * DAY);
		return Math.floor(quota - others(sinceWindow) - used);
	};
	const mostUsed = { count: 0 };
	service.refusal = () => {
		if (windowNow() !== window) {
			window = windowNow();
			used = 0;
		}
		if (left() <= 0)
			return { statusCode: 429, body: { error: 'rate_limit_exceeded', message: 'Too many requests' } };
		used++;
		mostUsed.count = Math.max(mostUsed.count, used);
		return undefined;
	};
	Object.defineProperty(service, 'headers', {
		get: () => ({
			'x-ratelimit-limit': String(quota),
			'x-ratelimit-remaining': String(Math.max(0, left())),
			'x-ratelimit-reset': String(Math.ceil((START + firstReset + window * DAY) / 1000)),
		}),
	});
	return mostUsed;
}

/**
 * Somebody writes each hour.
 *
 * @returns how many minutes the slowest message took to run
 */
async function slowest(hours: number, { service, executions, poll }: LoopTrigger) {
	poll();
	await clock.advance(MINUTE);
	const written: Array<[string, number]> = [];
	for (let hour = 0; hour < hours; hour++) {
		written.push([service.write(), clock.now() - START]);
		await clock.advance(HOUR);
	}
	await clock.advance(HOUR);
	const ranAt = new Map(executions.map(([seconds, id]) => [id, seconds * SECOND]));
	expect(executions).toHaveLength(ranAt.size);
	return Math.max(...written.map(([id, at]) => ((ranAt.get(id) ?? Infinity) - at) / MINUTE));
}

describe('a trigger that polls', () => {
	test.each([0, 900])(
		'with 1,000 requests for a day, of which others have used %d, leaves them half of the rest, and says once that it looks less often',
		async (others) => {
			const trigger = newTrigger();
			const used = limit(trigger.service, { quota: 1_000, firstReset: DAY, others: () => others });
			trigger.poll();
			const written: string[] = [];
			for (let hour = 0; hour < 7; hour++) {
				await clock.advance(HOUR);
				if (hour % 5 === 0) written.push(trigger.service.write());
			}

			expect(trigger.ran()).toEqual(written);
			expect(used.count).toBeLessThan((1_000 - others) / 4);
			expect(trigger.log).toEqual([
				expect.stringMatching(/rate limit of the account is small.* every \d{2,4} seconds, not every 15$/),
			]);
		},
	);

	test.each([
		[100, 0, 60],
		[1_000, 0.5, 12],
	])(
		'with %d requests for a day, of which others use %d, and a reset in between, runs each message within %d minutes',
		async (quota, share, minutes) => {
			const trigger = newTrigger();
			const others = (since: number) => (since / DAY) * quota * share;
			const used = limit(trigger.service, { quota, firstReset: 4 * HOUR, others });

			expect(await slowest(8, trigger)).toBeLessThanOrEqual(minutes);
			expect(used.count).toBeLessThan(quota * 0.7);
		},
	);
});
