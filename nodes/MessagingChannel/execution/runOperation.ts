import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { systemClock, type Clock } from '../api/clock';
import { asStopped } from '../api/errors';
import { failedItem, forErrorOutput, nodeErrorOf } from '../n8n/nodeErrors';
import { hasErrorOutput, keepToolOutput, leftOutItems, withoutEmptyItem } from '../n8n/nodeSettings';
import { hasExecution } from '../n8n/toolNode';
import { InvalidInput } from '../operation/input';
import type { Operation, Resource } from '../operation/operation';
import { withSharedRequest } from './allItems';
import { concurrencyOf } from './concurrency';
import { findMessageIds } from './findMessageIds';
import { hintsFor } from './hints';
import { runPartitioned } from './runPartitioned';
import { createRunContext, runTask, type ItemResult } from './runTask';
import { createSendFields } from './sendFields';
import { summaryOf } from './summary';
import { isTask, readTasks, type Failed, type Task } from './tasks';

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
	keepToolOutput(context);
	const operation = selectedOperation(context, resources);
	if ('error' in operation)
		return [
			context
				.getInputData()
				.map((_, itemIndex) => failedOutput(context, operation, itemIndex, context.continueOnFail())),
		];
	const tasks = withSharedRequest(
		operation,
		await readTasks(context, operation, clock).catch((error: unknown) => {
			throw nodeErrorFor(context, { error });
		}),
		context.getNode().executeOnce === true,
	);
	const continuesOnFail = context.continueOnFail();
	const firstFailed = tasks.findIndex((task) => task && 'error' in task);
	if (firstFailed >= 0 && !continuesOnFail)
		throw nodeErrorFor(context, tasks[firstFailed] as Failed, firstFailed);

	const validTasks = tasks.filter(isTask);
	const [first] = validTasks;
	const runContext = createRunContext(context, operation, clock, validTasks);
	await first?.interaction?.ready(clock).catch((error: unknown) => {
		throw nodeErrorFor(context, { error }, first.itemIndex);
	});
	const concurrency = concurrencyOf(validTasks);
	const results = await runPartitioned<Task | Failed | undefined, ItemResult>(tasks, {
		concurrency,
		partitionKeyOf: (task) => (isTask(task) ? task.partitionKey : undefined),
		run: async (task) => (isTask(task) ? await runTask(runContext, task) : (task ?? { items: [] })),
		shouldStop: (result) => !continuesOnFail && 'error' in result,
	}).finally(async () => {
		await runContext.retried?.close();
		await runContext.requestIds?.close();
	});

	// The send log has the same records, so the next try outputs the IDs too.
	for (const { record, messageId } of await findMessageIds(tasks, results)) record.message_id = messageId;
	context.addExecutionHints(
		...hintsFor(summaryOf(tasks, results), operation.endpoint.sends ? 'sent' : 'done', leftOutItems(context)),
	);

	const sendFields = operation.endpoint.sends && createSendFields(tasks, results);
	const output = results.flatMap((result = { items: [] }, itemIndex) => {
		const task = isTask(tasks[itemIndex]) ? tasks[itemIndex] : undefined;
		if ('error' in result) {
			const own = { pairedItem: task?.pairedItem, json: sendFields?.ofFailed(task, result) };
			// It is thrown then, too: n8n's retry would go on behind a node that returns, without what was not sent.
			const isEnded = !continuesOnFail && context.getExecutionCancelSignal()?.aborted;
			const failed = isEnded ? { error: asStopped(result.error) } : result;
			return [failedOutput(context, failed, itemIndex, continuesOnFail, own)];
		}
		if (!task || !sendFields) return result.items;
		return result.items.map((item) => ({ ...item, json: sendFields.toRecord(task, item.json) }));
	});
	if (!results.some((result) => result && 'error' in result)) {
		// With Retry On Fail, n8n runs the node again if its first item has an `error`, also one of the service's record.
		if (output[0]?.json.error === undefined) runContext.log.clear();
		await first?.interaction?.wait(clock.now());
	}
	return [output];
}

/**
 * The output for what failed.
 *
 * @param isPutOut whether it becomes an item
 * @param own what the item has beside the error, and the items of the request, if they are not the one at `itemIndex`
 * @throws the node error, unless it becomes an item. n8n would then output the input items, as if they had been sent
 */
function failedOutput(
	context: IExecuteFunctions,
	failed: Failed,
	itemIndex: number,
	isPutOut: boolean,
	{ pairedItem = { item: itemIndex }, json }: Partial<INodeExecutionData> = {},
): INodeExecutionData {
	// The error of a shared request names no single item.
	const error = nodeErrorFor(context, failed, Array.isArray(pairedItem) ? undefined : itemIndex);
	if (!isPutOut) throw error;
	const item = { json: { ...failedItem(failed.error, itemIndex).json, ...json }, pairedItem };
	if (!hasErrorOutput(context)) return item;
	withoutEmptyItem(context);
	return forErrorOutput(item, error, context.getInputData()[itemIndex]);
}

function nodeErrorFor(
	context: IExecuteFunctions,
	{ error }: Failed,
	itemIndex?: number,
): ReturnType<typeof nodeErrorOf> {
	const nodeError = nodeErrorOf(context.getNode(), error, itemIndex);
	// The model gets nothing else of it.
	if (!hasExecution(context)) nodeError.message = [nodeError.message, nodeError.description].join('. ');
	return nodeError;
}

function selectedOperation(context: IExecuteFunctions, resources: readonly Resource[]): Operation | Failed {
	const resourceValue = context.getNodeParameter('resource', 0);
	const operationValue = context.getNodeParameter('operation', 0);
	const operation = resources
		.find(({ value }) => value === resourceValue)
		?.operations.find(({ value }) => value === operationValue);
	if (operation) return operation;
	const problem = `is '${operationValue}', which is not supported for the resource '${resourceValue}'`;
	return { error: new InvalidInput(problem, 'Choose the resource and the operation again.', 'Operation') };
}
