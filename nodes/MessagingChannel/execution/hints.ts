import countBy from 'lodash/countBy';
import isEqual from 'lodash/isEqual';
import sortBy from 'lodash/sortBy';
import sumBy from 'lodash/sumBy';
import uniq from 'lodash/uniq';
import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { ApiError, messageOf, stopReasonOr } from '../api/errors';
import { idOf } from '../api/values';
import { CAPACITY } from '../n8n/journal/room';
import type { SentText } from './findMessageIds';
import type { Entry, Task } from './task';

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
export function hintsFor(entries: readonly Entry[], done = 'sent', leftOut = 0): NodeExecutionHint[] {
	const records = entries.flatMap(itemsOf);
	const tasks = entries.flatMap(({ task }) => task ?? []);
	const differsFromFirst = createRequestIdComparison();
	const wasSkippedAsSent = (entry: Entry) => itemsOf(entry).some(wasSentBefore);
	// What was sent now comes first, wherever its item is: items wait for others to their recipient.
	const sharing = sortBy(entries, wasSkippedAsSent).filter(
		(entry) => entry.task && differsFromFirst(entry.task) && wasSkippedAsSent(entry),
	).length;
	const sentBefore = records.filter(wasSentBefore).length - sharing;
	const skipped = records.filter(isSkipped).length;
	const ambiguous = entries.filter(isAmbiguous).length;
	const items = sumBy(entries, countOf);
	const accounts = uniq(tasks.map(({ account }) => account));
	const waitedMs = sumBy(accounts, ({ rateLimitWait }) => rateLimitWait.ms);
	/** The requests that this run has made. */
	const requests = entries.flatMap((entry) => {
		const isMade = itemsOf(entry).some((item) => !isSkipped(item) && !wasSentBefore(item));
		return entry.task && isMade ? entry.task.request : [];
	});
	const texts = requests.filter(({ endpoint }) => endpoint.sends === 'text');
	const sameTexts = Object.values(countBy(texts, ({ parameters }) => parameters?.message));
	const broadcasts = requests.filter(({ parameters }) => Array.isArray(parameters?.recipients)).length;
	return [
		...failureHints(entries, items, done),
		...warning(
			ambiguous > 0,
			`Uncertain: ${ambiguous}. These may or may not have been sent. Their items have 'ambiguous: true' and say what to do.`,
		),
		...warning(
			sharing > 0,
			`Shared Request ID: ${sharing}. These items were not sent, because another item has the same 'Request ID'. Their recipients or contents differ, so give each item an ID of its own.`,
		),
		...info(
			leftOut > 0,
			`Left out: ${leftOut} of ${leftOut + items} items. 'Execute Once' in the 'Settings' of this node lets it run for the first item only.`,
		),
		...info(skipped > 0, `Skipped recipients: ${skipped}. Their items in the output say why.`),
		...info(
			sentBefore > 0,
			`Sent before: ${sentBefore}. They were not sent again. Their items have 'already_sent: true'.`,
		),
		...info(
			waitedMs >= HINTED_WAIT_MS,
			`The node waited ${Math.round(waitedMs / 1000)} seconds for the rate limit of the account to reset.`,
		),
		...sameTexts.flatMap((count) =>
			info(
				count > BROADCAST_THRESHOLD,
				`${count} messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.`,
			),
		),
		...info(
			broadcasts > 1,
			`${broadcasts} broadcasts were created, one for each item. Who is in several of them gets several messages. To create one broadcast for all items, set 'Recipients From' to 'All Items'.`,
		),
	];
}

/** The hint of a run that did not find the IDs of all its messages. */
export function missingIdHints(texts: readonly SentText[]): NodeExecutionHint[] {
	const missing = texts.filter(({ record }) => idOf(record.message_id) === undefined).length;
	return info(
		missing > 0,
		`Without a message ID: ${missing} of ${texts.length}. The messages were not in their chats yet, or others there look the same. With 'Wait Until Sent', they are there before the node looks.`,
	);
}

/** The hint of a run for which the node had to forget earlier sends. */
export function forgottenHints(count: number): NodeExecutionHint[] {
	return warning(
		count > 0,
		`Forgotten: ${count} older sends. A node remembers about ${CAPACITY}. If an execution asks for a forgotten one again, it is sent again. Use another node for the next campaign.`,
	);
}

/** The hint about items that failed for sure, or were not begun. */
function failureHints(entries: readonly Entry[], items: number, done: string): NodeExecutionHint[] {
	const failures = entries.flatMap((entry): Array<{ entry: Entry; reason: string }> => {
		const { task, result } = entry;
		if (!result) return task ? [{ entry, reason: 'Not begun, because another item failed' }] : [];
		if (!('error' in result) || isAmbiguous(entry)) return [];
		return [{ entry, reason: messageOf(stopReasonOr(result.error)) }];
	});
	const failed = sumBy(failures, ({ entry }) => countOf(entry));
	const count = failed === items ? `None of ${items} was ${done}` : `Not ${done}: ${failed} of ${items}`;
	// What was not begun says nothing new, so it comes last.
	const reasons = uniq(sortBy(failures, ({ entry }) => !entry.result).map(({ reason }) => reason));
	const more = reasons.length > HINTED_REASONS ? '; …' : '';
	return warning(failed > 0, `${count}: ${reasons.slice(0, HINTED_REASONS).join('; ')}${more}.`);
}

function warning(applies: boolean, message: string): NodeExecutionHint[] {
	return applies ? [{ type: 'warning', location: 'outputPane', message }] : [];
}

function info(applies: boolean, message: string): NodeExecutionHint[] {
	return applies ? [{ type: 'info', location: 'outputPane', message }] : [];
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

function isAmbiguous({ result }: Entry): boolean {
	return (
		result !== undefined && 'error' in result && result.error instanceof ApiError && result.error.ambiguous
	);
}
