import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import {
	type ApiRequest,
	type Endpoint,
	type FilePart,
	hasFile,
	type ReadResponse,
	type RequestLimits,
	requestParts,
	succeedsOnce,
} from './apiRequest';
import type { Clock } from './clock';
import { DOWNLOAD_OPTIONS, downloadReader, type Download } from './download';
import { GET_WEBHOOK, SEND_TEST_EVENT, SET_WEBHOOK } from './endpoints';
import { ApiError, asMaybeDone, isOwn404, mayHaveBeenMade, withoutSecret } from './errors';
import { multipart, type Multipart } from './multipart';
import { networkError } from './networkError';
import type { RateLimiter } from './rateLimiter';
import {
	responseError,
	retryAfterTooLongError,
	toldStatus,
	unexpectedStatusError,
	unreadableResponseError,
} from './responseErrors';
import { backoffMs, mayRetry, retryAfterMs } from './retry';
import { isErrorBody, isRecord, parsedJson, successIn, type ResponseBody } from './values';

/** The HTTP client of the service. Its methods throw ApiError when a request fails. */
export interface Client {
	/** Sends a request whose response is JSON. */
	call(request: ApiRequest): Promise<ResponseBody>;
	/**
	 * Sends a request whose response is a file.
	 *
	 * @param save stores the file while it arrives; called again when a broken download is retried
	 * @returns what `save` returned for the complete file
	 */
	download<T>(request: ApiRequest, save: (file: Download) => Promise<T>): Promise<T>;
}

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
	/** What gets the responses of some endpoints, too. */
	readers?: ReadonlyMap<Endpoint, (body: ResponseBody) => void>;
}

/** n8n cannot copy an item that is nested deeper. Records of the service do not come close. */
const MAX_RECORD_DEPTH = 200;

const DEFAULT_LIMITS: RequestLimits = { maxAttempts: 4, maxRateLimitWait: 300 };

/** The response to a DELETE that succeeded. */
const DELETED: IN8nHttpFullResponse = { statusCode: 200, headers: {}, body: '' };

/** Uploads and downloads of large files take long. */
const FILE_TIMEOUT_MS = 6 * 60 * 60 * 1000;

/**
 * Creates a client for one account.
 *
 * @param baseUrl URL that all paths are relative to, without a trailing slash
 */
export function createClient(baseUrl: string, dependencies: ClientDependencies): Client {
	return {
		async call(request) {
			const body = await sendRequest(baseUrl, dependencies, request, {}, readJsonResponse);
			dependencies.readers?.get(request.endpoint)?.(body);
			return body;
		},
		async download(request, save) {
			const reader = downloadReader(request, dependencies.clock, save);
			return await sendRequest(baseUrl, dependencies, request, DOWNLOAD_OPTIONS, reader);
		},
	};
}

/** The client whose calls have these limits. */
export function withLimits(client: Client, limits: RequestLimits): Client {
	return { ...client, call: async (request) => await client.call({ ...request, limits }) };
}

/**
 * Sends a request. It waits for the rate limit, and retries where that helps and is safe (API spec, "Errors", retry rules).
 *
 * @param extraOptions added to the options of the HTTP request
 * @throws ApiError when it fails in the end
 */
async function sendRequest<T>(
	baseUrl: string,
	dependencies: ClientDependencies,
	request: ApiRequest,
	extraOptions: Partial<IHttpRequestOptions>,
	read: ReadResponse<T>,
): Promise<T> {
	const { clock, cancelled, limiter, secret } = dependencies;
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
		try {
			const isStream = options.encoding === 'stream';
			const sent = { ...options, ...form?.options };
			const answer = await transport(isStream ? withAbortSignal(connection, sent) : sent);
			const body = parsedJson(answer.body);
			const isError = isRecord(body) && isErrorBody(body);
			const statusCode = isError ? toldStatus(answer.statusCode, body) : answer.statusCode;
			response = { ...answer, statusCode, body: body as IN8nHttpFullResponse['body'] };
			return response;
		} catch (error) {
			return form?.fileError() ?? networkError(request.endpoint, error, cancelled?.aborted);
		} finally {
			form?.close();
		}
	} finally {
		const pauseMs = response?.statusCode === 429 ? backoffMs(attempt, clock.random()) : undefined;
		const { statusCode = 0, headers } = response ?? {};
		const tellsLimit = headers?.['x-ratelimit-limit'] !== undefined;
		// An error, a redirect or a page can be that of a proxy.
		const isOther = !tellsLimit && !(statusCode < 300 && isRecord(response?.body));
		if (isSent) limiter.settle(headers, pauseMs, sentAt, isOther);
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
		...(hasFile(request) && { timeout: FILE_TIMEOUT_MS }),
		// The client reads every response itself. A redirect would send the API key to another host.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}

/** n8n replaces the abort signal of a request with that of the execution. A stream needs both. */
function withAbortSignal({ signal }: AbortController, options: IHttpRequestOptions): IHttpRequestOptions {
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
	return { options: form, close, fileError };
}

function readJsonResponse(
	endpoint: Endpoint,
	{ statusCode, headers, body }: IN8nHttpFullResponse,
): ResponseBody | ApiError {
	if (statusCode >= 400) return responseError(endpoint, statusCode, body);
	if (statusCode < 200 || statusCode >= 300) return unexpectedStatusError(endpoint, statusCode, headers);
	const isTooDeep = isNestedDeeperThan(MAX_RECORD_DEPTH, body);
	const isEmpty = isEmptyBody(body);
	const isNoWebhook = endpoint === GET_WEBHOOK && statusCode === 204;
	if (isEmpty && (isToldByStatus(endpoint) || isNoWebhook)) return {};
	if (!isRecord(body) || isTooDeep) return unreadableResponseError(endpoint, statusCode);
	const isSuccess = successIn(body);
	if (isSuccess === false) return responseError(endpoint, statusCode, body);
	// A proxy may respond in JSON too, so a send succeeds only when the body says so.
	const isRead = isSuccess === true || (isSuccess === 'missing' && !endpoint.sends && !isEmpty);
	return isRead ? body : unreadableResponseError(endpoint, statusCode);
}

/** The API describes no response to these, and the status says all that there is to know of what was set, sent, changed or deleted. */
function isToldByStatus(endpoint: Endpoint): boolean {
	return (
		[SET_WEBHOOK, SEND_TEST_EVENT].includes(endpoint) || endpoint.method === 'PUT' || succeedsOnce(endpoint)
	);
}

function isEmptyBody(body: unknown): boolean {
	if (typeof body === 'string') return body.trim() === '';
	return isRecord(body) ? Object.keys(body).length === 0 : !body;
}

function isNestedDeeperThan(levels: number, value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((inner) => isNestedDeeperThan(levels - 1, inner));
}
