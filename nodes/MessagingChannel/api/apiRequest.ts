import type { IDataObject } from 'n8n-workflow';

import type { ByteStream } from './byteStream';

/** A permission of an API key (API spec, "Authentication" 3 and 4). */
export type Permission = 'valid key' | 'chats:read' | 'chats:write' | 'messages:read' | 'messages:send';

/** One row of the endpoint tables (API spec, "Endpoints"). */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Path below the base URL. `{name}` is replaced by the parameter of that name. */
	path: string;
	/** The permission that the API key needs. */
	permission: Permission;
	/** Set when a request sends a message, which must not arrive twice. Only a `text` can be recognized in its chat. */
	sends?: 'text' | 'other';
	/** Marks a POST that is safe to repeat. */
	idempotent?: true;
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

/** Whether a request is safe to repeat (API spec, "Errors", retry rules). */
export function isIdempotent(endpoint: Endpoint): boolean {
	return endpoint.method !== 'POST' || endpoint.idempotent === true;
}

/** Whether a request that succeeded is refused when it is made again, because nothing is left to delete or cancel. */
export function succeedsOnce(endpoint: Endpoint): boolean {
	return endpoint.method === 'DELETE' || endpoint.ends === true;
}
