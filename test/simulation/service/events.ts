/** One attempt of the service, or of a forger, to deliver an event. */
export interface Delivery {
	/** For the story. */
	name: string;
	url: string;
	headers: Record<string, string>;
	body: Buffer;
}

/** What comes back. */
export interface DeliveryResponse {
	status: number;
	body?: unknown;
	headers?: Record<string, string>;
}

/** Resolves to the response; undefined when the connection breaks. Never, when n8n dies before it responds. */
export type Deliver = (delivery: Delivery) => Promise<DeliveryResponse | undefined>;

/** What the account's one webhook is set to. */
export interface Webhook {
	url: string;
	events: string[];
	timeoutSeconds: number;
}

/** One delivery of an event, as its sender saw it. */
export interface Attempt {
	sentAt: number;
	arrivedAt: number;
	/** The webhook and the secret at that moment. */
	url: string;
	secret: string;
	/** Both undefined as long as n8n has not responded. */
	answeredAt?: number;
	response?: DeliveryResponse | undefined;
}

export const EVENT_TYPES = ['message.received', 'message.sent'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An event of the account, or one that somebody made up. */
export interface EmittedEvent {
	id: string;
	type: EventType;
	messageId: string;
	/** Whether the account itself wrote the message, which the trigger ignores. */
	isFromMe: boolean;
	/** The chat of its message, and when it was received by the clock of the service, in Unix seconds. */
	chatId: string;
	timestamp?: number;
	/** Who wrote it, if not the chat itself, and what. */
	from?: string;
	text?: string;
	attempts: Attempt[];
}
