import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import type { ByteStream } from './byteStream';
import { ApiError } from './errors';

/** A permission of an API key (API spec, "Authentication" 3 and 4). */
export type Permission = 'valid key' | 'chats:read' | 'chats:write' | 'messages:read' | 'messages:send';

/** One row of the endpoint tables (API spec, "Endpoints"). */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Path below the base URL. `{name}` is replaced by the parameter of that name. */
	path: string;
	/** The permission that the API key needs. */
	permission: Permission;
	/** What message a request sends, which must not arrive twice. Only a `text` can be recognized in its chat. */
	sends?: 'text' | 'image' | 'document' | 'audio' | 'voice' | 'sticker' | 'file' | 'other';
	/** The operation that lists what it makes, if the messages come later. */
	listedBy?: string;
	/** Marks a POST that is safe to repeat. */
	idempotent?: true;
	/** What to do if it may have been made, where no result can be checked. Without a full stop. */
	ifUnconfirmed?: string;
	/** Marks a POST that ends something. Like a DELETE, it does no harm when it is repeated, but it fails. */
	ends?: true;
	/** What the API spec leaves out, so that it is derived from similar endpoints. */
	inferred?: 'endpoint' | 'body';
	/** Set if the user has entered the path. */
	corrected?: true;
}

/** Values by the API's field names in camelCase. Undefined values are not sent. */
export type Parameters = Record<string, unknown>;

/** Limits on the retries and waits of a request. */
export interface RequestLimits {
	/** Number of attempts, including the first. */
	maxAttempts: number;
	/** Seconds that all attempts together may wait for the rate limit to reset. */
	maxRateLimitWait: number;
	/** What the user knows `maxRateLimitWait` as, for errors; undefined if the user cannot change it. */
	waitOption?: string;
}

/** For a request that is sent once, and only if the rate limit allows it now. */
export const NO_RETRIES: RequestLimits = { maxAttempts: 1, maxRateLimitWait: 0 };

/** A file to upload. */
export interface FilePart {
	filename: string;
	mimetype: string;
	/** Its ID in n8n's binary store, without the folder, or its content in Base64. */
	source: string;
	/** Resolves to the size in bytes. */
	size: () => Promise<number>;
	/** Opens the content: a Buffer when it is in memory, else a stream. */
	open: () => Promise<Buffer | ByteStream>;
}

/** One request to the service. */
export interface ApiRequest {
	endpoint: Endpoint;
	parameters?: Parameters;
	/** Merged over the body unchanged, under the API's own names. */
	bodyFields?: IDataObject;
	/** Sent with the body as multipart form data. */
	file?: FilePart;
	limits?: RequestLimits;
	/** Whether an earlier try may have made it, so that it can be refused now; see `succeedsOnce`. */
	mayBeDone?: boolean;
	/**
	 * Called right before each attempt, after its waits. Throws if the request must not be made any more.
	 *
	 * @param now Unix time in milliseconds
	 */
	beforeAttempt?: (now: number) => void;
}

/** Whether a file goes out with a request, as multipart or in Base64. */
export function hasFile({ file, parameters }: ApiRequest): boolean {
	return file !== undefined || parameters?.mediaData !== undefined;
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

/** Whether a request is safe to repeat (API spec, "Errors", retry rules). */
export function isIdempotent(endpoint: Endpoint): boolean {
	return endpoint.method !== 'POST' || endpoint.idempotent === true;
}

/** Whether a request that succeeded is refused when it is made again, because nothing is left to delete or cancel. */
export function succeedsOnce(endpoint: Endpoint): boolean {
	return endpoint.method === 'DELETE' || endpoint.ends === true;
}

/** The parts of a request that hold its parameters. */
export interface RequestParts {
	path: string;
	query: IDataObject;
	body: IDataObject;
}

/**
 * Distributes the parameters of a request. One that the path names goes into the path. The others go into the query (GET,
 * DELETE) or the body (POST, PUT), under the API's snake_case names.
 *
 * @throws ApiError `validation_error` when a value cannot be part of the path, see `pathOf`
 */
export function requestParts(request: ApiRequest): RequestParts {
	const { endpoint, parameters = {}, bodyFields } = request;
	const inPath = new Set(Array.from(endpoint.path.matchAll(NAME_IN_PATH), ([, name]) => name));
	const rest: IDataObject = {};
	for (const [name, value] of Object.entries(parameters)) {
		if (!inPath.has(name) && value !== undefined) rest[snakeCase(name)] = value as IDataObject[string];
	}
	const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
	return {
		path: pathOf(request),
		query: hasBody ? {} : rest,
		body: hasBody ? { ...rest, ...bodyFields } : {},
	};
}

const NAME_IN_PATH = /\{(\w+)\}/g;

/**
 * The path of a request, with its placeholders filled in.
 *
 * @throws ApiError `validation_error` when a value is missing, would change the path, or contains half a character
 */
export function pathOf({ endpoint, parameters = {} }: ApiRequest): string {
	return endpoint.path.replace(NAME_IN_PATH, (_, name: string) => encodeSegment(name, parameters[name]));
}

function encodeSegment(name: string, value: unknown): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	if (!isPathSegment(text)) {
		throw new ApiError({
			message: `'${text}' is not a valid '${name}'`,
			description: 'Enter the value exactly as the service returned it.',
			code: 'validation_error',
			httpStatus: null,
		});
	}
	return encodeURIComponent(text);
}

function snakeCase(camelCase: string): string {
	return camelCase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Whether a text can be one segment of a path. URL parsers resolve dot segments even when encoded. Half a character (a lone
 * surrogate), which remains when a text is cut inside an emoji, cannot be encoded.
 */
export function isPathSegment(text: string): boolean {
	return !/^\.{0,2}$|\p{Cs}/u.test(text);
}
