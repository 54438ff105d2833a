import pick from 'lodash/pick';
import type { IExecuteFunctions, IPairedItemData } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import type { Client } from '../api/client';
import type { Clock } from '../api/clock';
import { safeConcurrency } from '../api/rateLimiter';
import { pathOf } from '../api/requestParts';
import { fileOf } from '../n8n/binaryData';
import { connectItems, logsLongWaits, type Connection } from '../n8n/connect';
import { itemParametersOf } from '../n8n/itemParameters';
import { nodeKeyOf } from '../n8n/nodeKey';
import { hasExecution } from '../n8n/toolNode';
import { collectionsOf } from '../operation/collections';
import { corrected } from '../operation/inferred';
import { AccountCountryNeeded, InvalidInput, type Input } from '../operation/input';
import type { Field, Operation, PreparedInteraction } from '../operation/operation';
import { readInput, type Source } from '../operation/readInput';
import { incompleteOption, runOptionsIn, type RunOptions } from '../operation/runOptions';
import { recipientKey } from '../recipients/recipient';
import { createAccountCountry, type AccountCountry } from './accountCountry';
import { createBackpressure, type WaitForQueue } from './sending/backpressure';
import { createMessageIds, type MessageIds } from './messageIds';
import { createOptOuts, type OptOuts } from './sending/optOuts';
import { recordQueuedText, type TextOrFile } from './sending/queuedTexts';
import { sendLogOf } from './sending/sendLog';
import { createEmptyQueueCheck, type EmptyQueueCheck } from './sending/emptyQueueCheck';
import {
	createSendReconciliation,
	knownSendsOf,
	type SendReconciliation,
} from './sending/sendReconciliation';

/** One account of a run, with the state that its sends share. */
export interface Account {
	client: Client;
	reconciliation: SendReconciliation;
	/** Remembers a text or file that the service has queued. */
	noteQueued: (to: string, queued: TextOrFile) => void;
	waitForQueue: WaitForQueue;
	emptyQueueCheck: EmptyQueueCheck;
	/** Identifies the account, and does not reveal the API key. */
	digest: string;
	/** Identifies the node that sends to it. */
	sender: string;
	optOuts: OptOuts;
	/** How long the run has waited for the rate limit of the account, in milliseconds. */
	rateLimitWaitMs: () => number;
	messageIds: MessageIds;
	country: AccountCountry;
	/** Runs a task of this execution, and counts it meanwhile. */
	runCounted: <Result>(task: () => Promise<Result>) => Promise<Result>;
	/**
	 * How many tasks of this execution may run without a risk for the rate limit, beside those of other executions; 0 or less
	 * when it is not known, or they leave no room.
	 */
	safeConcurrency: () => number;
}

/** The request of one input item, or of several items that share it. */
export interface Task {
	account: Account;
	/** The index of the input item; 0 for a shared request. */
	itemIndex: number;
	input: Input;
	request: ApiRequest;
	/** The texts of the messages, if a text is sent as several. */
	parts?: readonly string[];
	/** Requests with the same key run in order; undefined if the order does not matter. */
	partitionKey: string | undefined;
	options: RunOptions;
	/** The item, or all items that share the request. */
	pairedItem: IPairedItemData | IPairedItemData[];
	/** The items that name a recipient, if several items share the request. */
	itemsOf?: (recipient: string) => IPairedItemData[];
	/** Set if the workflow waits for an answer to the message. */
	interaction?: PreparedInteraction;
}

/** An item that could not be read, or whose request failed. */
export interface Failed {
	error: unknown;
	/** Whom an item was for that could not be read, if that much of it could. */
	to?: unknown;
}

/** Whether there is a request to send. */
export function isTask(task: Task | Failed | undefined): task is Task {
	return task !== undefined && 'request' in task;
}

/** Reading items blocks the event loop. This is how often reading yields, in milliseconds. */
const YIELD_INTERVAL_MS = 50;

/**
 * Reads the task of each input item, in order. Sends nothing, and reads the account if an entered number needs its country.
 *
 * @throws ApiError if all items use the same credential and it is not usable. With Continue On Fail, each item fails instead
 */
export async function readTasks(
	context: IExecuteFunctions,
	operation: Operation,
	clock: Clock,
): Promise<Array<Task | Failed>> {
	const items = context.getInputData();
	const connectionOf = await connectItems(context, clock, items.length).catch((error: unknown) => {
		if (!context.continueOnFail()) throw error;
		// n8n would output the input items, as if they had been sent.
		return async () => await Promise.reject<Connection>(error);
	});
	const accounts = new Map<Connection, Account>();
	const accountOf = async (itemIndex: number): Promise<Account> => {
		const connection = await connectionOf(itemIndex);
		const account = accounts.get(connection) ?? createAccount(context, connection, clock);
		accounts.set(connection, account);
		return account;
	};

	const wholeFields = wholeFieldsOf(operation);
	const tasks: Array<Task | Failed> = [];
	let yieldedAt = clock.now();
	for (const itemIndex of items.keys()) {
		if (clock.now() - yieldedAt >= YIELD_INTERVAL_MS) {
			await clock.yield();
			yieldedAt = clock.now();
		}
		let country: AccountCountry | undefined;
		try {
			const account = await accountOf(itemIndex);
			({ country } = account);
			const read = async () =>
				await readTask(context, operation, wholeFields, itemIndex, clock.now(), account.country);
			const task = await read().catch(async (error: unknown) => {
				if (!(error instanceof AccountCountryNeeded)) throw error;
				await account.country.read();
				return await read();
			});
			tasks.push({ ...task, account });
		} catch (error) {
			tasks.push({ error, to: recipientOf(context, operation, itemIndex, country) });
		}
	}
	return tasks;
}

function createAccount(
	context: IExecuteFunctions,
	{ client, account, accountDigest, rateLimitWaitMs }: Connection,
	clock: Clock,
): Account {
	let ownTasks = 0;
	const count = (tasks: number) => {
		ownTasks += tasks;
		account.tasks += tasks;
	};
	return {
		client,
		digest: accountDigest,
		sender: nodeKeyOf(context),
		emptyQueueCheck: createEmptyQueueCheck(client, clock),
		reconciliation: createSendReconciliation(client, clock, knownSendsOf(account), () =>
			account.isClockKnown ? account.clockOffsetMs : undefined,
		),
		noteQueued: (to, queued) => recordQueuedText(account, to, queued, clock.now()),
		waitForQueue: createBackpressure(
			client,
			clock,
			logsLongWaits(context, "the service's queue to get shorter"),
		),
		optOuts: createOptOuts(client, clock, account),
		rateLimitWaitMs,
		messageIds: createMessageIds(client, clock),
		country: createAccountCountry(client, account),
		runCounted: async (task) => {
			count(1);
			return await task().finally(() => count(-1));
		},
		safeConcurrency: () => safeConcurrency(account, clock.now()) - (account.tasks - ownTasks),
	};
}

/** An optional field of which no part may be missing. */
interface WholeField extends Pick<Field, 'name' | 'displayName'> {
	/** Where the node has it among its parameters. */
	path: string;
}

function wholeFieldsOf(operation: Operation): WholeField[] {
	return collectionsOf(operation).flatMap(([collection, fields]) =>
		fields
			.filter(({ mustBeWhole }) => mustBeWhole)
			.map(({ name, displayName }) => ({ name, displayName, path: `${collection}.${name}` })),
	);
}

async function readTask(
	context: IExecuteFunctions,
	operation: Operation,
	wholeFields: readonly WholeField[],
	itemIndex: number,
	now: number,
	country: AccountCountry,
): Promise<Omit<Task, 'account'>> {
	const { source, isPartMissing } = sourceOf(context, itemIndex);
	const input = readInput(operation, { ...source, accountCountryCode: country.code });
	const { endpoint } = operation;
	const baseRequest = { endpoint, ...(operation.request?.(input) ?? { parameters: input.parameters }) };
	const interaction = await operation.interaction?.(context, input, baseRequest);
	const wholeRequest = corrected(interaction?.request ?? baseRequest, input);
	const parts = operation.parts?.(wholeRequest, input);
	// The space around a text can make it too long.
	const [message] = parts?.length === 1 ? parts : [];
	const request =
		message === undefined
			? wholeRequest
			: { ...wholeRequest, parameters: { ...wholeRequest.parameters, message } };
	const options = runOptionsIn(input);
	if (options.requestId !== undefined && !hasExecution(context)) throw noRequestIds();
	for (const { name, path, displayName } of wholeFields) {
		const value = input.settings[name];
		if (value !== undefined && isPartMissing(path, value)) throw incompleteOption(displayName);
	}
	const key = partitionKeyOf(request);
	const partitionKey = interaction ? `${key} ${interaction.scope}` : key;
	const send = { request, itemIndex, partitionKey: String(partitionKey) };
	// A send that may have been made before is not refused for input that was valid then.
	const isNew = context.getMode() !== 'retry' && options.requestId === undefined;
	if (request.beforeAttempt && isNew && !sendLogOf(context, now).find(send)) request.beforeAttempt(now);
	return {
		itemIndex,
		input,
		options,
		request: { ...request, limits: options },
		...(parts && parts.length > 1 && { parts }),
		pairedItem: { item: itemIndex },
		partitionKey,
		interaction,
	};
}

/** The source of an item's values. */
function sourceOf(
	context: IExecuteFunctions,
	itemIndex: number,
): { source: Source; isPartMissing: ReturnType<typeof itemParametersOf>['isPartMissing'] } {
	const { read, isPartMissing } = itemParametersOf(context, itemIndex);
	const file: Source['file'] = (field) => fileOf(context, itemIndex, field);
	return { source: { read, timezone: context.getTimezone(), file }, isPartMissing };
}

/** The recipient of an item with a mistake elsewhere; undefined if the recipient cannot be read. */
function recipientOf(
	context: IExecuteFunctions,
	{ endpoint, fields, options }: Operation,
	itemIndex: number,
	country: AccountCountry | undefined,
): unknown {
	const to = fields?.filter(({ name }) => name === 'to');
	if (!endpoint.sends || !to?.length) return undefined;
	const { source } = sourceOf(context, itemIndex);
	// Another option can be the one with the mistake.
	const read: Source['read'] = (name, fallback) =>
		name === 'options'
			? pick(source.read(name, fallback), 'defaultCountryCode')
			: source.read(name, fallback);
	try {
		const accountCountryCode = country?.code;
		return readInput({ endpoint, fields: to, options }, { ...source, read, accountCountryCode }).parameters
			.to;
	} catch {
		return undefined;
	}
}

function noRequestIds(): InvalidInput {
	return new InvalidInput(
		'cannot be used here, because n8n stores nothing for the tools of its Agents',
		"Remove this option, or let the Agent call a workflow that sends with it, or use an 'AI Agent' node.",
		'Request ID',
	);
}

/** The recipient, or the path of the changed record. GET requests and POST requests that change no record have no key. */
function partitionKeyOf(request: ApiRequest): string | undefined {
	const { endpoint, parameters = {} } = request;
	if (endpoint.method === 'GET' || (endpoint.idempotent && !endpoint.ends)) return undefined;
	return endpoint.sends && typeof parameters.to === 'string' ? recipientKey(parameters.to) : pathOf(request);
}
