import { WAIT_INDEFINITELY } from 'n8n-workflow';

/** The time limit for an answer, as entered in the panel. */
export type WaitLimit =
	| { limitType: 'afterTimeInterval'; resumeAmount: number; resumeUnit: 'minutes' | 'hours' | 'days' }
	| { limitType: 'atSpecifiedTime'; maxDateAndTime: string };

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/**
 * The time at which the wait ends without an answer.
 *
 * @param now Unix time in milliseconds; the start of an interval
 * @returns n8n's `WAIT_INDEFINITELY` if there is no limit
 */
export function deadlineOf(limit: WaitLimit | undefined, now: number): Date {
	if (!limit) return WAIT_INDEFINITELY;
	const time =
		limit.limitType === 'atSpecifiedTime'
			? Date.parse(limit.maxDateAndTime)
			: now + limit.resumeAmount * UNIT_MS[limit.resumeUnit];
	return new Date(Math.min(time, WAIT_INDEFINITELY.getTime()));
}
