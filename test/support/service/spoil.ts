import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Response } from 'express';

import type { Reply } from './core/call';
import { commonHeaders, dateHeader } from './commonHeaders';
import { OF_ANSWERS, type FaultEffect } from './core/faults';
import type { RequestRecord } from './core/requestLog';
import type { Runtime } from './core/runtime';

/** The code a status stands for ("Errors"). */
const ERROR_CODES: Record<number, string> = {
	400: 'validation_error',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
	429: 'rate_limit_exceeded',
	504: 'send_timeout',
};

const HTML =
	'<!DOCTYPE html><html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>';

interface Raw {
	status: number;
	type: string;
	body: string;
	headers?: Record<string, string>;
}

/** What is sent instead of the answer; the status is the real one unless the fault names another. */
function substitute(effect: FaultEffect, real?: number): Raw | undefined {
	switch (effect.kind) {
		case 'status': {
			const { status, headers, error = ERROR_CODES[status] ?? 'internal_error' } = effect;
			const body = effect.body ?? { success: false, error, message: 'A fault on command.' };
			return typeof body === 'string'
				? { status, type: 'text/plain', body, headers }
				: { status, type: 'application/json', body: JSON.stringify(body), headers };
		}
		case 'bad-json':
			return { status: effect.status ?? real ?? 200, type: 'application/json', body: '{"success":true,"da' };
		case 'html':
			return { status: effect.status ?? real ?? 502, type: 'text/html', body: HTML };
		case 'empty':
			return { status: effect.status ?? real ?? 200, type: 'application/json', body: '' };
		case 'redirect':
			return {
				status: effect.status ?? 302,
				type: 'text/plain',
				body: '',
				headers: { Location: effect.location },
			};
		default:
			return undefined;
	}
}

const headersOf = (reply: Reply): Record<string, string> =>
	'json' in reply ? { 'Content-Type': 'application/json; charset=utf-8' } : reply.headers;

/** Half of the real answer, under the length of the whole one unless it is packed; then its end, or nothing more. */
async function sendHalf(response: Response, reply: Reply, kind: FaultEffect['kind']): Promise<void> {
	const plain = 'json' in reply ? Buffer.from(JSON.stringify(reply.json)) : await buffer(reply.stream);
	const whole = kind === 'half-gzip' ? gzipSync(plain) : plain;
	const half = whole.subarray(0, Math.ceil(whole.length / 2));
	response.status(reply.status).set(headersOf(reply));
	if (kind === 'half-gzip') {
		response.set({ 'Content-Encoding': 'gzip', 'Content-Length': String(half.length) }).end(half);
		return;
	}
	response.set('Content-Length', String(whole.length));
	await new Promise((resolve) => response.write(half, resolve));
	if (kind === 'cut') response.socket?.destroy();
}

/** Answers as a fault commands; `reply` is the real answer when the request was taken. */
export async function spoil(
	runtime: Runtime,
	record: RequestRecord,
	response: Response,
	effect: FaultEffect,
	reply?: Reply,
): Promise<void> {
	// A proxy knows nothing of the service's limits.
	response.set(effect.kind === 'html' ? dateHeader(runtime) : commonHeaders(runtime));
	if (reply && OF_ANSWERS.includes(effect.kind)) return await sendHalf(response, reply, effect.kind);
	if (reply && 'stream' in reply) reply.stream.destroy();
	if (effect.kind === 'silence') return;
	const raw = substitute(effect, reply?.status);
	runtime.log.close(record, raw?.status ?? null);
	if (!raw) {
		response.socket?.destroy();
		return;
	}
	response
		.status(raw.status)
		.set('Content-Type', raw.type)
		.set(raw.headers ?? {})
		.end(raw.body);
}
