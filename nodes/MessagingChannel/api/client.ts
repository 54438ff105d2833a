import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { placeParameters, type Call, type Parameters } from './call';
import { errorOfAnswer, errorOfNetwork, errorOfUnreadableAnswer, isRecord } from './errors';

/** Sends one HTTP request and resolves with its answer, whatever the status; rejects only when none came. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** The body of a successful answer (API spec, "Response envelope"). */
export type Answer = Record<string, unknown>;

/** The one door to the service. */
export interface Client {
	/**
	 * Makes a call and returns the body of its answer.
	 *
	 * @throws ApiError when the service refuses, answers something else than the API describes, or does not answer
	 */
	call(call: Call, parameters?: Parameters): Promise<Answer>;
}

/**
 * @param baseUrl address that all paths are relative to, without a trailing slash
 * @param transport sends a request with the account's key on it
 */
export function createClient(baseUrl: string, transport: Transport): Client {
	const exchange = async (call: Call, options: IHttpRequestOptions): Promise<IN8nHttpFullResponse> => {
		// Retries and pacing have their place around this line.
		try {
			return await transport({
				...options,
				// We read every answer ourselves, and the key must not follow a redirect to another host.
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			});
		} catch (error) {
			return await Promise.reject(errorOfNetwork(call, error));
		}
	};

	return {
		async call(call, parameters = {}) {
			const { path, query, body } = placeParameters(call, parameters);
			const response = await exchange(call, {
				method: call.method,
				url: baseUrl + path,
				qs: query,
				json: true,
				...(call.method === 'POST' || call.method === 'PUT' ? { body } : {}),
			});
			return bodyOf(call, response);
		},
	};
}

function bodyOf(call: Call, { statusCode, body }: IN8nHttpFullResponse): Answer {
	if (statusCode >= 400) throw errorOfAnswer(call, statusCode, body);
	if (statusCode < 200 || statusCode >= 300) throw errorOfUnreadableAnswer(call, statusCode);
	if (call.method === 'DELETE' && !body) return {};
	if (!isRecord(body)) throw errorOfUnreadableAnswer(call, statusCode);
	if (body.success === false) throw errorOfAnswer(call, statusCode, body);
	return body;
}
