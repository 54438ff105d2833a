import { jsonParse, type IN8nHttpFullResponse } from 'n8n-workflow';

import type { ApiRequest, Endpoint } from './apiRequest';
import { DOWNLOAD_OPTIONS, downloadReader, type Download } from './download';
import { errorOfAnswer, errorOfUnexpectedStatus, errorOfUnreadableAnswer, type ApiError } from './errors';
import { isRecord } from './isRecord';
import { createSendRequest, type ClientDependencies } from './sendRequest';
import { isRefusal, type ResponseBody } from './records';

/** The one door to the service. All its calls throw ApiError when they do not succeed. */
export interface Client {
	/** Makes a call that is answered in JSON. */
	call(request: ApiRequest): Promise<ResponseBody>;
	/**
	 * Makes a call that is answered with a file.
	 *
	 * @param keep takes the file while it comes; called again for a file that broke off and comes anew
	 * @returns what `keep` made of the whole file
	 */
	download<T>(request: ApiRequest, keep: (file: Download) => Promise<T>): Promise<T>;
}

/** Of what is nested deeper, n8n cannot make a copy. No record of the service comes near it. */
const MOST_LEVELS = 200;

/**
 * @param baseUrl address that all paths are relative to, without a trailing slash
 */
export function createClient(baseUrl: string, environment: ClientDependencies): Client {
	const exchange = createSendRequest(baseUrl, environment);
	return {
		call: async (request) => await exchange(request, {}, answerOf),
		download: async (request, keep) =>
			await exchange(request, DOWNLOAD_OPTIONS, downloadReader(request, environment.clock, keep)),
	};
}

function answerOf(
	endpoint: Endpoint,
	{ statusCode, headers, body: received }: IN8nHttpFullResponse,
): ResponseBody | ApiError {
	const body =
		typeof received === 'string' ? jsonParse<unknown>(received, { fallbackValue: received }) : received;
	if (statusCode >= 400) return errorOfAnswer(endpoint, statusCode, body);
	if (statusCode < 200 || statusCode >= 300) return errorOfUnexpectedStatus(endpoint, statusCode, headers);
	if (endpoint.method === 'DELETE' && isEmpty(body)) return {};
	if (!isRecord(body) || isDeeperThan(MOST_LEVELS, body))
		return errorOfUnreadableAnswer(endpoint, statusCode);
	if (isRefusal(body)) return errorOfAnswer(endpoint, statusCode, body);
	return isSuccess(endpoint, body) ? body : errorOfUnreadableAnswer(endpoint, statusCode);
}

/** Something else than the service may answer in JSON too, so a message counts as taken only when it is said. */
function isSuccess(endpoint: Endpoint, body: ResponseBody): boolean {
	return body.success === true || (body.success === undefined && !endpoint.sends && !isEmpty(body));
}

function isEmpty(body: unknown): boolean {
	if (typeof body === 'string') return body.trim() === '';
	return isRecord(body) ? Object.keys(body).length === 0 : !body;
}

function isDeeperThan(levels: number, value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
