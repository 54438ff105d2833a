import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { createBackpressure, type HoldBack } from './sending/backpressure';
import { isIdempotent, type ApiRequest } from '../api/apiRequest';
import { numberInChatId } from '../api/chatId';
import type { Client } from '../api/client';
import { systemClock, type Clock } from '../api/clock';
import { connectItems, logsLongWaits, type Connection } from '../n8n/connect';
import { listRecords } from '../api/pagination';
import { requestParts } from '../api/requestParts';
import { recordsOf } from '../api/records';
import { createSendReconciliation, type SendReconciliation } from './sending/sendReconciliation';
import type { Question } from '../sendAndWait/question';
import { checkWait, waitForAnswer, withLinks } from '../sendAndWait/interaction';
import { hintsFor } from './hints';
import { differenceBetween, joinedRequest } from './allItems';
import { downloadedItem, fileOf } from '../n8n/binaryData';
import { failedItem, forErrorOutput, nodeErrorOf } from '../n8n/nodeErrors';
import { corrected } from '../operation/inferred';
import { runInLanes } from './runPartitioned';
import { InvalidInput, type Input } from '../operation/input';
import type { Operation, Resource } from '../operation/operation';
import { InvalidField, readInput } from '../operation/readInput';
import { retriedSendsOf } from './sending/retriedSends';
import { runOptionsIn, type RunOptions } from '../operation/runOptions';
import { sendLogOf, type Send } from './sending/sendLog';
import { noteEarlierText, sendOnce, type SendTools } from './sending/sendOnce';

/** An account that items of a run use. */
interface Account {
	client: Client;
	reconciliation: SendReconciliation;
	holdBack: HoldBack;
}

/** What one item asks for. */
interface Task {
	account: Account;
	/** Where the item stands; 0 for what all items share. */
	itemIndex: number;
	input: Input;
	request: ApiRequest;
	/** What it must not overtake another in; undefined when it may go in any order. */
	partitionKey: string | undefined;
	options: RunOptions;
	/** The item, or all those that share the request. */
	pairedItem: IPairedItemData | IPairedItemData[];
	/** What the workflow waits for an answer to, once the request was made. */
	question?: Question;
}

/** Stands for an item that could not be read, or whose request did not succeed. */
class Failure {
	constructor(readonly reason: unknown) {}
}

/** What the requests of a run share. */
interface Run extends Omit<SendTools, 'reconciliation'> {
	context: IExecuteFunctions;
	operation: Operation;
}

/** Reading many items takes long, and n8n answers nobody meanwhile; so it pauses this often. */
const LONGEST_READING_MS = 50;

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
	const errorOf = ({ reason }: Failure, itemIndex?: number) =>
		nodeErrorOf(context.getNode(), reason, itemIndex);

	const tasks = withSharedRequest(operation, await readTasks(context, operation, clock));
	const firstFailed = tasks.findIndex((task) => task instanceof Failure);
	if (firstFailed >= 0 && !goesOn) throw errorOf(tasks[firstFailed] as Failure, firstFailed);
	const readable = tasks.filter(isTask);
	const [first] = readable;

	const run = startRun(context, operation, clock, readable);
	const outcomes = new Map<number, INodeExecutionData[] | Failure>();
	let hasFailed = false;
	try {
		await runInLanes(
			tasks.map((task, itemIndex) => ({
				lane: isTask(task) ? task.partitionKey : undefined,
				run: async () => {
					const outcome = isTask(task) ? await perform(run, task).catch(toFailure) : (task ?? []);
					outcomes.set(itemIndex, outcome);
					if (outcome instanceof Failure) hasFailed = true;
				},
			})),
			// The node has one concurrency, though n8n lets every item have its own.
			first?.options.maxConcurrency ?? 1,
			() => goesOn || !hasFailed,
		);
	} finally {
		await run.retried?.stored();
	}
	if (!hasFailed) {
		run.log.clear();
		if (first?.question) await waitForAnswer(context, first.question, clock.now());
	}
	context.addExecutionHints(...hintsFor(readable.map(({ request }) => request)));

	const output = tasks.flatMap((task, itemIndex) => {
		const outcome = outcomes.get(itemIndex) ?? [];
		if (!(outcome instanceof Failure)) return outcome;
		const pairedItem = isTask(task) ? task.pairedItem : { item: itemIndex };
		// What several items share is not the fault of one of them.
		const error = () => errorOf(outcome, Array.isArray(pairedItem) ? undefined : itemIndex);
		if (!goesOn) throw error();
		const item = { ...failedItem(outcome.reason, itemIndex), pairedItem };
		return [hasErrorOutput ? forErrorOutput(item, error(), context.getInputData()[itemIndex]) : item];
	});
	return [output];
}

function isTask(task: Task | Failure | undefined): task is Task {
	return task !== undefined && !(task instanceof Failure);
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
		new Error(`The operation '${operationValue}' is not supported for the resource '${resourceValue}'`),
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

/** All items, in their order. */
async function readTasks(
	context: IExecuteFunctions,
	operation: Operation,
	clock: Clock,
): Promise<Array<Task | Failure>> {
	const connectionOf = await connectItems(context, clock);
	const accounts = new Map<Connection, Account>();
	const accountOf = async (itemIndex: number): Promise<Account> => {
		const connection = await connectionOf(itemIndex);
		const account = accounts.get(connection) ?? accountAt(context, connection, clock);
		accounts.set(connection, account);
		return account;
	};

	const tasks: Array<Task | Failure> = [];
	let pausedAt = clock.now();
	for (const itemIndex of context.getInputData().keys()) {
		if (clock.now() - pausedAt >= LONGEST_READING_MS) {
			await clock.yield();
			pausedAt = clock.now();
		}
		const task = readTask(context, operation, itemIndex, clock.now());
		tasks.push(
			task instanceof Failure
				? task
				: await accountOf(itemIndex).then((account) => ({ ...task, account }), toFailure),
		);
	}
	return tasks;
}

function accountAt(context: IExecuteFunctions, { client, account }: Connection, clock: Clock): Account {
	return {
		client,
		reconciliation: createSendReconciliation(client, clock, account.sends, () =>
			account.window.isClockKnown ? account.window.clockOffsetMs : undefined,
		),
		holdBack: createBackpressure(client, clock, logsLongWaits(context, "the service's queue to get shorter")),
	};
}

function readTask(
	context: IExecuteFunctions,
	operation: Operation,
	itemIndex: number,
	now: number,
): Omit<Task, 'account'> | Failure {
	try {
		const input = readInput(operation, {
			read: (name, fallback) => context.getNodeParameter(name, itemIndex, fallback),
			timezone: context.getTimezone(),
			file: (binaryPropertyName) => fileOf(context, itemIndex, binaryPropertyName),
		});
		const { endpoint } = operation;
		const asked = { endpoint, ...(operation.request?.(input) ?? { parameters: input.parameters }) };
		const question = operation.asks?.(input);
		if (question) checkWait(context.getInputData().length, question, now);
		const request = corrected(question ? withLinks(context, asked, question) : asked, input);
		const options = runOptionsIn(input);
		const lane = partitionKeyOf(request);
		return {
			itemIndex,
			input,
			options,
			request: { ...request, limits: options },
			pairedItem: { item: itemIndex },
			// The links in the message of an earlier execution lead nowhere, so a new one asks anew.
			partitionKey: question ? `${lane} ${context.getExecutionId()}` : lane,
			question,
		};
	} catch (error) {
		return new Failure(error instanceof InvalidInput ? new InvalidField(error) : error);
	}
}

/**
 * The tasks, with one in the place of all whose items are to share a request. It stands where the first of them stood;
 * the others are undefined.
 */
function withSharedRequest(
	operation: Operation,
	tasks: Array<Task | Failure>,
): Array<Task | Failure | undefined> {
	const { allItems } = operation;
	if (!allItems) return tasks;
	const difference = differenceBetween(operation, allItems);
	const together: Task[] = [];
	const rest = tasks.map((task) => {
		if (!isTask(task) || !allItems.isWanted(task.input)) return task;
		const [first = task] = together;
		const problem =
			task.account === first.account ? difference(first.input, task.input) : errorOfOtherAccount();
		if (problem) return toFailure(problem);
		together.push(task);
		return undefined;
	});
	const [first] = together;
	if (!first) return rest;
	const request = joinedRequest(
		allItems,
		together.map((task) => task.request),
	);
	const pairedItem = together.flatMap((task) => task.pairedItem);
	// A later try that can read other items first must not make it again.
	return rest.with(first.itemIndex, { ...first, itemIndex: 0, request, pairedItem });
}

function errorOfOtherAccount(): InvalidField {
	return new InvalidField(
		new InvalidInput(
			'is for a different account than in the previous items',
			'A request can use only one account. Run the items of each account separately.',
			'Credential',
		),
	);
}

/**
 * What a request must not overtake another for: its recipient, or the record that it changes. Reads may go in any
 * order.
 */
function partitionKeyOf(request: ApiRequest): string | undefined {
	const { endpoint, parameters = {} } = request;
	if (endpoint.method === 'GET' || endpoint.idempotent) return undefined;
	if (typeof parameters.to === 'string') return numberInChatId(parameters.to);
	return requestParts(request).path;
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
