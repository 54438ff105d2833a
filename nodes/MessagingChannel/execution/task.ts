import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import type { Clock } from '../api/clock';
import type { ActionRun } from '../n8n/actionRun';
import type { Input } from '../operation/input';
import type { Operation, PreparedInteraction } from '../operation/operation';
import type { RunOptions } from '../operation/runOptions';
import type { Account } from './account';
import type { SentText } from './findMessageIds';
import type { SendLog } from './sending/sendLog';

/** What all tasks of a run share. */
export interface RunContext {
	run: ActionRun;
	operation: Operation;
	clock: Clock;
	log: SendLog;
	/** Gets the texts whose messages are looked for when all tasks are done. */
	sentTexts: SentText[];
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
	/** Who may get it, and where each list was entered; empty if everybody may. */
	allowedLists: ReadonlyArray<{ allowed: readonly string[]; place: string }>;
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

/** The output items of a task, or its error. */
export type ItemResult = { items: INodeExecutionData[] } | Failed;

/** What an input item became. It has neither if it shares the request of another item. */
export interface Entry {
	/** Undefined if the item could not be read. */
	task?: Task;
	/** Undefined until the task has run. */
	result?: ItemResult;
}
