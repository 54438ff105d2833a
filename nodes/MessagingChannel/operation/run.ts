import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createBackpressure, type HoldBack } from '../api/backpressure';
import { isRepeatable, type ApiRequest } from '../api/call';
import type { Client } from '../api/client';
import { systemClock, type Clock } from '../api/clock';
import { connect, logsLongWaits } from '../api/connect';
import { listRecords } from '../api/pages';
import { placeParameters } from '../api/placing';
import { recordsOf } from '../api/records';
import { createSentMessages } from '../api/sentMessages';
import type { Question } from '../waiting/question';
import { checkWait, waitForAnswer, withLinks } from '../waiting/wait';
import { adviceOn } from './advice';
import { downloadedItem, fileOf } from './binary';
import { failedItem, forErrorOutput, nodeErrorOf } from './failure';
import { corrected } from './inferred';
import { runInLanes } from './lanes';
import { ledgerOf } from './ledger';
import { InvalidInput, type Input } from './input';
import type { Operation, Resource } from './operation';
import { InvalidField, readInput } from './read';
import { runOptionsIn, type RunOptions } from './runOptions';
import { sendOnce, type SendTools } from './sendOnce';

/** What one item asks for. */
interface Task {
	input: Input;
	request: ApiRequest;
	/** What it must not overtake another in; undefined when it may go in any order. */
	lane: string | undefined;
	options: RunOptions;
	/** What the workflow waits for an answer to, once the request was made. */
	question?: Question;
}

/** Stands for an item that could not be read, or whose request did not succeed. */
class Failure {
	constructor(readonly reason: unknown) {}
}

/** What the requests of a run share. */
interface Run extends SendTools {
	context: IExecuteFunctions;
	operation: Operation;
	client: Client;
	holdBack: HoldBack;
}

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
	const goesOn = context.continueOnFail();
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	const errorOf = ({ reason }: Failure, itemIndex: number) =>
		nodeErrorOf(context.getNode(), reason, itemIndex);

	const tasks = context.getInputData().map((_, itemIndex) => {
		const task = readTask(context, operation, itemIndex, clock.now());
		if (task instanceof Failure && !goesOn) throw errorOf(task, itemIndex);
		return task;
	});
	const readable = tasks.filter((task): task is Task => !(task instanceof Failure));
	const [first] = readable;

	const run = await startRun(context, operation, clock);
	const outcomes = new Map<number, INodeExecutionData[] | Failure>();
	let hasFailed = false;
	await runInLanes(
		tasks.map((task, itemIndex) => ({
			lane: task instanceof Failure ? undefined : task.lane,
			run: async () => {
				const outcome = task instanceof Failure ? task : await perform(run, task, itemIndex).catch(toFailure);
				outcomes.set(itemIndex, outcome);
				if (outcome instanceof Failure) hasFailed = true;
			},
		})),
		// The node has one concurrency, though n8n lets every item have its own.
		first?.options.maxConcurrency ?? 1,
		() => goesOn || !hasFailed,
	);
	if (!hasFailed) {
		run.ledger.clear();
		if (first?.question) await waitForAnswer(context, first.question, clock.now());
	}
	context.addExecutionHints(...adviceOn(readable.map(({ request }) => request)));

	const output = tasks.flatMap((_, itemIndex) => {
		const outcome = outcomes.get(itemIndex) ?? [];
		if (!(outcome instanceof Failure)) return outcome;
		if (!goesOn) throw errorOf(outcome, itemIndex);
		const item = failedItem(outcome.reason, itemIndex);
		return [hasErrorOutput ? forErrorOutput(item, errorOf(outcome, itemIndex)) : item];
	});
	return [output];
}

function toFailure(reason: unknown): Failure {
	return new Failure(reason);
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

async function startRun(context: IExecuteFunctions, operation: Operation, clock: Clock): Promise<Run> {
	const client = await connect(context, clock);
	const ledger = ledgerOf(context);
	return {
		context,
		operation,
		client,
		clock,
		ledger,
		sentMessages: createSentMessages(client, clock, ledger.texts),
		holdBack: createBackpressure(client, clock, logsLongWaits(context, 'the queue of the service to shrink')),
	};
}

function readTask(
	context: IExecuteFunctions,
	operation: Operation,
	itemIndex: number,
	now: number,
): Task | Failure {
	try {
		const input = readInput(operation, {
			read: (name, fallback) => context.getNodeParameter(name, itemIndex, fallback),
			timezone: context.getTimezone(),
			file: (binaryPropertyName) => fileOf(context, itemIndex, binaryPropertyName),
		});
		const { call } = operation;
		const asked = { call, ...(operation.request?.(input) ?? { parameters: input.parameters }) };
		const question = operation.asks?.(input);
		if (question) checkWait(context.getInputData().length, question, now);
		const request = corrected(question ? withLinks(context, asked, question) : asked, input);
		const options = runOptionsIn(input);
		const lane = laneOf(request);
		return {
			input,
			options,
			request: { ...request, patience: options },
			// The links in the message of an earlier execution lead nowhere, so a new one asks anew.
			lane: question ? `${lane} ${context.getExecutionId()}` : lane,
			question,
		};
	} catch (error) {
		return new Failure(error instanceof InvalidInput ? new InvalidField(error) : error);
	}
}

/**
 * What a request must not overtake another for: its recipient, or the record that it changes. Reads may go in any
 * order.
 */
function laneOf(request: ApiRequest): string | undefined {
	const { call, parameters = {} } = request;
	if (call.method === 'GET' || call.repeatable) return undefined;
	// A chat with one person has that person's number before the channel's suffix.
	if (typeof parameters.to === 'string') return parameters.to.split('@')[0];
	return placeParameters(request).path;
}

async function perform(run: Run, task: Task, itemIndex: number): Promise<INodeExecutionData[]> {
	const { context, client, operation } = run;
	const { input, request, options, lane } = task;
	const pairedItem = { item: itemIndex };
	if (operation.download?.(input)) {
		const file = await client.download(request);
		const item = await downloadedItem(context, file, String(input.settings.binaryPropertyName));
		return [{ ...item, pairedItem }];
	}

	const records = isRepeatable(request.call)
		? await recordsFor(run, task)
		: await sendOnce(
				run,
				{ request, itemIndex, lane: String(lane) },
				options.afterAmbiguousSend,
				async () => {
					await run.holdBack(options.pauseWhenQueueAbove, options);
					return await recordsFor(run, task);
				},
			);
	return records.map((json) => ({ json, pairedItem }));
}

async function recordsFor({ client, operation }: Run, { request, input }: Task): Promise<IDataObject[]> {
	const { paging, output = recordsOf } = operation;
	if (!paging) return output(await client.call(request));
	return await listRecords(client, request, paging, Number(input.settings.limit ?? Infinity));
}
