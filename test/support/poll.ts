import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

interface PollOptions {
	timeoutMs: number;
	/** What the error says when nothing was found in time. */
	failure: string | (() => string);
	longestPauseMs?: number;
}

/** Looks again and again until something is found; bounded, so that a test fails rather than hangs. */
export async function poll<Found>(
	look: () => Promise<Found | undefined | false>,
	{ timeoutMs, failure, longestPauseMs = 250 }: PollOptions,
): Promise<Found> {
	// Tests move Date.now().
	const deadline = performance.now() + timeoutMs;
	// Quick at first, for what takes some milliseconds, then gentle on an n8n that is busy.
	for (let pause = 10; performance.now() < deadline; pause = Math.min(pause * 1.5, longestPauseMs)) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		await sleep(pause);
	}
	throw new Error(`After ${timeoutMs / 1000} s: ${typeof failure === 'string' ? failure : failure()}`);
}

/** Asks again until the answer is good; bounded, so that a test fails rather than hangs. */
export async function eventually<Result>(
	ask: () => Promise<Result> | Result,
	good: (result: Result) => boolean,
): Promise<Result> {
	let latest: Result | undefined;
	const { result } = await poll(
		async () => {
			latest = await ask();
			return good(latest) && { result: latest };
		},
		{
			timeoutMs: 300_000,
			failure: () =>
				`it did not happen; the last answer was ${inspect(latest, { depth: 4 }).slice(0, 1_000)}`,
			longestPauseMs: 10,
		},
	);
	return result;
}

/** Asks again until there are so many. */
export const untilSome = async <One>(ask: () => One[] | Promise<One[]>, count = 1): Promise<One[]> =>
	await eventually(ask, ({ length }) => length >= count);
