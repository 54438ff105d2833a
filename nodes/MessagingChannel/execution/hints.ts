import countBy from 'lodash/countBy';
import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { CAPACITY } from '../n8n/journal/room';
import isEqual from 'lodash/isEqual';
import sum from 'lodash/sum';
import uniq from 'lodash/uniq';
import { ApiError, messageOf, stopReasonOr } from '../api/errors';
import { idOf } from '../api/values';
import type { SentText } from './findMessageIds';
import type { Entry, Failed, ItemResult, Task } from './task';

/** Above this number of sends with the same text, a broadcast is the better choice (API spec, "Limits"). */
const BROADCAST_THRESHOLD = 50;

/** Shorter waits for the rate limit are not worth a hint. */
const HINTED_WAIT_MS = 5000;

/** How many different reasons a hint names. */
const HINTED_REASONS = 3;

/**
 * Execution hints: what a run did not do, or left uncertain, how long it waited, and when a broadcast would be better.
 *
 * @param done what the operation would have done with the items
 * @param leftOut how many items n8n has left out
 */
export function hintsFor(summary: RunSummary, done = 'sent', leftOut = 0): NodeExecutionHint[] {
	const { ambiguous, sharedRequestIds, skipped, sentBefore, rateLimitWaitMs, requests } = summary;
	const broadcasts = requests.filter(({ parameters }) => Array.isArray(parameters?.recipients));
	return [
		...hintIf(summary.failed > 0, 'warning', failureHint(summary, done)),
		...hintIf(
			ambiguous > 0,
			'warning',
			`Uncertain: ${ambiguous}. These may or may not have been sent. Their items have 'ambiguous: true' and say what to do.`,
		),
		...hintIf(
			sharedRequestIds > 0,
			'warning',
			`Shared Request ID: ${sharedRequestIds}. These items were not sent, because an item before them has the same 'Request ID'. Their recipients or contents differ, so give each item an ID of its own.`,
		),
		...hintIf(
			leftOut > 0,
			'info',
			`Left out: ${leftOut} of ${leftOut + summary.items} items. 'Execute Once' in the 'Settings' of this node lets it run for the first item only.`,
		),
		...hintIf(skipped > 0, 'info', `Skipped recipients: ${skipped}. Their items in the output say why.`),
		...hintIf(
			sentBefore > 0,
			'info',
			`Sent before: ${sentBefore}. They were not sent again. Their items have 'already_sent: true'.`,
		),
		...hintIf(
			rateLimitWaitMs >= HINTED_WAIT_MS,
			'info',
			`The node waited ${Math.round(rateLimitWaitMs / 1000)} seconds for the rate limit of the account to reset.`,
		),
		...sameTextCountsIn(requests).flatMap((count) =>
			hintIf(
				count > BROADCAST_THRESHOLD,
				'info',
				`${count} messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.`,
			),
		),
		...hintIf(
			broadcasts.length > 1,
			'info',
			`${broadcasts.length} broadcasts were created, one for each item. Who is in several of them gets several messages. To create one broadcast for all items, set 'Recipients From' to 'All Items'.`,
		),
	];
}

/** The hint of a run that did not find the IDs of all its messages. */
export function missingIdHints(texts: readonly SentText[]): NodeExecutionHint[] {
	const missing = texts.filter(({ record }) => idOf(record.message_id) === undefined).length;
	return hintIf(
		missing > 0,
		'info',
		`Without a message ID: ${missing} of ${texts.length}. The messages were not in their chats yet, or others there look the same. With 'Wait Until Sent', they are there before the node looks.`,
	);
}

/** The hint of a run for which the node had to forget earlier sends. */
export function forgottenHints(count: number): NodeExecutionHint[] {
	return hintIf(
		count > 0,
		'warning',
		`Forgotten: ${count} older sends. A node remembers about ${CAPACITY}. If an execution asks for a forgotten one again, it is sent again. Use another node for the next campaign.`,
	);
}

function failureHint({ failed, items, reasons }: RunSummary, done: string): string {
	const count = failed === items ? `None of ${items} was ${done}` : `Not ${done}: ${failed} of ${items}`;
	const more = reasons.length > HINTED_REASONS ? '; …' : '';
	return `${count}: ${reasons.slice(0, HINTED_REASONS).join('; ')}${more}.`;
}

function hintIf(applies: boolean, type: 'info' | 'warning', message: string): NodeExecutionHint[] {
	return applies ? [{ type, location: 'outputPane', message }] : [];
}

/** How many messages were sent with each text. */
function sameTextCountsIn(requests: readonly ApiRequest[]): number[] {
	const texts = requests.filter(({ endpoint }) => endpoint.sends === 'text');
	return Object.values(countBy(texts, ({ parameters }) => parameters?.message));
}

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
	const notBegun = entries.filter(({ task, result }) => task && !result);
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
		failed: sum([...failed, ...notBegun].map(countOf)),
		items: sum(entries.map(countOf)),
		reasons: [
			...new Set(failed.map(({ result }) => messageOf(stopReasonOr((result as Failed).error)))),
			...(notBegun.length > 0 ? ['Not begun, because another item failed'] : []),
		],
		rateLimitWaitMs: sum(uniq(tasks.map(({ account }) => account)).map((each) => each.rateLimitWait.ms)),
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
