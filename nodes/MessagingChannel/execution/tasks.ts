import type { IExecuteFunctions, IPairedItemData } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { numberInChatId } from '../api/chatId';
import type { Client } from '../api/client';
import type { Clock } from '../api/clock';
import { pathOf } from '../api/requestParts';
import { fileOf } from '../n8n/binaryData';
import { connectItems, logsLongWaits, type Connection } from '../n8n/connect';
import { corrected } from '../operation/inferred';
import type { Input } from '../operation/input';
import type { Operation, PreparedInteraction } from '../operation/operation';
import { readInput } from '../operation/readInput';
import { runOptionsIn, type RunOptions } from '../operation/runOptions';
import { createBackpressure, type HoldBack } from './sending/backpressure';
import {
	createSendReconciliation,
	knownSendsOf,
	type SendReconciliation,
} from './sending/sendReconciliation';

/** An account that items of a run use. */
export interface Account {
	client: Client;
	reconciliation: SendReconciliation;
	holdBack: HoldBack;
}

/** What one item asks for. */
export interface Task {
	account: Account;
	/** Where the item stands; 0 for what all items share. */
	itemIndex: number;
	input: Input;
	request: ApiRequest;
	/** Requests with the same key are made in order; undefined when it may go in any order. */
	partitionKey: string | undefined;
	options: RunOptions;
	/** The item, or all those that share the request. */
	pairedItem: IPairedItemData | IPairedItemData[];
	/** Set when the workflow waits for an answer to the request. */
	interaction?: PreparedInteraction;
}

/** Stands for an item that could not be read, or whose request did not succeed. */
export interface Failed {
	error: unknown;
}

/** Whether there is a request to make. */
export function isTask(task: Task | Failed | undefined): task is Task {
	return task !== undefined && 'request' in task;
}

/** Reading many items takes long, and n8n answers nobody meanwhile; so it pauses this often. */
const LONGEST_READING_MS = 50;

/**
 * What each item asks for, in their order. Nothing is sent.
 *
 * @throws UserError when the credential of all items is not usable
 */
export async function readTasks(
	context: IExecuteFunctions,
	operation: Operation,
	clock: Clock,
): Promise<Array<Task | Failed>> {
	const connectionOf = await connectItems(context, clock);
	const accounts = new Map<Connection, Account>();
	const accountOf = async (itemIndex: number): Promise<Account> => {
		const connection = await connectionOf(itemIndex);
		const account = accounts.get(connection) ?? accountAt(context, connection, clock);
		accounts.set(connection, account);
		return account;
	};

	const tasks: Array<Task | Failed> = [];
	let pausedAt = clock.now();
	for (const itemIndex of context.getInputData().keys()) {
		if (clock.now() - pausedAt >= LONGEST_READING_MS) {
			await clock.yield();
			pausedAt = clock.now();
		}
		try {
			const task = readTask(context, operation, itemIndex, clock.now());
			tasks.push({ ...task, account: await accountOf(itemIndex) });
		} catch (error) {
			tasks.push({ error });
		}
	}
	return tasks;
}

function accountAt(context: IExecuteFunctions, { client, account }: Connection, clock: Clock): Account {
	return {
		client,
		reconciliation: createSendReconciliation(client, clock, knownSendsOf(account), () =>
			account.isClockKnown ? account.clockOffsetMs : undefined,
		),
		holdBack: createBackpressure(client, clock, logsLongWaits(context, 'the queue of the service to shrink')),
	};
}

function readTask(
	context: IExecuteFunctions,
	operation: Operation,
	itemIndex: number,
	now: number,
): Omit<Task, 'account'> {
	const input = readInput(operation, {
		read: (name, fallback) => context.getNodeParameter(name, itemIndex, fallback),
		timezone: context.getTimezone(),
		file: (binaryPropertyName) => fileOf(context, itemIndex, binaryPropertyName),
	});
	const { endpoint } = operation;
	const asked = { endpoint, ...(operation.request?.(input) ?? { parameters: input.parameters }) };
	const interaction = operation.interaction?.(context, input, asked, now);
	const request = corrected(interaction?.request ?? asked, input);
	const options = runOptionsIn(input);
	const key = partitionKeyOf(request);
	return {
		itemIndex,
		input,
		options,
		request: { ...request, limits: options },
		pairedItem: { item: itemIndex },
		// The links of an earlier execution lead nowhere, so a new execution sends its own.
		partitionKey: interaction ? `${key} ${context.getExecutionId()}` : key,
		interaction,
	};
}

/** A recipient, or the record that a request changes. Reads may go in any order. */
function partitionKeyOf(request: ApiRequest): string | undefined {
	const { endpoint, parameters = {} } = request;
	if (endpoint.method === 'GET' || endpoint.idempotent) return undefined;
	return typeof parameters.to === 'string' ? numberInChatId(parameters.to) : pathOf(request);
}
