import type { IDataObject } from 'n8n-workflow';

import type { ByteStream } from './byteStream';

/** What an API key must be allowed to do (API spec, "Authentication" 3 and 4). */
export type Permission = 'valid key' | 'chats:read' | 'chats:write' | 'messages:read' | 'messages:send';

/** One row of the API's endpoint tables. */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Path below the base URL; `{name}` is filled from the parameter of that name. */
	path: string;
	permission: Permission;
	/** Puts a message on its way to somebody, who would see a second one; a text can be recognised in its chat. */
	sends?: 'text' | 'other';
	/** A POST that may be repeated without harm. */
	idempotent?: true;
	/** What the service does not publish of this call, so that it follows its published siblings. */
	inferred?: 'endpoint' | 'body';
}

/** Values by the API's field names in camelCase; an undefined one is not sent. */
export type Parameters = Record<string, unknown>;

/** How much patience a request gets. */
export interface RequestLimits {
	/** Tries, the first included. */
	maxAttempts: number;
	/** Seconds that it may wait for the rate limit to reset. */
	maxRateLimitWait: number;
}

/** A file to upload. */
export interface FilePart {
	filename: string;
	mimetype: string;
	/** Its length in bytes. */
	size: () => Promise<number>;
	/** The file's bytes from the beginning: as they are when they are in memory, else as a stream. */
	open: () => Promise<Buffer | ByteStream>;
}

/** One request to the service. */
export interface ApiRequest {
	endpoint: Endpoint;
	parameters?: Parameters;
	/** Laid over the body as it is, under the API's own names. */
	bodyFields?: IDataObject;
	/** Sent with the body as multipart form data. */
	file?: FilePart;
	limits?: RequestLimits;
}

/** Whether doing the call twice leaves the service as doing it once would (API spec, "Errors", retry rules). */
export function isIdempotent(endpoint: Endpoint): boolean {
	return endpoint.method !== 'POST' || endpoint.idempotent === true;
}
