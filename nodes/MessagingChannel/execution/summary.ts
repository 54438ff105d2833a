import isEqual from 'lodash/isEqual';
import sum from 'lodash/sum';
import uniq from 'lodash/uniq';
import type { INodeExecutionData } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { ApiError, messageOf, stopReasonOr } from '../api/errors';
import type { Entry, Failed, ItemResult, Task } from './task';

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

/** Counts what the hints of a run depend on. */
export function summaryOf(entries: readonly Entry[]): RunSummary {
	const items = entries.flatMap(itemsOf);
	const tasks = entries.flatMap(({ task }) => task ?? []);
	const failed = entries.filter(({ result }) => isFailed(result));
	const differsFromFirst = createRequestIdComparison();
	const sharing = entries.filter(
		(entry) => entry.task && differsFromFirst(entry.task) && itemsOf(entry).some(wasSentBefore),
	);
	return {
		requests: entries.flatMap((entry) =>
			entry.task && itemsOf(entry).some((item) => !isSkipped(item) && !wasSentBefore(item))
				? entry.task.request
				: [],
		),
		skipped: items.filter(isSkipped).length,
		sentBefore: items.filter(wasSentBefore).length - sharing.length,
		sharedRequestIds: sharing.length,
		ambiguous: entries.filter(({ result }) => isAmbiguous(result)).length,
		failed: sum(failed.map(countOf)),
		items: sum(entries.map(countOf)),
		reasons: [...new Set(failed.map(({ result }) => messageOf(stopReasonOr((result as Failed).error))))],
		rateLimitWaitMs: sum(uniq(tasks.map(({ account }) => account)).map((each) => each.rateLimitWaitMs())),
	};
}

function itemsOf({ result }: Entry): INodeExecutionData[] {
	return result && 'items' in result ? result.items : [];
}

/** How many input items an entry stands for. A shared request stands for all of its items. */
function countOf({ task, result }: Entry): number {
	return task ? [task.pairedItem].flat().length : Number(result !== undefined);
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
