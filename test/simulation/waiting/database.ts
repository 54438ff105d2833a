import type { INodeExecutionData } from 'n8n-workflow';

import type { NodeSettings } from '../n8n/actionContext';

/** The key with which n8n signs links. */
export const SIGNING_KEY = 'key-of-the-links';

/** One question of a workflow. */
export interface Question {
	to: string;
	text: string;
	responseType: 'approval' | 'freeText';
	/** How long to wait for the answer; undefined for as long as it takes. */
	limitMinutes?: number;
	/** Whether the answer can be written in the chat, and whose answers count; empty for everybody's. */
	isInChat?: boolean;
	responders?: string[];
}

/** A workflow that asks one question after the other, in a loop. */
export interface AskingWorkflow {
	questions: readonly Question[];
	settings: NodeSettings;
}

export type Status = 'running' | 'waiting' | 'success' | 'error' | 'crashed' | 'canceled';

/** What n8n keeps of an execution. */
export interface WaitingExecution {
	id: string;
	/** The same in all retries of one execution. */
	origin: string;
	retryOf?: string;
	workflow: AskingWorkflow;
	status: Status;
	/** The name of the process that ran it last. */
	ranBy: string;
	/** Unix time in milliseconds. */
	waitTill?: number;
	/** JSON of `ExecutionData`, which n8n writes as a whole. */
	data: string;
}

/** The data of an execution, with the node that asks on its stack. */
export interface ExecutionData {
	/** The pass of the loop, from 0. */
	pass: number;
	/** What the node gets. */
	input: INodeExecutionData[];
	/** n8n turns the node off when it resumes, so that its input becomes its output. */
	isDisabled: boolean;
	/** Whether the node ran before; n8n cannot resume without. */
	hasRun: boolean;
	/** The node's own data. */
	nodeData: Record<string, unknown>;
	/** Set by the node, until the execution goes on. */
	waitTill?: number;
	error?: { message: string; description?: string };
}

/** What the node after the question got. */
export interface Continuation {
	executionId: string;
	pass: number;
	/** The JSON of each item. */
	items: Array<Record<string, unknown>>;
	at: number;
}

/** A wait for an answer that n8n has stored. */
export interface Wait {
	executionId: string;
	pass: number;
	/** Unix time in milliseconds. */
	storedAt: number;
	until: number;
}

/** A request with a link for which n8n has taken an execution up again. */
export interface Resumption {
	executionId: string;
	pass: number;
	request: LinkRequest;
	/** When the request reached n8n, and when that was stored, in Unix milliseconds. */
	arrivedAt: number;
	at: number;
}

/** n8n's database, and what the rest of the workflow does to the world. */
export interface WaitingDatabase {
	executions: WaitingExecution[];
	waits: Wait[];
	continuations: Continuation[];
	resumptions: Resumption[];
	/** The executions that run, which n8n can stop in any of its processes. */
	active: Map<string, { ranBy: string; stopper: AbortController }>;
	/** The names of the processes that live. */
	alive: Set<string>;
	/**
	 * The origins of executions that n8n took up again from an earlier question, for an answer that another process had held
	 * since then (docs/reliability.md, "No message twice").
	 */
	mixedUp: Set<string>;
	/** Whether nothing new happens in the history, so that n8n need not look for waits when there are none. */
	isOver: boolean;
	lastId: number;
	/** The row of keys that n8n keeps for the node. */
	row: string[];
}

/** Somebody's request with a link. */
export interface LinkRequest {
	method: 'GET' | 'POST' | 'HEAD';
	url: string;
	/** The form of a POST. */
	fields: Record<string, string>;
	/** What a trigger posts instead. */
	reply?: { headers: Record<string, string>; body: Buffer };
}

/** What a visitor's browser, or the service, gets back. */
export interface Page {
	status: number;
	body: string;
}

/** A database in which nothing has happened yet. */
export const newWaitingDatabase = (): WaitingDatabase => ({
	executions: [],
	waits: [],
	continuations: [],
	resumptions: [],
	active: new Map(),
	alive: new Set(),
	mixedUp: new Set(),
	isOver: false,
	lastId: 0,
	row: [],
});
