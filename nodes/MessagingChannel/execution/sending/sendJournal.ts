import type { Send, SendEnd } from './send';

/** What is known about a request that an earlier execution began. */
export interface EarlierRequest {
	/** Whether it certainly had the same text. */
	hasSameText: boolean;
	/** Whether it was never sent if the chat does not show it: no other process and no queue can still have it. */
	isDecidedByChat: boolean;
	/** When the latest batch of an earlier execution was recorded, in Unix milliseconds; undefined if that is not known. One before it may have sent it. */
	sentAfter: number | undefined;
}

/** What earlier executions, or other items of this one, made of a send. */
export type EarlierSend =
	/** It was certainly never begun, so it may be sent. */
	| { state: 'absent' }
	/** It was confirmed, so it is never sent again. */
	| { state: 'done' }
	/** Another text, or other parts, were sent under it. */
	| { state: 'otherwise' }
	/** It may have been made: the chat decides, or it stays uncertain. */
	| { state: 'open'; earlier?: EarlierRequest };

/** What outlives an execution of its sends, in n8n's database. */
export interface SendJournal {
	/**
	 * Records that a send begins.
	 *
	 * @throws ApiError if n8n's database cannot be used, or has no room for the send
	 */
	begin(send: Send): Promise<EarlierSend>;
	/** Records the end of a send that has begun, once. */
	settle(send: Send, end: SendEnd): void;
	/** Resolves when all is stored, with how many earlier sends the node had to forget, if a user has to know. */
	close(): Promise<number>;
}

/**
 * Finds which of the texts that an earlier execution may have sent cannot be in the service's queue any more. Called before
 * the first of them is sent.
 *
 * @param open their request keys
 * @returns some of these
 */
export type FindNotQueued = (open: ReadonlySet<string>) => Promise<ReadonlySet<string>>;
