import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import {
	type ApiRequest,
	type Endpoint,
	type FilePart,
	type RequestLimits,
	requestParts,
	succeedsOnce,
} from './apiRequest';
import type { Clock } from './clock';
import { ApiError, asMaybeDone, isOwn404, mayHaveBeenMade, withoutSecret } from './errors';
import { multipart, type Multipart } from './multipart';
import { networkError } from './networkError';
import type { RateLimiter } from './rateLimiter';
import { retryAfterTooLongError, toldStatus } from './responseErrors';
import { backoffMs, mayRetry, retryAfterMs } from './retry';

/** Sends one HTTP request and resolves with its response, whatever the status. Rejects only without a response. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** What the client needs. */
export interface ClientDependencies {
	/** Sends a request with the account's API key. */
	transport: Transport;
	clock: Clock;
	/** Aborted when the user stops the execution. Then no further request is sent. */
	cancelled?: AbortSignal;
	limiter: RateLimiter;
	/** Masked in errors, because the service may quote it. */
	secret: string;
}

/**
 * Turns a response into the result for the caller, or into an error. A response that is a stream ends when its connection
 * is aborted.
 */
export type ReadResponse<T> = (
	endpoint: Endpoint,
	response: IN8nHttpFullResponse,
	connection: AbortController,
) => T | ApiError | Promise<T | ApiError>;

/**
 * Sends a request, with retries.
 *
 * @param extraOptions added to the options of the HTTP request
 * @throws ApiError when it fails in the end
 */
export type SendRequest = <T>(
	request: ApiRequest,
	extraOptions: Partial<IHttpRequestOptions>,
	read: ReadResponse<T>,
) => Promise<T>;

const DEFAULT_LIMITS: RequestLimits = { maxAttempts: 4, maxRateLimitWait: 300 };

/** The response to a DELETE that succeeded. */
const DELETED: IN8nHttpFullResponse = { statusCode: 200, headers: {}, body: '' };

/** Uploads and downloads of large files take long. */
const FILE_TIMEOUT_MS = 6 * 60 * 60 * 1000;

/**
 * Creates the function that sends every request to the service. It waits for the rate limit, and retries where that helps
 * and is safe (API spec, "Errors", retry rules).
 *
 * @param baseUrl URL that all paths are relative to, without a trailing slash
 */
export function createSendRequest(baseUrl: string, dependencies: ClientDependencies): SendRequest {
	const { clock, cancelled, limiter, secret } = dependencies;
	return async (request, extraOptions, read) => {
		const { endpoint } = request;
		const { maxAttempts, maxRateLimitWait, waitOption } = request.limits ?? DEFAULT_LIMITS;
		const options = { ...optionsOf(baseUrl, request), ...extraOptions };

		/** How long the remaining attempts together may still wait. */
		let remainingWaitMs = maxRateLimitWait * 1000;
		let mayBeDone = request.mayBeDone ?? false;
		const failure = (error: ApiError): ApiError =>
			withoutSecret(mayBeDone && succeedsOnce(endpoint) ? asMaybeDone(error) : error, secret);
		/** What the last attempt may have done. The end of the execution must not hide it. */
		let unclear: ApiError | undefined;
		const fail = (error: unknown): never => {
			if (error instanceof ApiError) throw failure(error);
			throw unclear && cancelled?.aborted ? failure(unclear) : error;
		};
		for (let attempt = 1; ; attempt++) {
			const startedAt = clock.elapsed();
			await limiter.admit(remainingWaitMs, waitOption).catch(fail);
			remainingWaitMs -= clock.elapsed() - startedAt;
			const connection = new AbortController();
			const received = await attemptRequest(dependencies, request, options, attempt, connection).catch(fail);
			const readAs = async (response: IN8nHttpFullResponse) => await read(endpoint, response, connection);
			let result = received instanceof ApiError ? received : await readAs(received);
			// An earlier attempt has deleted it, and only its response was lost.
			if (mayBeDone && endpoint.method === 'DELETE' && !(received instanceof ApiError) && isOwn404(result))
				result = await readAs(DELETED);
			if (!(result instanceof ApiError)) return result;
			const isUnclear = mayHaveBeenMade(result);
			mayBeDone ||= isUnclear;
			if (isUnclear && endpoint.method !== 'GET') unclear = result;
			// What n8n has ended is no failure of the service.
			else if (result.httpStatus === null) cancelled?.throwIfAborted();
			if (attempt >= maxAttempts || !mayRetry(endpoint, result)) throw failure(result);
			// The limiter waits for the rate limit to reset.
			if (!(received instanceof ApiError) && received.statusCode === 429) continue;
			const requestedMs = received instanceof ApiError ? 0 : retryAfterMs(received, clock.now());
			if (requestedMs > Math.max(remainingWaitMs, 0)) {
				throw failure(retryAfterTooLongError(result, clock.now() + requestedMs, waitOption));
			}
			await clock.sleep(Math.max(backoffMs(attempt, clock.random()), requestedMs)).catch(fail);
			remainingWaitMs -= requestedMs;
		}
	};
}

/**
 * Makes one attempt, and tells the limiter how it ended.
 *
 * @param options the options of the HTTP request
 * @param attempt its number, from 1
 * @param connection aborts a response that is a stream
 * @returns the response, whatever its status, or the error of a request without one
 * @throws what `request.beforeAttempt` or opening the file throws, or why the execution was stopped
 */
async function attemptRequest(
	{ transport, clock, cancelled, limiter }: ClientDependencies,
	request: ApiRequest,
	options: IHttpRequestOptions,
	attempt: number,
	connection: AbortController,
): Promise<IN8nHttpFullResponse | ApiError> {
	let response: IN8nHttpFullResponse | undefined;
	let isSent = false;
	const sentAt = clock.elapsed();
	try {
		request.beforeAttempt?.(clock.now());
		// Outside of the catch below: a file that cannot be read is not a network error.
		const form = request.file && (await createForm(options, request.file));
		if (cancelled?.aborted) form?.close();
		cancelled?.throwIfAborted();
		isSent = true;
		const result = await transport(withAbortSignal(connection, { ...options, ...form?.options }))
			.catch(
				(error: unknown) => form?.fileError() ?? networkError(request.endpoint, error, cancelled?.aborted),
			)
			.finally(() => form?.close());
		if (result instanceof ApiError) return result;
		response = { ...result, statusCode: toldStatus(result.statusCode, result.body) };
		return response;
	} finally {
		const pauseMs = response?.statusCode === 429 ? backoffMs(attempt, clock.random()) : undefined;
		if (isSent) limiter.settle(response?.headers, pauseMs, sentAt);
		else limiter.release();
	}
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
		// The client reads every response itself. A redirect would send the API key to another host.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}

/** n8n replaces the abort signal of a request with that of the execution. A stream needs both. */
function withAbortSignal({ signal }: AbortController, options: IHttpRequestOptions): IHttpRequestOptions {
	if (options.encoding !== 'stream') return options;
	let combined = signal;
	return Object.defineProperty(options, 'abortSignal', {
		enumerable: true,
		get: () => combined,
		set: (cancelled?: AbortSignal) => {
			combined = cancelled ? AbortSignal.any([signal, cancelled]) : signal;
		},
	});
}

async function createForm(
	{ body }: IHttpRequestOptions,
	file: FilePart,
): Promise<Pick<Multipart, 'close' | 'fileError'> & { options: Partial<IHttpRequestOptions> }> {
	const { close, fileError, ...form } = await multipart(body as IDataObject, file, randomUUID());
	return { options: { ...form, timeout: FILE_TIMEOUT_MS }, close, fileError };
}
