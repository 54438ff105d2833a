import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { createClient, type Client } from '../../../nodes/MessagingChannel/api/client';
import { createRateLimiter } from '../../../nodes/MessagingChannel/api/rateLimiter';
import { virtualClock, type VirtualClock } from '../../support/engine/clock';

/** An answer as n8n's HTTP helper gives it. */
export function answer(
	statusCode: number,
	body: unknown,
	headers: Record<string, string> = {},
): IN8nHttpFullResponse {
	return { statusCode, headers, body: body as IN8nHttpFullResponse['body'] };
}

/** What the script gives: a promise for an answer that takes long. */
type Answer = IN8nHttpFullResponse | Promise<IN8nHttpFullResponse> | Error;

/** A client whose service gives these answers, one after the other; an error is thrown instead. */
export interface Scripted {
	client: Client;
	/** What was asked. */
	sent: IHttpRequestOptions[];
	clock: VirtualClock;
}

export function scripted(...answers: Answer[]): Scripted {
	return scriptedUntil(undefined, ...answers);
}

/** The same in an execution that n8n can end. */
export function scriptedUntil(cancelled: AbortSignal | undefined, ...answers: Answer[]): Scripted {
	const sent: IHttpRequestOptions[] = [];
	const clock = virtualClock();
	const client = createClient('https://service.example.com/api', {
		clock,
		cancelled,
		secret: 'secret-key',
		limiter: createRateLimiter(clock),
		transport: async (options) => {
			sent.push(options);
			const next = answers.shift();
			if (!next) throw new Error('The script has no answer left.');
			if (next instanceof Error) throw next;
			return await Promise.resolve(next);
		},
	});
	return { client, sent, clock };
}
