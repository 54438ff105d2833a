import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { succeedsOnce, type ApiRequest, type Endpoint, type RequestLimits } from './apiRequest';
import { DOWNLOAD_OPTIONS, downloadReader, type Download } from './download';
import { SEND_TEST_EVENT, SET_WEBHOOK } from './endpoints';
import type { ApiError } from './errors';
import { flagOf, isErrorBody, isRecord, parsedJson, type ResponseBody } from './values';
import { responseError, unexpectedStatusError, unreadableResponseError } from './responseErrors';
import { createSendRequest, type ClientDependencies } from './sendRequest';

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

/** n8n cannot copy an item that is nested deeper. Records of the service do not come close. */
const MAX_RECORD_DEPTH = 200;

/**
 * Creates a client for one account.
 *
 * @param baseUrl URL that all paths are relative to, without a trailing slash
 */
export function createClient(baseUrl: string, dependencies: ClientDependencies): Client {
	const sendRequest = createSendRequest(baseUrl, dependencies);
	return {
		call: async (request) => await sendRequest(request, {}, readJsonResponse),
		download: async (request, save) =>
			await sendRequest(request, DOWNLOAD_OPTIONS, downloadReader(request, dependencies.clock, save)),
	};
}

/** The client whose calls have these limits. */
export function withLimits(client: Client, limits: RequestLimits): Client {
	return { ...client, call: async (request) => await client.call({ ...request, limits }) };
}

function readJsonResponse(
	endpoint: Endpoint,
	{ statusCode, headers, body: rawBody }: IN8nHttpFullResponse,
): ResponseBody | ApiError {
	const body = parsedJson(rawBody);
	if (statusCode >= 400) return responseError(endpoint, statusCode, body);
	if (statusCode < 200 || statusCode >= 300) return unexpectedStatusError(endpoint, statusCode, headers);
	if (isToldByStatus(endpoint) && isEmptyBody(body)) return {};
	if (!isRecord(body) || isNestedDeeperThan(MAX_RECORD_DEPTH, body))
		return unreadableResponseError(endpoint, statusCode);
	if (isErrorBody(body)) return responseError(endpoint, statusCode, body);
	return isSuccess(endpoint, body) ? body : unreadableResponseError(endpoint, statusCode);
}

/** The API describes no response to these, and the status says all that there is to know of what was set, sent, changed or deleted. */
function isToldByStatus(endpoint: Endpoint): boolean {
	return (
		[SET_WEBHOOK, SEND_TEST_EVENT].includes(endpoint) || endpoint.method === 'PUT' || succeedsOnce(endpoint)
	);
}

/** A proxy may respond in JSON too, so a send succeeds only when the body says so. */
function isSuccess(endpoint: Endpoint, body: ResponseBody): boolean {
	return (
		flagOf(body.success) === true || (body.success === undefined && !endpoint.sends && !isEmptyBody(body))
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
