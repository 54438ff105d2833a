import { randomUUID } from 'crypto';
import { jsonParse, type IHttpRequestOptions, type IN8nHttpFullResponse } from 'n8n-workflow';

import { placeParameters, type ApiRequest, type Call } from './call';
import { errorOfAnswer, errorOfNetwork, errorOfUnreadableAnswer, isRecord } from './errors';
import { multipart, type ByteStream } from './multipart';

/** Sends one HTTP request and resolves with its answer, whatever the status; rejects only when none came. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** The body of a successful answer (API spec, "Response envelope"). */
export type Answer = Record<string, unknown>;

/** A file that the service answered with. */
export interface Download {
	stream: ByteStream;
	headers: Record<string, unknown>;
}

/** The one door to the service. All its calls throw ApiError when they do not succeed. */
export interface Client {
	/** Makes a call that is answered in JSON. */
	call(request: ApiRequest): Promise<Answer>;
	/** Makes a call that is answered with a file. */
	download(request: ApiRequest): Promise<Download>;
}

/** Uploads and downloads take as long as the file is large; an idle connection is cut by the network before. */
const FILE_TIMEOUT_MS = 6 * 60 * 60 * 1000;

/** An answer that tells why there is no file is short. */
const LONGEST_REFUSAL = 64 * 1024;

/**
 * @param baseUrl address that all paths are relative to, without a trailing slash
 * @param transport sends a request with the account's key on it
 */
export function createClient(baseUrl: string, transport: Transport): Client {
	/** Retries and pacing have their place around `transport`. */
	const exchange = async (
		request: ApiRequest,
		more: Partial<IHttpRequestOptions> = {},
	): Promise<IN8nHttpFullResponse> => {
		const options = await optionsOf(baseUrl, request);
		return await transport({ ...options, ...more }).catch(
			async (error: unknown) => await Promise.reject(errorOfNetwork(request.call, error)),
		);
	};

	return {
		async call(request) {
			const { statusCode, body } = await exchange(request);
			return answerOf(request.call, statusCode, body);
		},

		async download(request) {
			const response = await exchange(request, { encoding: 'stream', json: false, timeout: FILE_TIMEOUT_MS });
			const stream = response.body as ByteStream;
			if (response.statusCode === 200) return { stream, headers: response.headers };
			const text = await textOf(stream, LONGEST_REFUSAL);
			throw errorOfAnswer(request.call, response.statusCode, jsonParse(text, { fallbackValue: text }));
		},
	};
}

async function optionsOf(baseUrl: string, request: ApiRequest): Promise<IHttpRequestOptions> {
	const { path, query, body } = placeParameters(request);
	const { method } = request.call;
	const options: IHttpRequestOptions = {
		method,
		url: baseUrl + path,
		qs: query,
		json: true,
		// We read every answer ourselves, and the key must not follow a redirect to another host.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
	if (request.file) {
		const form = await multipart(body, request.file, randomUUID());
		return { ...options, ...form, json: false, timeout: FILE_TIMEOUT_MS };
	}
	return method === 'POST' || method === 'PUT' ? { ...options, body } : options;
}

function answerOf(call: Call, status: number, received: unknown): Answer {
	const body =
		typeof received === 'string' ? jsonParse<unknown>(received, { fallbackValue: received }) : received;
	if (status >= 400) throw errorOfAnswer(call, status, body);
	if (status < 200 || status >= 300) throw errorOfUnreadableAnswer(call, status);
	if (call.method === 'DELETE' && !body) return {};
	if (!isRecord(body)) throw errorOfUnreadableAnswer(call, status);
	if (body.success === false) throw errorOfAnswer(call, status, body);
	return body;
}

async function textOf(stream: ByteStream, longest: number): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of stream) {
		const bytes = Buffer.from(chunk as Uint8Array);
		chunks.push(bytes);
		length += bytes.length;
		if (length > longest) break;
	}
	return Buffer.concat(chunks).toString('utf8');
}
