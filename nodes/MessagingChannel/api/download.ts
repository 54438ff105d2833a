import { jsonParse, type IHttpRequestOptions, type IN8nHttpFullResponse } from 'n8n-workflow';

import { streamOf, type ByteStream } from './byteStream';
import type { ApiRequest } from './apiRequest';
import type { Clock } from './clock';
import { fileNameIn } from './contentDisposition';
import {
	ApiError,
	errorOfAnswer,
	errorOfFileLength,
	errorOfNetwork,
	errorOfStalledFile,
	errorOfUnexpectedStatus,
	errorOfUnreadableAnswer,
} from './errors';
import { isRecord } from './isRecord';
import type { ReadAnswer } from './sendRequest';
import { isRefusal } from './records';

/** A file on its way from the service. */
export interface Download {
	stream: ByteStream;
	/** As the service calls it, or else as it was asked for. */
	filename?: string;
	/** Without parameters. */
	mimetype?: string;
}

/** The service may have to fetch the file before its answer begins. */
const RESPONSE_TIMEOUT_MS = 5 * 60_000;

/** The longest pause between two chunks. The whole file may take as long as it needs. */
const IDLE_TIMEOUT_MS = 60_000;

/** In bytes. An answer that tells why there is no file is short. */
const LONGEST_REFUSAL = 64 * 1024;

/** The options of a request for a file. */
export const DOWNLOAD_OPTIONS: Partial<IHttpRequestOptions> = {
	encoding: 'stream',
	json: false,
	timeout: RESPONSE_TIMEOUT_MS,
	// n8n's HTTP client does not notice that a compressed body is truncated.
	headers: { 'accept-encoding': 'identity' },
};

/**
 * Reads the answer to a download. It is the file if it has the status 200, unless it names no file in a
 * Content-Disposition and is
 * - the service's refusal in its envelope, in JSON of at most 64 KiB, or
 * - a web page where none can be: the service's headers about the rate limit are missing, so something between answered,
 *   or a file with another extension than that of a page was asked for.
 *
 * A file that breaks off, stalls, or does not have the length in Content-Length is a network error, which is tried again.
 *
 * @param keep takes the file while it comes
 */
export function downloadReader<T>(
	{ parameters = {} }: ApiRequest,
	clock: Clock,
	keep: (file: Download) => Promise<T>,
): ReadAnswer<T> {
	const asked = typeof parameters.filename === 'string' ? parameters.filename : undefined;
	return async (endpoint, { statusCode, headers, body }, connection) => {
		let broken: ApiError | undefined;
		const source = body as ByteStream;
		// Errors reach whoever waits for the next chunk. Without a listener, one that nobody waits for would end n8n.
		source.on('error', () => undefined);
		const chunks = chunksOf(source, clock, connection.signal, lengthIn(headers), (thrown) => {
			broken = thrown instanceof ApiError ? thrown : errorOfNetwork(endpoint, thrown);
			return broken;
		});
		try {
			if (statusCode >= 400) {
				// When the reason breaks off, the status has told enough.
				const { text } = await readPrefix(chunks).catch(() => ({ text: '' }));
				return errorOfAnswer(endpoint, statusCode, parsed(text));
			}
			if (statusCode !== 200) return errorOfUnexpectedStatus(endpoint, statusCode, headers);

			const disposition = headers['content-disposition'];
			const prefix = disposition === undefined ? await readPrefix(chunks) : EMPTY_PREFIX;
			const refusal = prefix.isComplete ? parsed(prefix.text) : undefined;
			if (isRecord(refusal) && isRefusal(refusal)) return errorOfAnswer(endpoint, statusCode, refusal);
			if (isPage(prefix.text, headers) && !mayBePage(headers, asked)) {
				return errorOfUnreadableAnswer(endpoint, statusCode);
			}
			const kept = await keep({
				stream: streamOf(concatenated(prefix.chunks, chunks), source),
				filename: fileNameIn(disposition) ?? asked,
				mimetype: typeIn(headers) || undefined,
			});
			return broken ?? kept;
		} catch (thrown) {
			return broken ?? (await Promise.reject(thrown));
		} finally {
			connection.abort();
		}
	};
}

type Headers = IN8nHttpFullResponse['headers'];

function lengthIn(headers: Headers): number | undefined {
	const length = headers['content-length'];
	return typeof length === 'string' && /^\d+$/.test(length) ? Number(length) : undefined;
}

function typeIn(headers: Headers): string {
	return String(headers['content-type'] ?? '')
		.replace(/;.*/s, '')
		.trim();
}

function parsed(text: string): unknown {
	return jsonParse<unknown>(text, { fallbackValue: text });
}

function isPage(text: string, headers: Headers): boolean {
	return (
		/^\s*<(!doctype html|html)\b/i.test(text) || (/\bhtml\b/i.test(typeIn(headers)) && /^\s*</.test(text))
	);
}

function mayBePage(headers: Headers, asked = ''): boolean {
	const extension = /\.([^.]*)$/.exec(asked)?.[1];
	return headers['x-ratelimit-limit'] !== undefined && /^(x?html?)?$/i.test(extension ?? '');
}

/**
 * The chunks of an answer, with an idle timeout.
 *
 * @param signal aborted when nobody reads them any more
 * @param contentLength their length together, in bytes
 * @param errorOf turns what ended them early into the error to throw
 */
async function* chunksOf(
	source: ByteStream,
	clock: Clock,
	signal: AbortSignal,
	contentLength: number | undefined,
	errorOf: (thrown: unknown) => ApiError,
): AsyncGenerator<Buffer, void> {
	const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, void>;
	let waiting: { since: number; fail: (reason: unknown) => void } | undefined;

	// Only the wait for the service counts. n8n may take its time to store a chunk.
	const watchIdleTime = async (): Promise<never> => {
		for (;;) {
			const left = IDLE_TIMEOUT_MS - (waiting ? clock.now() - waiting.since : 0);
			if (left <= 0) throw errorOfStalledFile(IDLE_TIMEOUT_MS);
			await clock.sleep(left, signal);
		}
	};
	watchIdleTime().catch((reason: unknown) => waiting?.fail(reason));

	try {
		for (let received = 0; ;) {
			const { value: chunk, done } = await new Promise<IteratorResult<Buffer, void>>((resolve, reject) => {
				waiting = { since: clock.now(), fail: reject };
				chunks.next().then(resolve, reject);
			});
			waiting = undefined;
			if (done) {
				if (contentLength !== undefined && received !== contentLength)
					throw errorOfFileLength(contentLength, received);
				return;
			}
			received += chunk.length;
			yield chunk;
		}
	} catch (thrown) {
		throw errorOf(thrown);
	} finally {
		source.destroy();
	}
}

interface Prefix {
	chunks: Buffer[];
	text: string;
	/** Whether it is the whole answer. */
	isComplete: boolean;
}

const EMPTY_PREFIX: Prefix = { chunks: [], text: '', isComplete: false };

/** Reads an answer until it ends, or is longer than any refusal. */
async function readPrefix(chunks: AsyncGenerator<Buffer, void>): Promise<Prefix> {
	const read: Buffer[] = [];
	let isComplete = false;
	for (let length = 0; length <= LONGEST_REFUSAL && !isComplete; length += read.at(-1)?.length ?? 0) {
		const { value: chunk, done } = await chunks.next();
		if (chunk) read.push(chunk);
		isComplete = done === true;
	}
	return { chunks: read, text: Buffer.concat(read).toString('utf8'), isComplete };
}

async function* concatenated(prefix: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	yield* prefix;
	yield* rest;
}
