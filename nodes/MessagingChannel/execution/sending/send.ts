import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import type { ApiError } from '../../api/errors';
import type { SkippedRecipient } from './skipRecipients';

/** A request that must not be sent twice, and its input item. */
export interface Send {
	request: ApiRequest;
	itemIndex: number;
	/** The recipient or the changed record; see `Task.partitionKey`. */
	partitionKey: string;
	/** The texts of all parts, if this is a whole text that is sent as several messages. They have one request ID together. */
	parts?: readonly string[];
	/** Set if this is one message of a text that is sent as several. */
	part?: SendPart;
	/** The user's own ID of the request; undefined if it has none. */
	requestId?: string;
	/** Identifies the request ID and the account; set with `requestId`. */
	requestKey?: string;
	/** The same in all executions of the node, and in no other node; set with `requestId`. */
	id?: string;
}

/** The place of a message in a text that is sent as several. */
export interface SendPart {
	/** 0 for the first one. */
	index: number;
	/** The texts of all parts. */
	texts: readonly string[];
	/** The request with the whole text. */
	whole: ApiRequest;
}

/** A text message. */
export interface TextMessage {
	to: string;
	message: string;
}

/** The text message that a request sends. Media and templates cannot be recognized in the chat. */
export function textIn({ endpoint, parameters = {} }: ApiRequest): TextMessage | undefined {
	if (endpoint.sends !== 'text') return undefined;
	return { to: String(parameters.to), message: String(parameters.message) };
}

/** A send with an ID of the user. */
export type IdentifiedSend = Send & Required<Pick<Send, 'requestId' | 'requestKey'>>;

/** Whether the request ID of a send covers it alone. The parts of a text have one together. */
export function hasOwnId(send: Send): send is IdentifiedSend {
	return send.requestKey !== undefined && !send.part;
}

/**
 * What tells the outcome of a send: the log, which knows the earlier tries of this execution; the journal, which knows earlier
 * executions; or the request that this try has made.
 */
type Source = 'log' | 'journal' | 'request';

/** What became of a send. */
export type SendOutcome =
	/** The service has confirmed it. */
	| { kind: 'sent'; from: 'request'; records: IDataObject[] }
	/** Nobody has confirmed it, and it was found in its chat. */
	| { kind: 'verified'; from: Source; records: IDataObject[] }
	/** An earlier try or execution has made it, and this one has not. */
	| { kind: 'alreadySent'; from: 'log' | 'journal'; records: IDataObject[] }
	/** None of its recipients gets it. */
	| { kind: 'skipped'; from: 'request'; recipients: SkippedRecipient[] }
	/**
	 * It may be made again. It was certainly not made: the service refused it, or, if the journal tells, it was not begun. Or it creates a
	 * record without a request ID, of which nobody knows whether it exists.
	 */
	| { kind: 'refused'; from: 'journal' | 'request'; error: unknown }
	/** It may have been made. */
	| { kind: 'uncertain'; from: Source; error: ApiError };

/** How a send ended, for the journal. */
export type SendEnd = 'made' | 'notMade' | 'uncertain';

/** What the send log and the journal keep of an outcome. */
export interface Settlement {
	/** `answer`: its records. `keep`: that it is unconfirmed, or what the log has. `forget`: nothing, so that the next try begins it. */
	log: 'answer' | 'keep' | 'forget';
	/** Undefined if the journal knows already, or knows nothing of it. */
	journal?: SendEnd;
}

/**
 * What the stores keep of an outcome. The log has only what this execution has begun.
 *
 * @param isMessage whether it is a message, which no next try may repeat. What creates a record is repeated unless the journal knows it
 */
export function settlementOf({ kind, from }: SendOutcome, isMessage: boolean): Settlement {
	switch (kind) {
		case 'sent':
		case 'verified':
			return { log: 'answer', journal: 'made' };
		case 'alreadySent':
			return from === 'journal' ? { log: 'forget' } : { log: 'keep', journal: 'made' };
		case 'skipped':
		case 'refused':
			return { log: 'forget', ...(from !== 'journal' && { journal: 'notMade' }) };
		case 'uncertain':
			if (from === 'log') return { log: 'keep' };
			return { log: from === 'request' && isMessage ? 'keep' : 'forget', journal: 'uncertain' };
	}
}
