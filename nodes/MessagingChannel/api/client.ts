import { jsonParse, type IN8nHttpFullResponse } from 'n8n-workflow';

import type { ApiRequest, Call } from './call';
import {
	errorOfAnswer,
	errorOfNetwork,
	errorOfRedirect,
	errorOfUnreadableAnswer,
	isRecord,
	type ApiError,
} from './errors';
import { createExchange, type Environment } from './exchange';
import type { ByteStream } from './multipart';

/** The body of a successful answer (API spec, "Response envelope"). */
export type Answer = Record<string, unknown>;

/** A file that the service answered with. */
export interface Download {
	stream: ByteStream;
	headers: Record<string, unknown>;
	/** Why the stream broke off, if it did. */
	broken: () => ApiError | undefined;
}

/** The one door to the service. All its calls throw ApiError when they do not succeed. */
export interface Client {
	/** Makes a call that is answered in JSON. */
	call(request: ApiRequest): Promise<Answer>;
	/** Makes a call that is answered with a file. */
	download(request: ApiRequest): Promise<Download>;
}

/** An answer that tells why there is no file is short. */
const LONGEST_REFUSAL = 64 * 1024;

/** Of what is nested deeper, n8n cannot make a copy. No record of the service comes near it. */
const MOST_LEVELS = 200;

/**
 * @param baseUrl address that all paths are relative to, without a trailing slash
 */
export function createClient(baseUrl: string, environment: Environment): Client {
	const exchange = createExchange(baseUrl, environment);
	return {
		call: async (request) => await exchange(request, {}, answerOf),
		download: async (request) => await exchange(request, { encoding: 'stream', json: false }, downloadOf),
	};
}

function answerOf(
	call: Call,
	{ statusCode, headers, body: received }: IN8nHttpFullResponse,
): Answer | ApiError {
	const body =
		typeof received === 'string' ? jsonParse<unknown>(received, { fallbackValue: received }) : received;
	if (statusCode >= 400) return errorOfAnswer(call, statusCode, body);
	if (statusCode < 200 || statusCode >= 300) return errorOfUnwanted(call, statusCode, headers);
	if (call.method === 'DELETE' && isEmpty(body)) return {};
	if (!isRecord(body) || isDeeperThan(MOST_LEVELS, body)) return errorOfUnreadableAnswer(call, statusCode);
	if (isRefusal(body)) return errorOfAnswer(call, statusCode, body);
	return isSuccess(call, body) ? body : errorOfUnreadableAnswer(call, statusCode);
}

/** The envelope decides, whatever the status (API spec, "Response envelope"). */
function isRefusal({ success, error }: Answer): boolean {
	return success === false || (success === undefined && typeof error === 'string' && error !== '');
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

async function downloadOf(
	call: Call,
	{ statusCode, headers, body }: IN8nHttpFullResponse,
): Promise<Download | ApiError> {
	const stream = body as ByteStream;
	if (statusCode === 200) {
		let error: ApiError | undefined;
		stream.once('error', (thrown: unknown) => (error = errorOfNetwork(call, thrown)));
		return { stream, headers, broken: () => error };
	}
	const text = await textOf(stream, LONGEST_REFUSAL);
	return statusCode >= 400
		? errorOfAnswer(call, statusCode, jsonParse<unknown>(text, { fallbackValue: text }))
		: errorOfUnwanted(call, statusCode, headers);
}

/** The error for a status that is neither a success nor an error. */
function errorOfUnwanted(call: Call, statusCode: number, headers: Record<string, unknown>): ApiError {
	return errorOfRedirect(call, statusCode, headers.location) ?? errorOfUnreadableAnswer(call, statusCode);
}

async function textOf(stream: ByteStream, longest: number): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of stream) {
			const bytes = Buffer.from(chunk as Uint8Array);
			chunks.push(bytes);
			length += bytes.length;
			if (length > longest) break;
		}
	} catch {
		// The status has told enough.
	}
	return Buffer.concat(chunks).toString('utf8');
}
