import { jsonParse, type IN8nHttpFullResponse } from 'n8n-workflow';

import type { ApiRequest, Call } from './call';
import { DOWNLOAD_OPTIONS, downloadReader, type Download } from './download';
import {
	errorOfAnswer,
	errorOfUnexpectedStatus,
	errorOfUnreadableAnswer,
	isRecord,
	type ApiError,
} from './errors';
import { createExchange, type Environment } from './exchange';
import { isRefusal } from './records';

/** The body of a successful answer (API spec, "Response envelope"). */
export type Answer = Record<string, unknown>;

/** The one door to the service. All its calls throw ApiError when they do not succeed. */
export interface Client {
	/** Makes a call that is answered in JSON. */
	call(request: ApiRequest): Promise<Answer>;
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
export function createClient(baseUrl: string, environment: Environment): Client {
	const exchange = createExchange(baseUrl, environment);
	return {
		call: async (request) => await exchange(request, {}, answerOf),
		download: async (request, keep) =>
			await exchange(request, DOWNLOAD_OPTIONS, downloadReader(request, environment.clock, keep)),
	};
}

function answerOf(
	call: Call,
	{ statusCode, headers, body: received }: IN8nHttpFullResponse,
): Answer | ApiError {
	const body =
		typeof received === 'string' ? jsonParse<unknown>(received, { fallbackValue: received }) : received;
	if (statusCode >= 400) return errorOfAnswer(call, statusCode, body);
	if (statusCode < 200 || statusCode >= 300) return errorOfUnexpectedStatus(call, statusCode, headers);
	if (call.method === 'DELETE' && isEmpty(body)) return {};
	if (!isRecord(body) || isDeeperThan(MOST_LEVELS, body)) return errorOfUnreadableAnswer(call, statusCode);
	if (isRefusal(body)) return errorOfAnswer(call, statusCode, body);
	return isSuccess(call, body) ? body : errorOfUnreadableAnswer(call, statusCode);
}

/** Something else than the service may answer in JSON too, so a message counts as taken only when it is said. */
function isSuccess(call: Call, body: Answer): boolean {
	return body.success === true || (body.success === undefined && !call.sends && !isEmpty(body));
}

function isEmpty(body: unknown): boolean {
	if (typeof body === 'string') return body.trim() === '';
	return isRecord(body) ? Object.keys(body).length === 0 : !body;
}

function isDeeperThan(levels: number, value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
