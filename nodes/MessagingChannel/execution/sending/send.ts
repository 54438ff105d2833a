import type { ApiRequest } from '../../api/apiRequest';

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

/** The messages of a text that is sent as several, in order. */
export function messagesOf(send: Send): Send[] {
	const { parts: texts = [], request } = send;
	return texts.map((message, index) => ({
		...send,
		parts: undefined,
		request: { ...request, parameters: { ...request.parameters, message } },
		part: { index, texts, whole: request },
	}));
}
