/** Who made a request, and what came of it: for the judge of a history, who knows more than the service. */
export interface Sender {
	process: string;
	execution: string;
	/** In Unix milliseconds, by the scheduler. */
	sentAt: number;
	/** When the process heard of its end, and the status; undefined when it never did, or there was no response. */
	endedAt?: number;
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
	/** Whether the connection was never ready for it. */
	wasNeverReady?: boolean;
}

/** A request as it arrives at the service. */
export interface ServiceRequest {
	method: string;
	/** Below the base URL. */
	path: string;
	query: Record<string, unknown>;
	body: Record<string, unknown>;
	from?: Sender;
}

/** A request was sent, or its sender has heard of its end. */
export interface RequestEvent {
	event: 'sent' | 'ended';
	/** In Unix milliseconds, by the scheduler. */
	at: number;
	request: ServiceRequest & { from: Sender };
}

/** What the service answers. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, string>;
	body: unknown;
}

/** A request of a trigger to n8n's own URL. */
export interface InternalRequest {
	url: string;
	headers: Record<string, string>;
	body: Buffer;
	/** Unix time in milliseconds. */
	sentAt: number;
	/** Whether something happened to it on its way. */
	isTroubled: boolean;
	/** Undefined without a response. */
	status?: number;
}
