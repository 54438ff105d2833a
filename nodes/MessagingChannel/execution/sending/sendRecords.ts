import type { Send } from './sendLog';

/** What is known about a request that an earlier execution began. */
export interface EarlierRequest {
	/** Whether it certainly had the same text. */
	hasSameText: boolean;
	/** Whether it was never sent if the chat does not show it: no other process and no queue can still have it. */
	isDecidedByChat: boolean;
	/** A time before which it was not sent, in Unix milliseconds; undefined if that is not known. */
	sentAfter: number | undefined;
}

/** The status of a send in earlier executions. */
export type SendStatus =
	| { state: 'new' | 'sent' }
	/** A text was sent as a whole and not in these parts, or the other way round, or in other parts. */
	| { state: 'sentOtherwise' }
	/** It was begun, and may have been made. */
	| { state: 'unconfirmed'; earlier?: EarlierRequest };

/** What n8n's database knows about sends. It outlives the executions that made them. */
export interface SendRecords {
	/**
	 * Records that a send starts.
	 *
	 * @returns its status in earlier executions
	 * @throws ApiError if n8n's database cannot be used
	 */
	begin(send: Send): Promise<SendStatus>;
	/** Records that the send was made. */
	confirm(send: Send): void;
	/** Records that the send was certainly not made. */
	withdraw(send: Send): void;
	/** Ends a send that may have been made. */
	leave(send: Send): void;
	/** Resolves when all records are stored. */
	stored(): Promise<void>;
}
