import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { ApiRequest, Endpoint, RequestLimits, FilePart } from './apiRequest';
import type { Clock } from './clock';
import { ApiError, errorOfLongPause, errorOfNetwork, withoutSecret } from './errors';
import { requestParts } from './requestParts';
import { multipart, type Multipart } from './multipart';
import type { RateLimiter } from './rateLimiter';
import { backoffMs, mayRetry, retryAfterMs } from './retry';

/** Sends one HTTP request and resolves with its answer, whatever the status; rejects only when none came. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** What the door stands on. */
export interface ClientDependencies {
	/** Sends a request with the account's key on it. */
	transport: Transport;
	clock: Clock;
	/** Aborted when the user stops the execution: nothing goes out any more. */
	cancelled?: AbortSignal;
	limiter: RateLimiter;
	/** Never shown, though the service may quote it in an error. */
	secret?: string;
}

/**
 * Turns an answer into what the caller wants of it, or into an error. An answer that comes as a stream ends when its
 * connection is aborted.
 */
export type ReadAnswer<T> = (
	endpoint: Endpoint,
	response: IN8nHttpFullResponse,
	connection: AbortController,
) => T | ApiError | Promise<T | ApiError>;

/** Makes a request until it has an outcome; throws ApiError when it is none that the caller wants. */
export type Exchange = <T>(
	request: ApiRequest,
	options: Partial<IHttpRequestOptions>,
	read: ReadAnswer<T>,
) => Promise<T>;

const USUAL_PATIENCE: RequestLimits = { maxAttempts: 4, maxRateLimitWait: 300 };

/** Uploads and downloads take as long as the file is large. */
const FILE_TIMEOUT_MS = 6 * 60 * 60 * 1000;

/**
 * The way of every request to the service: it waits for a place in the rate window, goes out, and is repeated where
 * that helps and cannot do harm.
 *
 * @param baseUrl address that all paths are relative to, without a trailing slash
 */
export function createSendRequest(
	baseUrl: string,
	{ transport, clock, cancelled, limiter, secret = '' }: ClientDependencies,
): Exchange {
	return async (request, more, read) => {
		const { endpoint } = request;
		const { maxAttempts, maxRateLimitWait } = request.limits ?? USUAL_PATIENCE;
		const options = { ...optionsOf(baseUrl, request), ...more };

		const askedMs = (response?: IN8nHttpFullResponse) => (response ? retryAfterMs(response, clock.now()) : 0);
		const pauseAfter = (tries: number, response?: IN8nHttpFullResponse) =>
			Math.max(backoffMs(tries, clock.random()), askedMs(response));

		const send = async (
			tries: number,
			connection: AbortController,
		): Promise<IN8nHttpFullResponse | ApiError> => {
			let response: IN8nHttpFullResponse | undefined;
			const sentAt = clock.now();
			try {
				cancelled?.throwIfAborted();
				// A file that cannot be read is no fault of the network.
				const form = request.file && (await formOf(options, request.file));
				const answer = await transport(withAbortSignal(connection, { ...options, ...form?.options }))
					.catch((error: unknown) => form?.fault() ?? errorOfNetwork(endpoint, error))
					.finally(() => form?.close());
				if (!(answer instanceof ApiError)) response = answer;
				return answer;
			} finally {
				const isRefused = response?.statusCode === 429;
				limiter.settle(response?.headers, isRefused ? pauseAfter(tries, response) : undefined, sentAt);
			}
		};

		/** What is left of the wait that all tries may have together. */
		let patienceMs = maxRateLimitWait * 1000;
		for (let tries = 1; ; tries++) {
			const began = clock.now();
			await limiter.admit(patienceMs);
			patienceMs -= clock.now() - began;
			const connection = new AbortController();
			const response = await send(tries, connection);
			const outcome = response instanceof ApiError ? response : await read(endpoint, response, connection);
			if (!(outcome instanceof ApiError)) return outcome;
			if (tries >= maxAttempts || !mayRetry(endpoint, outcome)) throw withoutSecret(outcome, secret);
			// For the end of the rate window, the limiter waits.
			if (outcome.httpStatus === 429) continue;
			const answer = response instanceof ApiError ? undefined : response;
			const asked = askedMs(answer);
			if (asked > Math.max(patienceMs, 0)) {
				throw withoutSecret(errorOfLongPause(outcome, clock.now() + asked), secret);
			}
			await clock.sleep(pauseAfter(tries, answer));
			patienceMs -= asked;
		}
	};
}

function optionsOf(baseUrl: string, request: ApiRequest): IHttpRequestOptions {
	const { path, query, body } = requestParts(request);
	const { method } = request.endpoint;
	return {
		method,
		url: baseUrl + path,
		qs: query,
		json: true,
		...(method === 'POST' || method === 'PUT' ? { body } : {}),
		// We read every answer ourselves, and the key must not follow a redirect to another host.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}

/** n8n replaces the signal of a request by that of the execution. A stream needs both. */
function withAbortSignal({ signal }: AbortController, options: IHttpRequestOptions): IHttpRequestOptions {
	if (options.encoding !== 'stream') return options;
	let ended = signal;
	return Object.defineProperty(options, 'abortSignal', {
		enumerable: true,
		get: () => ended,
		set: (cancelled?: AbortSignal) => {
			ended = cancelled ? AbortSignal.any([signal, cancelled]) : signal;
		},
	});
}

async function formOf(
	{ body }: IHttpRequestOptions,
	file: FilePart,
): Promise<Pick<Multipart, 'close' | 'fault'> & { options: Partial<IHttpRequestOptions> }> {
	const { close, fault, ...form } = await multipart(body as IDataObject, file, randomUUID());
	return { options: { ...form, timeout: FILE_TIMEOUT_MS }, close, fault };
}
