import clamp from 'lodash/clamp';

import type { Task } from './task';

/** Requests in flight, if the user did not say how many. */
export const DEFAULT_CONCURRENCY = 25;

/** Messages in flight while the rate limit has room for many more. */
const MAX_DEFAULT_CONCURRENCY = 100;

/**
 * How many requests can be in flight, whenever it is asked. Files fill the memory, so only messages without one follow the
 * rate limits, and the lowest if the items have several accounts.
 */
export function concurrencyOf(tasks: readonly Task[]): () => number {
	// n8n resolves the option for each item, but a run has one concurrency: that of the first item.
	const chosen = tasks[0]?.options.maxConcurrency;
	const isAdaptive =
		chosen === undefined &&
		tasks.length > DEFAULT_CONCURRENCY &&
		tasks.every(({ request }) => request.endpoint.sends && !request.file);
	if (!isAdaptive) return () => chosen ?? DEFAULT_CONCURRENCY;
	const accounts = [...new Set(tasks.map(({ account }) => account))];
	return () => {
		const safe = Math.min(...accounts.map((account) => account.safeConcurrency()));
		return clamp(safe, DEFAULT_CONCURRENCY, MAX_DEFAULT_CONCURRENCY);
	};
}
