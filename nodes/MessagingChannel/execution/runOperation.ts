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
import { retriedSendsOf } from './sending/retriedSends';
import { sendLogOf, type Send } from './sending/sendLog';
import { noteEarlierText, sendOnce, type SendTools } from './sending/sendOnce';
import { isTask, readTasks, type Failed, type Task } from './tasks';

/** What the requests of a run share. */
interface Run extends Omit<SendTools, 'reconciliation'> {
	context: IExecuteFunctions;
	operation: Operation;
}

/** What became of an item. */
type Outcome = { items: INodeExecutionData[] } | Failed;

/**
 * Runs the selected operation for every input item: several at a time, those for the same recipient in their order.
 *
 * All items are read before the first request goes out, so that a mistake in one of them stops the node while nothing
 * has been sent yet.
 *
 * @returns one output with the records, in the order of the items that asked for them
 * @throws NodeOperationError for an item that cannot be sent, NodeApiError for one that the service did not take; with
 *   Continue On Fail such an item is put out as a failed one instead
 */
export async function runOperation(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	clock: Clock = systemClock(context.getExecutionCancelSignal()),
): Promise<INodeExecutionData[][]> {
	const operation = selectedOperation(context, resources);
	const tasks = withSharedRequest(operation, await readTasks(context, operation, clock));
	const continues = context.continueOnFail();
	const firstFailed = tasks.findIndex((task) => task && 'error' in task);
	if (firstFailed >= 0 && !continues) throw errorOf(context, tasks[firstFailed] as Failed, firstFailed);

	const readable = tasks.filter(isTask);
	const [first] = readable;
	const run = startRun(context, operation, clock, readable);
	const outcomes = await runPartitioned<Task | Failed | undefined, Outcome>(tasks, {
		// The node has one concurrency, though n8n lets every item have its own.
		concurrency: first?.options.maxConcurrency ?? 1,
		partitionKeyOf: (task) => (isTask(task) ? task.partitionKey : undefined),
		run: async (task) => (isTask(task) ? await outcomeOf(run, task) : (task ?? { items: [] })),
		isLast: (outcome) => !continues && 'error' in outcome,
	}).finally(async () => await run.retried?.stored());

	if (!outcomes.some((outcome) => outcome && 'error' in outcome)) {
		run.log.clear();
		await first?.interaction?.wait(clock.now());
	}
	context.addExecutionHints(...hintsFor(readable.map(({ request }) => request)));

	const output = outcomes.flatMap((outcome = { items: [] }, itemIndex) => {
		if ('items' in outcome) return outcome.items;
		const task = tasks[itemIndex];
		const pairedItem = isTask(task) ? task.pairedItem : { item: itemIndex };
		// What several items share is not the fault of one of them.
		const error = errorOf(context, outcome, Array.isArray(pairedItem) ? undefined : itemIndex);
		if (!continues) throw error;
		const item = { ...failedItem(outcome.error, itemIndex), pairedItem };
		const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
		return [hasErrorOutput ? forErrorOutput(item, error, context.getInputData()[itemIndex]) : item];
	});
	return [output];
}

function errorOf(
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
		new Error(`This node has no operation '${operationValue}' for the resource '${resourceValue}'`),
		0,
	);
}

function startRun(
	context: IExecuteFunctions,
	operation: Operation,
	clock: Clock,
	tasks: readonly Task[],
): Run {
	const log = sendLogOf(context);
	if (operation.endpoint.sends === 'text')
		for (const task of tasks) noteEarlierText({ ...task.account, log }, sendOf(task));
	const retried = isIdempotent(operation.endpoint) ? undefined : retriedSendsOf(context);
	return { context, operation, clock, log, retried };
}

async function outcomeOf(run: Run, task: Task): Promise<Outcome> {
	try {
		return { items: await perform(run, task) };
	} catch (error) {
		return { error };
	}
}

async function perform(run: Run, task: Task): Promise<INodeExecutionData[]> {
	const { context, operation } = run;
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
		: await sendOnce({ ...run, ...account }, sendOf(task), options.afterAmbiguousSend, async () => {
				await account.holdBack(options.pauseWhenQueueAbove, options);
				return await recordsFor(operation, task);
			});
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
