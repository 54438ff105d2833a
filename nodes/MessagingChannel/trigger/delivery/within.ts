import { clock } from './state';

/** Rejects if the work takes longer than it may. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
	const timer = new AbortController();
	const timeUp = clock
		.sleep(ms, timer.signal)
		.then(async () => await Promise.reject(new Error('There was no response in time')));
	try {
		return await Promise.race([work, timeUp]);
	} finally {
		timer.abort();
	}
}
