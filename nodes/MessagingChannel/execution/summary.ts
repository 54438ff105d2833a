import isEqual from 'lodash/isEqual';
import sum from 'lodash/sum';
import type { INodeExecutionData } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { ApiError, messageOf, stopReasonOr } from '../api/errors';
import type { ItemResult } from './runTask';
import { isTask, type Failed, type Task } from './tasks';

/** What the hints of a run depend on. */
export interface RunSummary {
	/** The requests that this run has made. */
	requests: readonly ApiRequest[];
	/** How many recipients got no message because of the options. */
	skipped: number;
	/** How many items were sent before, and not again. */
	sentBefore: number;
	/** How many items were not sent because an item before them has the same request ID, although their requests differ. */
	sharedRequestIds: number;
	/** How many messages may or may not have been sent. */
	ambiguous: number;
	/** How many items failed for sure, and of how many. */
	failed: number;
	items: number;
	/** Why they failed, without repetitions. */
	reasons: readonly string[];
	/** How long the run waited for the rate limit to reset, in milliseconds. */
	rateLimitWaitMs: number;
}

/**
 * Counts what the hints of a run depend on.
 *
 * @param results the results of the tasks, in their order
 */
export function summaryOf(
	tasks: ReadonlyArray<Task | Failed | undefined>,
	results: ReadonlyArray<ItemResult | undefined>,
): RunSummary {
	const itemsOf = (result?: ItemResult) => (result && 'items' in result ? result.items : []);
	const items = results.flatMap((result) => itemsOf(result));
	const made = tasks.filter(
		(task, index): task is Task =>
			isTask(task) && itemsOf(results[index]).some((item) => !isSkipped(item) && !wasSentBefore(item)),
	);
	const accounts = new Set(tasks.filter(isTask).map(({ account }) => account));
	const failed = results.filter(isFailed);
	/** A shared request stands for all of its items. */
	const countOf = (task: Task | Failed | undefined) =>
		isTask(task) ? [task.pairedItem].flat().length : Number(task !== undefined);
	const differsFromFirst = createRequestIdComparison();
	const sharing = tasks.filter(
		(task, index) => isTask(task) && differsFromFirst(task) && itemsOf(results[index]).some(wasSentBefore),
	);
	return {
		requests: made.map(({ request }) => request),
		skipped: items.filter(isSkipped).length,
		sentBefore: items.filter(wasSentBefore).length - sharing.length,
		sharedRequestIds: sharing.length,
		ambiguous: results.filter(isAmbiguous).length,
		failed: sum(tasks.filter((_, index) => isFailed(results[index])).map(countOf)),
		items: sum(tasks.map(countOf)),
		reasons: [...new Set(failed.map(({ error }) => messageOf(stopReasonOr(error))))],
		rateLimitWaitMs: sum([...accounts].map(({ rateLimitWaitMs }) => rateLimitWaitMs())),
	};
}

/** Creates a function that tells whether a task has the request ID of an earlier one, and another request. */
function createRequestIdComparison(): (task: Task) => boolean {
	const firstTasks = new Map<string, Task>();
	return (task) => {
		const { account, options, request } = task;
		if (options.requestId === undefined) return false;
		const key = `${account.digest} ${options.requestId}`;
		const first = firstTasks.get(key) ?? task;
		firstTasks.set(key, first);
		return !isEqual(contentOf(first.request), contentOf(request));
	};
}

function contentOf({ parameters, bodyFields, file }: ApiRequest): unknown[] {
	return [parameters, bodyFields, file?.filename];
}

function isSkipped({ json }: INodeExecutionData): boolean {
	return json.skipped === true;
}

function wasSentBefore({ json }: INodeExecutionData): boolean {
	return json.already_sent === true;
}

function isFailed(result?: ItemResult): result is Failed {
	return result !== undefined && 'error' in result && !isAmbiguous(result);
}

function isAmbiguous(result?: ItemResult): boolean {
	return (
		result !== undefined && 'error' in result && result.error instanceof ApiError && result.error.ambiguous
	);
}
