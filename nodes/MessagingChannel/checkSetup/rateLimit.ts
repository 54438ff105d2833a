import type { Client } from '../api/client';
import { GET_RATE_LIMIT } from '../api/endpoints';
import { countOf, kindOf, recordsOf, secondsOf } from '../api/values';

/** The rate limit (API spec, "Limits"). What is not understood is undefined. */
export interface RateLimit {
	limit: number | undefined;
	remaining: number | undefined;
	/** Unix seconds. */
	resetAt: number | undefined;
	/** What is not understood: the names of the fields, and what kind of value they have. */
	unreadable: Array<[field: string, kind: string]>;
	/** How many requests others have made during the checks, if they made any that is known of. */
	byOthers?: number;
}

/**
 * Reads the rate limit (API spec, "Messages").
 *
 * @throws ApiError if the request fails
 */
export async function readRateLimit(client: Client): Promise<RateLimit> {
	const [record = {}] = recordsOf(await client.call({ endpoint: GET_RATE_LIMIT }));
	const [limit, remaining] = [countOf(record.limit), countOf(record.remaining)];
	const resetAt = secondsOf(record.reset_at);
	// An account without a limit, or one that has made no request, can have null.
	const unreadable = Object.entries({ limit, remaining, reset_at: resetAt })
		.filter(([field, value]) => value === undefined && record[field] !== null)
		.map(([field]): [string, string] => [field, kindOf(record[field])]);
	return { limit, remaining, resetAt, unreadable };
}

/**
 * The rate limit after the checks, with what others have used of it meanwhile.
 *
 * @param requests how many requests the checks made between the two
 */
export function withOthers(before: RateLimit | undefined, after: RateLimit, requests: number): RateLimit {
	if (before?.remaining === undefined || after.remaining === undefined || before.resetAt !== after.resetAt)
		return after;
	return { ...after, byOthers: Math.max(0, before.remaining - after.remaining - requests) };
}
