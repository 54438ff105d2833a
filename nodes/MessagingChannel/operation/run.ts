import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Parameters } from '../api/call';
import type { Client } from '../api/client';
import { connect } from '../api/connect';
import { listRecords } from '../api/pages';
import { recordsOf } from '../api/records';
import { failedItem, nodeErrorOf } from './failure';
import type { Operation, Resource } from './operation';
import { limit, returnAll } from './paging';
import { readFields, readParameters, type Source } from './read';

/** What one item asks for. */
interface Task {
	parameters: Parameters;
	limit: number;
}

/**
 * Runs the selected operation for every input item.
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
): Promise<INodeExecutionData[][]> {
	const node = context.getNode();
	const goesOn = context.continueOnFail();
	const operation = selectedOperation(context, resources);
	const client = await connect(context);

	const tasks = context.getInputData().map((_, itemIndex) => {
		try {
			return readTask(operation, sourceOf(context, itemIndex));
		} catch (error) {
			if (goesOn) return new Rejected(error);
			throw nodeErrorOf(node, error, itemIndex);
		}
	});

	const output: INodeExecutionData[] = [];
	for (const [itemIndex, task] of tasks.entries()) {
		try {
			output.push(...(await perform(client, operation, task, itemIndex)));
		} catch (error) {
			if (!goesOn) throw nodeErrorOf(node, error, itemIndex);
			output.push(failedItem(error, itemIndex));
		}
	}
	return [output];
}

/** Stands for an item that could not be read. */
class Rejected {
	constructor(readonly reason: unknown) {}
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

function sourceOf(context: IExecuteFunctions, itemIndex: number): Source {
	return {
		read: (name, fallback) => context.getNodeParameter(name, itemIndex, fallback),
		timezone: context.getTimezone(),
	};
}

function readTask(operation: Operation, source: Source): Task {
	const wanted = operation.paging ? readFields([returnAll, limit], source) : {};
	return { parameters: readParameters(operation, source), limit: Number(wanted.limit ?? Infinity) };
}

async function perform(
	client: Client,
	{ call, paging, output = recordsOf }: Operation,
	task: Task | Rejected,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	if (task instanceof Rejected) throw task.reason;
	const records = paging
		? await listRecords(client, call, task.parameters, paging, task.limit)
		: output(await client.call(call, task.parameters));
	return records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
