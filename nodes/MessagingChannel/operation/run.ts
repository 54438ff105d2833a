import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ApiRequest } from '../api/call';
import type { Client } from '../api/client';
import { connect } from '../api/connect';
import { listRecords } from '../api/pages';
import { recordsOf } from '../api/records';
import { downloadedItem, fileOf } from './binary';
import { failedItem, nodeErrorOf } from './failure';
import { corrected } from './inferred';
import type { Input, Operation, Resource } from './operation';
import { readInput } from './read';

/** What one item asks for. */
interface Task {
	input: Input;
	request: ApiRequest;
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
			return readTask(context, operation, itemIndex);
		} catch (error) {
			if (goesOn) return new Rejected(error);
			throw nodeErrorOf(node, error, itemIndex);
		}
	});

	const output: INodeExecutionData[] = [];
	for (const [itemIndex, task] of tasks.entries()) {
		try {
			const items = await perform(context, client, operation, task);
			output.push(...items.map((item) => ({ ...item, pairedItem: { item: itemIndex } })));
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

function readTask(context: IExecuteFunctions, operation: Operation, itemIndex: number): Task {
	const input = readInput(operation, {
		read: (name, fallback) => context.getNodeParameter(name, itemIndex, fallback),
		timezone: context.getTimezone(),
		file: (binaryPropertyName) => fileOf(context, itemIndex, binaryPropertyName),
	});
	const { call } = operation;
	const request = { call, ...(operation.request?.(input) ?? { parameters: input.parameters }) };
	return { input, request: corrected(request, input) };
}

async function perform(
	context: IExecuteFunctions,
	client: Client,
	{ paging, download, output = recordsOf }: Operation,
	task: Task | Rejected,
): Promise<INodeExecutionData[]> {
	if (task instanceof Rejected) throw task.reason;
	const { input, request } = task;
	if (download?.(input)) {
		const file = await client.download(request);
		return [await downloadedItem(context, file, String(input.settings.binaryPropertyName))];
	}
	const records = paging
		? await listRecords(client, request, paging, Number(input.settings.limit ?? Infinity))
		: output(await client.call(request));
	return records.map((json) => ({ json }));
}
