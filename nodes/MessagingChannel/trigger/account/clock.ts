import { systemClock } from '../../api/clock';

/** The clock by which all triggers wait. */
export const clock = systemClock();

/** Work has taken longer than it may. */
export class NoResponse extends Error {}

/** @throws NoResponse if the work takes longer than it may; it goes on */
export async function withTimeout<Result>(ms: number, work: Promise<Result>): Promise<Result> {
	const timer = new AbortController();
	const timeUp = clock
		.sleep(ms, timer.signal)
		.then(async () => await Promise.reject(new NoResponse('There was no response in time')));
	try {
		return await Promise.race([work, timeUp]);
	} finally {
		timer.abort();
	}
}
