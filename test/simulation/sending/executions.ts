import type { INodeExecutionData } from 'n8n-workflow';

import type { NodeSettings } from '../n8n/actionContext';
import type { RowOwner } from '../n8n/row';
import { chatIdOf, type Taking } from '../service/service';

/** One item of a workflow: what is to be sent, and to whom. */
export interface WantedSend {
	to: string;
	text: string;
	requestId?: string;
}

/** How the node is set in a workflow. */
export interface SendSettings extends NodeSettings {
	kind: Taking;
	/** Whether an agent calls it as a tool, once for each item. */
	isTool: boolean;
	maxAttempts: number;
	maxRateLimitWait: number;
	afterAmbiguousSend: 'verify' | 'fail';
	pauseWhenQueueAbove: number;
	skipTags?: string[];
	/** Whether the messages of confirmed texts are looked for in their chats. */
	findMessageId?: boolean;
}

/** What the user reads about one item: as the node put it out, or as its error says. */
export interface ItemReport {
	run: number;
	itemIndex: number;
	says: 'sent' | 'skipped' | 'not sent' | 'maybe sent' | 'not known';
	/** The message that was found in the chat. */
	verifiedId?: string;
	/** The message that a text has become. */
	messageId?: string;
	/** When the node said so. */
	at: number;
}

/** What n8n keeps of an execution. */
export interface StoredExecution {
	id: string;
	/** The same in all retries of one execution. */
	origin: string;
	mode: 'trigger' | 'retry';
	/** The ID of the execution that a retry began from. */
	retryOf?: string;
	status: 'queued' | 'running' | 'success' | 'error' | 'crashed' | 'canceled';
	settings: SendSettings;
	/** The items of each pass of a loop. */
	runs: readonly WantedSend[][];
	/** The run that a retry starts with. */
	nextRun: number;
	/** The node's own data, as JSON: what a retry starts with. */
	nodeData: string;
	/** Which process runs it. */
	process?: string;
	startedAt: number;
	/** When a process took it from the queue. */
	takenAt?: number;
	stoppedAt?: number;
	/** When the node was done, whether n8n stored it or not. */
	endedAt?: number;
	reports: ItemReport[];
	/** All that n8n shows of it, as JSON: outputs, errors and hints. */
	shown: string;
}

/** n8n's database, which outlives its processes. It has a row of keys for the node. */
export type Database = RowOwner & {
	executions: StoredExecution[];
	lostUpdates: number;
	failures: number;
};

/** What each kind is called in the node, and the parameters of an item. */
export const OPERATIONS: Record<Taking, (item: WantedSend) => Record<string, unknown>> = {
	text: ({ to, text }) => ({ resource: 'message', operation: 'send', to, message: text }),
	media: ({ to, text }) => ({
		resource: 'media',
		operation: 'send',
		to,
		mediaSource: 'url',
		mediaUrl: mediaUrlOf(text),
	}),
	broadcast: ({ to, text }) => ({
		resource: 'broadcast',
		operation: 'create',
		name: text,
		recipientsFrom: 'thisItem',
		recipients: to,
		message: text,
	}),
	tag: ({ text }) => ({ resource: 'tag', operation: 'create', name: text }),
};

const mediaUrlOf = (text: string) => `https://files.example.com/${encodeURIComponent(text)}`;

/** An item as the service takes it. */
export function takenAs(kind: Taking, { to, text }: WantedSend): { to: string; text: string } {
	return { to: kind === 'tag' ? '' : chatIdOf(to), text: kind === 'media' ? mediaUrlOf(text) : text };
}

export function saysOf({ json }: INodeExecutionData): ItemReport['says'] {
	if (json.skipped === true) return 'skipped';
	if (json.error === undefined) return 'sent';
	if (json.code === 'database_error') return 'not known';
	return json.ambiguous === true ? 'maybe sent' : 'not sent';
}

export function foundIn({ json }: INodeExecutionData): Pick<ItemReport, 'verifiedId' | 'messageId'> {
	return {
		...(json.verified === true && { verifiedId: String(json.id) }),
		...(json.message_id !== undefined && { messageId: String(json.message_id) }),
	};
}

export function saysOfError(error: unknown): ItemReport['says'] {
	const { message } = error as Error;
	// The `database_error` of docs/troubleshooting.md.
	if (/could not check whether (an earlier retry|this request ID)/.test(message)) return 'not known';
	return /may have been (sent|made)|An earlier retry sent this text/.test(message)
		? 'maybe sent'
		: 'not sent';
}
