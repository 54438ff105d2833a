import { WAIT_INDEFINITELY } from 'n8n-workflow';

/** How long an answer is waited for, as the panel gives it. */
export type WaitLimit =
	| { limitType: 'afterTimeInterval'; resumeAmount: number; resumeUnit: 'minutes' | 'hours' | 'days' }
	| { limitType: 'atSpecifiedTime'; maxDateAndTime: string };

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/**
 * The moment at which the wait ends without an answer.
 *
 * @param now Unix time in milliseconds, from which an interval counts
 * @returns n8n's "never" when there is no limit
 */
export function deadlineOf(limit: WaitLimit | undefined, now: number): Date {
	if (!limit) return WAIT_INDEFINITELY;
	const time =
		limit.limitType === 'atSpecifiedTime'
			? Date.parse(limit.maxDateAndTime)
			: now + limit.resumeAmount * UNIT_MS[limit.resumeUnit];
	return new Date(Math.min(time, WAIT_INDEFINITELY.getTime()));
}
