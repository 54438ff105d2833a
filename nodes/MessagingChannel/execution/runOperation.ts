import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isIdempotent } from '../api/apiRequest';
import { systemClock, type Clock } from '../api/clock';
import { listRecords } from '../api/pagination';
import { recordsOf } from '../api/records';
import { downloadedItem } from '../n8n/binaryData';
import { failedItem, forErrorOutput, nodeErrorOf } from '../n8n/nodeErrors';
import type { Operation, Resource } from '../operation/operation';
import { withSharedRequest } from './allItems';
import { hintsFor } from './hints';
import { runPartitioned } from './runPartitioned';
import { sendInOrder, sendsOf } from './sending/parts';
import { retriedSendsOf } from './sending/retriedSends';
import { sendLogOf, type Send } from './sending/sendLog';
import { registerEarlierText, sendOnce, type SendDependencies } from './sending/sendOnce';
import { isTask, readTasks, type Failed, type Task } from './tasks';

/** What all tasks of a run share. */
interface RunContext extends Omit<SendDependencies, 'reconciliation' | 'queued'> {
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
	const results = await runPartitioned<Task | Failed | undefined, ItemResult>(tasks, {
		// n8n resolves the option for each item, but a run has one concurrency: that of the first item.
		concurrency: first?.options.maxConcurrency ?? 1,
		partitionKeyOf: (task) => (isTask(task) ? task.partitionKey : undefined),
		run: async (task) => (isTask(task) ? await runTask(runContext, task) : (task ?? { items: [] })),
		shouldStop: (result) => !continuesOnFail && 'error' in result,
	}).finally(async () => await runContext.retried?.stored());

	if (!results.some((result) => result && 'error' in result)) {
		runContext.log.clear();
		await first?.interaction?.wait(clock.now());
	}
	context.addExecutionHints(...hintsFor(validTasks.map(({ request }) => request)));

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
	return { context, operation, clock, log, retried };
}

async function runTask(runContext: RunContext, task: Task): Promise<ItemResult> {
	try {
		return { items: await perform(runContext, task) };
	} catch (error) {
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
		: await sendInOrder(
				sendsOf(sendOf(task), task.parts, runContext.log),
				async (send) =>
					await sendOnce({ ...runContext, ...account }, send, options.afterAmbiguousSend, async () => {
						await account.waitForQueue(options.pauseWhenQueueAbove, options);
						return await recordsFor(operation, { ...task, request: send.request });
					}),
			);
	return records.map((json) => ({ json, pairedItem }));
}

function sendOf({ request, itemIndex, partitionKey }: Task): Send {
	return { request, itemIndex, partitionKey: String(partitionKey) };
}

async function recordsFor(operation: Operation, { account, request, input }: Task): Promise<IDataObject[]> {
	const { pagination, output = recordsOf } = operation;
	if (!pagination) return output(await account.client.call(request));
	return await listRecords(account.client, request, pagination, Number(input.settings.limit ?? Infinity));
}
