import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { streamOf, type ByteStream } from './byteStream';
import type { ApiRequest, ReadResponse } from './apiRequest';
import type { Clock } from './clock';
import { fileNameIn } from './contentDisposition';
import { ApiError, type ErrorTexts } from './errors';
import { withoutParameters } from './mimeType';
import { networkError } from './networkError';
import { isErrorBody, isRecord, parsedJson } from './values';
import { responseError, toldStatus, unexpectedStatusError, unreadableResponseError } from './responseErrors';

/** A file that is being downloaded. */
export interface Download {
	stream: ByteStream;
	/** The name in the response, or else the requested one. */
	filename?: string;
	/** Without parameters. */
	mimetype?: string;
}

/** The service may have to fetch the file before it responds. */
const RESPONSE_TIMEOUT_MS = 5 * 60_000;

/** The longest pause between two chunks. The whole file may take any time. */
const IDLE_TIMEOUT_MS = 60_000;

/** A JSON body with an error is short. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/** The texts for a redirect: the storage of files is often elsewhere. */
const FILE_ELSEWHERE: ErrorTexts = {
	message: 'The service redirects to another address for this file',
	description:
		"The node does not follow, because the API key would go there, too. Get a link with 'Include Download Links' of Chat > Get Messages, and download it with an HTTP Request node. If other operations fail, too, check the 'Base URL' in the credential.",
};

/** The options of a request for a file. */
export const DOWNLOAD_OPTIONS: Partial<IHttpRequestOptions> = {
	encoding: 'stream',
	json: false,
	timeout: RESPONSE_TIMEOUT_MS,
	// n8n's HTTP client does not notice that a compressed body is truncated.
	headers: { 'accept-encoding': 'identity' },
};

/**
 * Creates the function that reads the response to a download (API spec, "Media"). A response with status 200 is the file,
 * unless it has no Content-Disposition header and is
 * - an error of the service: JSON of at most 64 KiB in its envelope, or
 * - an HTML page that cannot be the file, because the rate-limit headers are missing (so a proxy responded) or because
 *   the requested file has another extension.
 *
 * A download that breaks off, stalls or does not match its Content-Length is a network error, which is retried.
 *
 * @param save stores the file while it arrives
 */
export function downloadReader<T>(
	{ parameters = {} }: ApiRequest,
	clock: Clock,
	save: (file: Download) => Promise<T>,
): ReadResponse<T> {
	const requestedName = typeof parameters.filename === 'string' ? parameters.filename : undefined;
	return async (endpoint, { statusCode, headers, body }, connection) => {
		let streamError: ApiError | undefined;
		const source = body as ByteStream;
		// The reader of the next chunk gets the errors. Without a listener, an error between two reads would end n8n.
		source.on('error', () => undefined);
		const chunks = readChunks(source, clock, connection.signal, contentLengthIn(headers), (thrown) => {
			streamError = thrown instanceof ApiError ? thrown : networkError(endpoint, thrown);
			return streamError;
		});
		try {
			if (statusCode >= 400) {
				// If the body breaks off, the status alone makes the error.
				const { text } = await readPrefix(chunks).catch(() => EMPTY_PREFIX);
				return responseError(endpoint, statusCode, parsedJson(text));
			}
			if (statusCode !== 200) {
				const error = unexpectedStatusError(endpoint, statusCode, headers);
				return error.permanent ? error.with(FILE_ELSEWHERE) : error;
			}

			const disposition = headers['content-disposition'];
			const prefix = disposition === undefined ? await readPrefix(chunks) : EMPTY_PREFIX;
			const errorBody = prefix.isComplete ? parsedJson(prefix.text) : undefined;
			if (isRecord(errorBody) && isErrorBody(errorBody))
				return responseError(endpoint, toldStatus(statusCode, errorBody), errorBody);
			if (isHtmlPage(prefix.text, headers) && !mayBeHtmlFile(headers, requestedName)) {
				return unreadableResponseError(endpoint, statusCode);
			}
			const saved = await save({
				stream: streamOf(concatenate(prefix.chunks, chunks), source),
				filename: fileNameIn(disposition) ?? requestedName,
				mimetype: mimeTypeIn(headers) || undefined,
			});
			return streamError ?? saved;
		} catch (thrown) {
			return streamError ?? (await Promise.reject(thrown));
		} finally {
			connection.abort();
		}
	};
}

type ResponseHeaders = IN8nHttpFullResponse['headers'];

function contentLengthIn(headers: ResponseHeaders): number | undefined {
	const length = String(headers['content-length']);
	return /^\d+$/.test(length) ? Number(length) : undefined;
}

function mimeTypeIn(headers: ResponseHeaders): string {
	return withoutParameters(String(headers['content-type'] ?? ''));
}

function isHtmlPage(text: string, headers: ResponseHeaders): boolean {
	return (
		/^\s*<(!doctype html|html)\b/i.test(text) || (/\bhtml\b/i.test(mimeTypeIn(headers)) && /^\s*</.test(text))
	);
}

function mayBeHtmlFile(headers: ResponseHeaders, requestedName = ''): boolean {
	const extension = /\.([^.]*)$/.exec(requestedName)?.[1];
	return headers['x-ratelimit-limit'] !== undefined && /^(x?html?)?$/i.test(extension ?? '');
}

/**
 * Reads the chunks of a response, with an idle timeout.
 *
 * @param signal aborted when the chunks are no longer read
 * @param contentLength expected length of all chunks, in bytes
 * @param toError turns what ended the stream early into the error to throw
 */
async function* readChunks(
	source: ByteStream,
	clock: Clock,
	signal: AbortSignal,
	contentLength: number | undefined,
	toError: (thrown: unknown) => ApiError,
): AsyncGenerator<Buffer, void> {
	const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, void>;
	let pendingRead: { since: number; fail: (reason: unknown) => void } | undefined;

	// Only the wait for the service counts. n8n may take any time to store a chunk.
	const watchIdleTime = async (): Promise<never> => {
		for (;;) {
			const left = IDLE_TIMEOUT_MS - (pendingRead ? clock.elapsed() - pendingRead.since : 0);
			if (left <= 0) throw stalledDownloadError();
			await clock.sleep(left, signal);
		}
	};
	watchIdleTime().catch((reason: unknown) => pendingRead?.fail(reason));

	try {
		for (let received = 0; ;) {
			const { value: chunk, done } = await new Promise<IteratorResult<Buffer, void>>((resolve, reject) => {
				pendingRead = { since: clock.elapsed(), fail: reject };
				chunks.next().then(resolve, reject);
			});
			pendingRead = undefined;
			if (done) {
				if (contentLength !== undefined && received !== contentLength)
					throw fileLengthError(contentLength, received);
				return;
			}
			received += chunk.length;
			yield chunk;
		}
	} catch (thrown) {
		throw toError(thrown);
	} finally {
		source.destroy();
	}
}

/** The beginning of a response. */
interface Prefix {
	chunks: Buffer[];
	text: string;
	/** Whether it is the whole response. */
	isComplete: boolean;
}

const EMPTY_PREFIX: Prefix = { chunks: [], text: '', isComplete: false };

/** Reads a response until it ends or is longer than an error can be. */
async function readPrefix(chunks: AsyncGenerator<Buffer, void>): Promise<Prefix> {
	const read: Buffer[] = [];
	let isComplete = false;
	for (let length = 0; length <= MAX_ERROR_BODY_BYTES && !isComplete; length += read.at(-1)?.length ?? 0) {
		const { value: chunk, done } = await chunks.next();
		if (chunk) read.push(chunk);
		isComplete = done === true;
	}
	return { chunks: read, text: new TextDecoder().decode(Buffer.concat(read)), isComplete };
}

async function* concatenate(prefix: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	yield* prefix;
	yield* rest;
}

/** The error for a download that stopped. */
function stalledDownloadError(): ApiError {
	return new ApiError({
		message: 'The download stalled',
		description: `No data arrived for ${IDLE_TIMEOUT_MS / 1000} seconds. Run again. If it happens again, check the proxies and firewalls between n8n and the service.`,
		code: 'network_error',
		httpStatus: null,
	});
}

/**
 * The error for a file whose length differs from Content-Length, so that it may be incomplete.
 *
 * @param announced the length in Content-Length, in bytes
 * @param received the length that arrived, in bytes
 */
function fileLengthError(announced: number, received: number): ApiError {
	return new ApiError({
		message: 'The file does not have the expected length',
		description: `The service announced ${announced} bytes, but ${received} arrived. Run again. If it happens again, a proxy between n8n and the service may be compressing files although the node asks for uncompressed ones.`,
		code: 'network_error',
		httpStatus: null,
	});
}
