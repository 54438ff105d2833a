import clamp from 'lodash/clamp';
import type { INodeExecutionData } from 'n8n-workflow';

import { hasFile, isIdempotent } from '../api/apiRequest';
import { systemClock, type Clock } from '../api/clock';
import { asStopped } from '../api/errors';
import type { ActionRun } from '../n8n/actionRun';
import { failedItem, forErrorOutput, nodeErrorOf } from '../n8n/nodeErrors';
import { InvalidInput } from '../operation/input';
import type { Operation, Resource } from '../operation/operation';
import { LAST_DIGITS } from '../recipients/recipient';
import { doneOnce, withSharedRequest } from './allItems';
import { onlyAllowed } from './allowedRecipients';
import { findMessageIds, type SentText } from './findMessageIds';
import { forgottenHints, hintsFor, missingIdHints } from './hints';
import { runPartitioned } from './runPartitioned';
import { runTask, sendOf } from './runTask';
import { createSendFields } from './sendFields';
import { sendJournalOf } from './sending/journal/openJournal';
import type { SendJournal } from './sending/sendJournal';
import { sendLogOf } from './sending/sendLog';
import type { Entry, Failed, ItemResult, RunContext, Task } from './task';
import { readTasks } from './tasks';

/**
 * Runs the selected operation for every input item. Requests run in parallel; requests to the same recipient run in
 * order.
 *
 * All items are read before the first request is sent, so an invalid item stops the node before anything is sent.
 *
 * @returns one output with the records, in the order of the input items
 * @throws NodeOperationError for an item that cannot be sent, NodeApiError for a request that failed. With Continue On
 *   Fail, the output contains a failed item instead
 */
export async function runOperation(
	run: ActionRun,
	resources: readonly Resource[],
	clock: Clock = systemClock(run.cancelled),
): Promise<INodeExecutionData[][]> {
	const operation = selectedOperation(run, resources);
	if ('error' in operation)
		return [run.items.map((_, itemIndex) => failedOutput(run, operation, itemIndex, run.continuesOnFail))];
	const log = sendLogOf(run, clock.elapsed());
	const sentTexts: SentText[] = [];
	const context = { run, operation, clock, log, sentTexts };
	const entries = await readAll(context);
	const tasks = entries.flatMap(({ task }) => task ?? []);
	const [first] = tasks;
	await first?.interaction?.ready(clock).catch((error: unknown) => {
		throw nodeErrorFor(run, { error }, first.itemIndex);
	});
	const done = await runAll(context, entries, tasks);

	// The send log has the same records, so the next try outputs the IDs too.
	if (sentTexts.length > 0)
		await findMessageIds(sentTexts, clock, concurrencyOf(tasks, true)).catch(() => undefined);
	const hints = [
		...hintsFor(done, operation.endpoint.sends ? 'sent' : 'done', run.leftOut),
		...missingIdHints(sentTexts),
	];
	if (hints.length > 0) run.showHints(hints);
	const hasFailed = done.some(({ result }) => result && 'error' in result);
	const output = outputOf(run, operation, done);
	if (!hasFailed) {
		// With Retry On Fail, n8n runs the node again if its first item has an `error`, also one of the service's record. One that was
		// stopped while it looked for IDs can be retried.
		if (output[0]?.json.error === undefined && !run.cancelled?.aborted) log.clear();
		await first?.interaction?.wait(clock.now());
	}
	return [output];
}

/** Reads the tasks of all items. One that cannot be sent ends the run, unless On Error lets the others go on. */
async function readAll(context: RunContext): Promise<readonly Entry[]> {
	const { run, operation } = context;
	const read = await readTasks(context).catch((error: unknown) => {
		throw nodeErrorFor(run, { error });
	});
	const { allItems } = operation;
	const isOnlyFirst = run.node.executeOnce === true;
	const shared = allItems ? withSharedRequest(operation, allItems, read, isOnlyFirst) : read;
	const merged = operation.report || operation.isOnce ? doneOnce(shared) : shared;
	const limited = merged.flatMap(({ task }) => (task && task.allowedLists.length > 0 ? task : []));
	const entries = limited.length > 0 ? onlyAllowed(operation, merged, limited) : merged;
	if (run.continuesOnFail) return entries;
	for (const [itemIndex, { result }] of entries.entries())
		if (result && 'error' in result) throw nodeErrorFor(run, result, itemIndex);
	return entries;
}

/** What the forms of a number need not share. Few numbers of a run share the rest. */
const ALL_BUT_LAST_DIGITS = new RegExp(String.raw`^\d+(?=\d{${LAST_DIGITS}})`);

/** Runs the tasks, in order for each recipient. Returns the entries with their results. */
async function runAll(
	context: RunContext,
	entries: readonly Entry[],
	tasks: readonly Task[],
): Promise<Entry[]> {
	const { run, operation } = context;
	const isRepeatable = isIdempotent(operation.endpoint);
	// What a run sends must be known after it: to the retries of its execution, or by request IDs.
	const hasFacts = run.retryOf !== undefined || tasks.some(({ options }) => options.requestId !== undefined);
	const journal = hasFacts && !isRepeatable ? runJournalOf(context, tasks) : undefined;
	const concurrency = concurrencyOf(tasks);
	// A number without its country code may be the one of another item.
	const keys = entries.map(({ task }) => task?.partitionKey?.replace(ALL_BUT_LAST_DIGITS, ''));
	const results = await runPartitioned<Entry, ItemResult | undefined>(entries, {
		concurrency,
		keys,
		async run({ task, result }, stop) {
			const done = task ? await runTask({ ...context, isRepeatable, journal }, task) : result;
			if (!run.continuesOnFail && done && 'error' in done) stop();
			return done;
		},
	}).finally(async () => {
		if (journal) run.showHints(forgottenHints(await journal.close()));
	});
	return entries.map(({ task }, index) => ({ task, result: results[index] }));
}

/** Opens the journal of a run. Call `close` at the end. */
function runJournalOf({ run, clock, log }: RunContext, tasks: readonly Task[]): SendJournal {
	const planned = tasks.map((task) => ({ account: task.account, send: sendOf(task, log) }));
	const sends = planned.map(({ send }) => send);
	return sendJournalOf(run, clock, sends, async (open) => {
		const earlier = planned.filter(({ send }) => open.has(String(send.requestKey)));
		const accounts = [...new Set(earlier.map(({ account }) => account))];
		const areEmpty = await Promise.all(accounts.map(async (account) => await account.emptyQueueCheck()()));
		const notQueued = earlier.filter(({ account }) => areEmpty[accounts.indexOf(account)]);
		return new Set(notQueued.map(({ send }) => String(send.requestKey)));
	});
}

/** Requests in flight, if the user did not say how many. */
const DEFAULT_CONCURRENCY = 25;

/** Messages in flight while the rate limit has room for many more. */
const MAX_DEFAULT_CONCURRENCY = 100;

/**
 * How many requests can be in flight, whenever it is asked. Files fill the memory, so only messages without one follow the
 * rate limits, and the lowest if the items have several accounts. Those that wait until they are sent go one after the other.
 *
 * @param areSent whether the requests only look for what the tasks have sent
 */
export function concurrencyOf(tasks: readonly Task[], areSent = false): () => number {
	// n8n resolves the option for each item, but a run has one concurrency: that of the first item.
	const chosen = tasks[0]?.options.maxConcurrency;
	if (chosen !== undefined) return () => chosen;
	// The service sends one message at a time, so one in line behind the others would time out (API spec, "What the service does" 3 and 4).
	if (!areSent && tasks.every(({ request }) => request.parameters?.sync === true)) return () => 1;
	const isAdaptive =
		tasks.length > DEFAULT_CONCURRENCY &&
		tasks.every(({ request }) => request.endpoint.sends && !hasFile(request));
	if (!isAdaptive) return () => DEFAULT_CONCURRENCY;
	const accounts = [...new Set(tasks.map(({ account }) => account))];
	return () => {
		const safe = Math.min(...accounts.map((account) => account.safeConcurrency()));
		return clamp(safe, DEFAULT_CONCURRENCY, MAX_DEFAULT_CONCURRENCY);
	};
}

/** The output of all results, in the order of the input items. Throws the node error of a task that failed, unless it becomes an item. */
function outputOf(run: ActionRun, { endpoint }: Operation, entries: readonly Entry[]): INodeExecutionData[] {
	const sendFields = endpoint.sends && createSendFields(entries);
	return entries.flatMap(({ task, result = { items: [] } }, itemIndex) => {
		if ('error' in result) {
			const own = { pairedItem: task?.pairedItem, json: sendFields?.ofFailed(task, result) };
			// It is thrown then, too: n8n's retry would go on behind a node that returns, without what was not sent.
			const isEnded = !run.continuesOnFail && run.cancelled?.aborted;
			const failed = isEnded ? { error: asStopped(result.error) } : result;
			return [failedOutput(run, failed, itemIndex, run.continuesOnFail, own)];
		}
		if (!task || !sendFields) return result.items;
		return result.items.map((item) => ({ ...item, json: sendFields.toRecord(task, item.json) }));
	});
}

/**
 * The output for what failed. Throws the node error, unless it is put out as an item.
 *
 * @param own what the item has beside the error, and the items of the request, if they are not the one at `itemIndex`
 */
function failedOutput(
	run: ActionRun,
	failed: Failed,
	itemIndex: number,
	isPutOut: boolean,
	{ pairedItem = { item: itemIndex }, json }: Partial<INodeExecutionData> = {},
): INodeExecutionData {
	// The error of a shared request names no single item.
	const error = nodeErrorFor(run, failed, Array.isArray(pairedItem) ? undefined : itemIndex);
	if (!isPutOut) throw error;
	const item = { json: { ...failedItem(failed.error, itemIndex).json, ...json }, pairedItem };
	if (!run.hasErrorOutput) return item;
	run.withoutEmptyItem();
	return forErrorOutput(item, error, run.items[itemIndex]);
}

function nodeErrorFor(
	{ node, nodeData }: ActionRun,
	{ error }: Failed,
	itemIndex?: number,
): ReturnType<typeof nodeErrorOf> {
	const nodeError = nodeErrorOf(node, error, itemIndex);
	// The model of an Agent of n8n gets nothing else of it.
	if (!nodeData) nodeError.message = [nodeError.message, nodeError.description].join('. ');
	return nodeError;
}

function selectedOperation({ selected }: ActionRun, resources: readonly Resource[]): Operation | Failed {
	const operation = resources
		.find(({ value }) => value === selected.resource)
		?.operations.find(({ value }) => value === selected.operation);
	if (operation) return operation;
	const problem = `is '${String(selected.operation)}', which is not supported for the resource '${String(selected.resource)}'`;
	return { error: new InvalidInput(problem, 'Choose the resource and the operation again.', 'Operation') };
}
