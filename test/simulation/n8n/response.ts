import { EventEmitter } from 'node:events';

import type { DeliveryResponse } from '../service/events';

/** The response that n8n hands to `webhook`, as Express has it. */
export interface SimulatedResponse {
	statusCode: number;
	writableEnded: boolean;
	body: unknown;
	once(event: string, listener: () => void): void;
	setHeader(name: string, value: string): void;
	removeHeader(name: string): void;
	set(): SimulatedResponse;
	status(code: number): SimulatedResponse;
	end(body?: unknown): SimulatedResponse;
	send(body: unknown): SimulatedResponse;
	json(body: unknown): SimulatedResponse;
}

/** @param onEnd called once, with what is sent */
export function createResponse(onEnd: (response: DeliveryResponse) => void = () => {}): SimulatedResponse {
	const emitter = new EventEmitter();
	const headers: Record<string, string> = {};
	const response: SimulatedResponse = {
		statusCode: 200,
		writableEnded: false,
		body: '',
		once: (event, listener) => void emitter.once(event, listener),
		setHeader: (name, value) => void (headers[name.toLowerCase()] = value),
		removeHeader: (name) => void delete headers[name.toLowerCase()],
		set: () => response,
		status(code) {
			response.statusCode = code;
			return response;
		},
		end(body) {
			const isFirst = !response.writableEnded;
			Object.assign(response, { body, writableEnded: true });
			emitter.emit('prefinish');
			if (isFirst) onEnd({ status: response.statusCode, body, headers });
			return response;
		},
		// As in Express, so that whoever replaces `end` sees every response.
		send: (body) => response.end(body),
		json: (body) => response.send(body),
	};
	return response;
}
