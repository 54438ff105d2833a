import clamp from 'lodash/clamp';
import isEqual from 'lodash/isEqual';
import sum from 'lodash/sum';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isIdempotent, type ApiRequest } from '../api/apiRequest';
import { systemClock, type Clock } from '../api/clock';
import { ApiError, asNeverSent } from '../api/errors';
import { listRecords } from '../api/pagination';
import { recordsOf } from '../api/records';
import { downloadedItem } from '../n8n/binaryData';
import { failedItem, forErrorOutput, nodeErrorOf } from '../n8n/nodeErrors';
import type { Operation, Resource } from '../operation/operation';
import { withSharedRequest } from './allItems';
import { hintsFor, type RunSummary } from './hints';
import { runPartitioned } from './runPartitioned';
import { sendParts, sendsOf } from './sending/parts';
import { requestIdsOf, requestKeysOf, type IdentifiedSend } from './sending/requestIds';
import { retriedSendsOf } from './sending/retriedSends';
import { sendLogOf, type Send, type SendLog } from './sending/sendLog';
import { AllRecipientsSkipped, withoutSkipped } from './sending/skipRecipients';
import type { SendRecords } from './sending/sendRecords';
import {
	registerEarlierText,
	registerPossibleText,
	sendOnce,
	type SendDependencies,
} from './sending/sendOnce';
import { isTask, readTasks, type Account, type Failed, type Task } from './tasks';

/** Requests in flight, if the user did not say how many. */
const DEFAULT_CONCURRENCY = 25;

/** Messages in flight while the rate limit has room for many more. */
const MAX_DEFAULT_CONCURRENCY = 100;

/** What all tasks of a run share. */
interface RunContext extends Omit<SendDependencies, 'reconciliation' | 'queued' | 'queueLooks'> {
	context: IExecuteFunctions;
	operation: Operation;
}

/** The output items of a task, or its error. */
type ItemResult = { items: INodeExecutionData[] } | Failed;

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
	context: IExecuteFunctions,
	resources: readonly Resource[],
	clock: Clock = systemClock(context.getExecutionCancelSignal()),
): Promise<INodeExecutionData[][]> {
	const operation = selectedOperation(context, resources);
	const tasks = withSharedRequest(operation, await readTasks(context, operation, clock));
	const continuesOnFail = context.continueOnFail();
	const firstFailed = tasks.findIndex((task) => task && 'error' in task);
	if (firstFailed >= 0 && !continuesOnFail)
		throw nodeErrorFor(context, tasks[firstFailed] as Failed, firstFailed);

	const validTasks = tasks.filter(isTask);
	const [first] = validTasks;
	const runContext = createRunContext(context, operation, clock, validTasks);
	await first?.interaction?.ready(clock);
	const concurrency = concurrencyOf(validTasks);
	const results = await runPartitioned<Task | Failed | undefined, ItemResult>(tasks, {
		concurrency,
		partitionKeyOf: (task) => (isTask(task) ? task.partitionKey : undefined),
		run: async (task) => (isTask(task) ? await runTask(runContext, task) : (task ?? { items: [] })),
		shouldStop: (result) => !continuesOnFail && 'error' in result,
	}).finally(async () => {
		await runContext.retried?.stored();
		await runContext.requestIds?.stored();
	});

	await findMessageIds(tasks, results);
	if (!results.some((result) => result && 'error' in result)) {
		runContext.log.clear();
		await first?.interaction?.wait(clock.now());
	}
	context.addExecutionHints(...hintsFor(summaryOf(tasks, results)));

	const output = results.flatMap((result = { items: [] }, itemIndex) => {
		if ('items' in result) return result.items;
		const task = tasks[itemIndex];
		const pairedItem = isTask(task) ? task.pairedItem : { item: itemIndex };
		// The error of a shared request names no single item.
		const error = nodeErrorFor(context, result, Array.isArray(pairedItem) ? undefined : itemIndex);
		if (!continuesOnFail) throw error;
		const item = { ...failedItem(result.error, itemIndex), pairedItem };
		const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
		return [hasErrorOutput ? forErrorOutput(item, error, context.getInputData()[itemIndex]) : item];
	});
	return [output];
}

/**
 * How many requests can be in flight, whenever it is asked. Files fill the memory, so only messages without one follow the
 * rate limits, and the lowest if the items have several accounts.
 */
function concurrencyOf(tasks: readonly Task[]): () => number {
	// n8n resolves the option for each item, but a run has one concurrency: that of the first item.
	const { maxConcurrency = DEFAULT_CONCURRENCY } = tasks[0]?.options ?? {};
	const isAdaptive =
		tasks[0]?.options.maxConcurrency === undefined &&
		tasks.every(({ request }) => request.endpoint.sends && !request.file);
	if (!isAdaptive) return () => maxConcurrency;
	const accounts = [...new Set(tasks.map(({ account }) => account))];
	return () => {
		const safe = Math.min(...accounts.map((account) => account.safeConcurrency()));
		return clamp(safe, DEFAULT_CONCURRENCY, MAX_DEFAULT_CONCURRENCY);
	};
}

function nodeErrorFor(
	context: IExecuteFunctions,
	{ error }: Failed,
	itemIndex?: number,
): ReturnType<typeof nodeErrorOf> {
	return nodeErrorOf(context.getNode(), error, itemIndex);
}

function selectedOperation(context: IExecuteFunctions, resources: readonly Resource[]): Operation {
	const resourceValue = context.getNodeParameter('resource', 0);
	const operationValue = context.getNodeParameter('operation', 0);
	const operation = resources
		.find(({ value }) => value === resourceValue)
		?.operations.find(({ value }) => value === operationValue);
	if (operation) return operation;
	throw nodeErrorOf(
		context.getNode(),
		new Error(`The operation '${operationValue}' is not supported for the resource '${resourceValue}'`),
		0,
	);
}

function createRunContext(
	context: IExecuteFunctions,
	operation: Operation,
	clock: Clock,
	tasks: readonly Task[],
): RunContext {
	const log = sendLogOf(context);
	for (const task of tasks) {
		for (const send of sendsOf(sendOf(task), task.parts, log)) {
			registerEarlierText({ ...task.account, log }, send);
		}
	}
	const retried = isIdempotent(operation.endpoint) ? undefined : retriedSendsOf(context, clock);
	return { context, operation, clock, log, retried, requestIds: requestIdsIn(context, clock, log, tasks) };
}

/** The records of the tasks with a request ID; undefined if there are none. */
function requestIdsIn(
	context: IExecuteFunctions,
	clock: Clock,
	log: SendLog,
	tasks: readonly Task[],
): SendRecords | undefined {
	const identified = tasks
		.map((task) => ({ task, send: sendsOf(sendOf(task), task.parts, log)[0] as Send }))
		.filter(isIdentified);
	if (identified.length === 0) return undefined;
	const sends = identified.map(({ send }) => send);
	return requestIdsOf(context, clock, sends, async (unconfirmed) => {
		const keys = new Set(unconfirmed.map(({ requestKey }) => requestKey));
		const messages = new Set(unconfirmed.map(messageOf));
		const accounts = new Set<Account>();
		for (const { task, send } of identified) {
			if (keys.has(send.requestKey)) accounts.add(task.account);
			else if (messages.has(messageOf(send))) registerPossibleText({ ...task.account, clock }, send);
		}
		await Promise.all([...accounts].map(async ({ queueLooks }) => await queueLooks.look()));
	});
}

/** The recipient and the text, which are all that the chat shows. */
function messageOf({ partitionKey, request }: Send): string {
	return JSON.stringify([partitionKey, request.parameters?.message]);
}

function isIdentified(entry: { task: Task; send: Send }): entry is { task: Task; send: IdentifiedSend } {
	return entry.send.requestKey !== undefined;
}

function summaryOf(
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

function isAmbiguous(result?: ItemResult): boolean {
	return (
		result !== undefined && 'error' in result && result.error instanceof ApiError && result.error.ambiguous
	);
}

function findsMessageId({ input, request }: Task): boolean {
	return request.endpoint.sends === 'text' && input.settings.findMessageId === true;
}

/** Adds the message IDs to the items of the texts that this run has sent. */
async function findMessageIds(
	tasks: ReadonlyArray<Task | Failed | undefined>,
	results: ReadonlyArray<ItemResult | undefined>,
): Promise<void> {
	const sends = tasks.flatMap((task, index) => {
		const result = results[index];
		if (!isTask(task) || !findsMessageId(task) || !result || !('items' in result)) return [];
		const { to, message, priority } = task.request.parameters ?? {};
		const texts = task.parts ?? [String(message)];
		const sent = result.items.flatMap(
			({ json }) => (Array.isArray(json.parts) ? json.parts : [json]) as IDataObject[],
		);
		return sent.flatMap((record, part) => {
			if (record.skipped === true || (record.already_sent === true && record.verified !== true)) return [];
			return [{ task, text: { to: String(to), message: String(texts[part]), priority, record } }];
		});
	});
	const byAccount = new Map(sends.map(({ task }) => [task.account, task] as const));
	for (const [account, { options }] of byAccount) {
		const own = sends.filter(({ task }) => task.account === account).map(({ text }) => text);
		await account.messageIds.find(own, options, options.maxConcurrency ?? DEFAULT_CONCURRENCY);
	}
}

async function runTask(runContext: RunContext, task: Task): Promise<ItemResult> {
	try {
		return { items: await task.account.running(async () => await perform(runContext, task)) };
	} catch (error) {
		if (error instanceof AllRecipientsSkipped) return { items: itemsFor(task, error.recipients) };
		return { error };
	}
}

async function perform(runContext: RunContext, task: Task): Promise<INodeExecutionData[]> {
	const { context, operation } = runContext;
	const { account, input, request, options, pairedItem } = task;
	if (operation.download?.(input)) {
		const field = String(input.settings.binaryPropertyName);
		const item = await account.client.download(
			request,
			async (file) => await downloadedItem(context, file, field),
		);
		return [{ ...item, pairedItem }];
	}

	const records = isIdempotent(request.endpoint)
		? await recordsFor(operation, task)
		: await sendParts(
				sendsOf(sendOf(task), task.parts, runContext.log),
				runContext,
				async (send) =>
					await sendOnce({ ...runContext, ...account }, send, options.afterAmbiguousSend, async () => {
						const sent = await checkBeforeSend(task, send).catch(neverSent);
						return [...(await recordsFor(operation, { ...task, request: sent.request })), ...sent.skipped];
					}),
			);
	return itemsFor(task, records);
}

/**
 * Checks an interaction, waits for the queue, and finds out who must not get the message and what the chat shows.
 *
 * @returns the request for the recipients who get it, and those who are skipped
 */
async function checkBeforeSend(task: Task, send: Send): ReturnType<typeof withoutSkipped> {
	const { account, input, request, options } = task;
	await task.interaction?.check();
	await account.waitForQueue(options.pauseWhenQueueAbove, options);
	// A text whose first part was sent is not cut off.
	const tags = send.part?.index ? [] : ((input.settings.skipTags ?? []) as string[]);
	const sent = await withoutSkipped(send.request, account.optOuts, tags, options);
	if (findsMessageId(task)) {
		await account.messageIds.remember(String(request.parameters?.to), options);
	}
	return sent;
}

function neverSent(error: unknown): never {
	throw error instanceof ApiError ? asNeverSent(error) : error;
}

function itemsFor({ pairedItem, itemsOf }: Task, records: IDataObject[]): INodeExecutionData[] {
	return records.map((json) => ({
		json,
		pairedItem: (json.skipped === true && itemsOf?.(String(json.to))) || pairedItem,
	}));
}

function sendOf({ request, itemIndex, partitionKey, options: { requestId }, account }: Task): Send {
	return {
		request,
		itemIndex,
		partitionKey: String(partitionKey),
		...(requestId === undefined ? {} : requestKeysOf(account.sender, account.digest, requestId)),
	};
}

async function recordsFor(operation: Operation, { account, request, input }: Task): Promise<IDataObject[]> {
	const { pagination, output = recordsOf, record } = operation;
	if (!pagination) return output(await account.client.call(request));
	const limit = Number(input.settings.limit ?? Infinity);
	const records = await listRecords(account.client, request, pagination, limit);
	return record ? records.map((found) => record(found, input)) : records;
}
