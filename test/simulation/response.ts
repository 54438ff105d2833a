import { EventEmitter } from 'node:events';

/** What a visitor's browser, or the service, gets back. */
export interface Page {
	status: number;
	body: string;
}

/** The response that n8n hands to `webhook`, as Express has it. */
export interface WebhookResponse {
	statusCode: number;
	writableEnded: boolean;
	body: string;
	once(event: string, listener: () => void): void;
	status(code: number): WebhookResponse;
	end(body?: string): WebhookResponse;
	set(headers: Record<string, string>): WebhookResponse;
	send(body: string): WebhookResponse;
	json(body: unknown): WebhookResponse;
}

export function createResponse(): WebhookResponse {
	const emitter = new EventEmitter();
	const response: WebhookResponse = {
		statusCode: 200,
		writableEnded: false,
		body: '',
		once: (event, listener) => void emitter.once(event, listener),
		status(code) {
			response.statusCode = code;
			return response;
		},
		set: () => response,
		end(body = '') {
			response.body = body;
			response.writableEnded = true;
			emitter.emit('prefinish');
			return response;
		},
		// As in Express, so that whoever replaces `end` sees every response.
		send: (body) => response.end(body),
		json: (body) => response.send(JSON.stringify(body)),
	};
	return response;
}
