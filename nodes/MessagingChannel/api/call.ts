import type { IDataObject } from 'n8n-workflow';

import { ApiError } from './errors';
import type { FilePart } from './multipart';

/** What an API key must be allowed to do (API spec, "Authentication" 3 and 4). */
export type Permission = 'valid key' | 'chats:read' | 'chats:write' | 'messages:read' | 'messages:send';

/** One row of the API's endpoint tables. */
export interface Call {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Path below the base URL; `{name}` is filled from the parameter of that name. */
	path: string;
	permission: Permission;
	/** Puts a message on its way to somebody, who would see a second one; a text can be recognised in its chat. */
	sends?: 'text' | 'other';
	/** A POST that may be repeated without harm. */
	repeatable?: true;
	/** What the service does not publish of this call, so that it follows its published siblings. */
	inferred?: 'endpoint' | 'body';
}

/** Values by the API's field names in camelCase; an undefined one is not sent. */
export type Parameters = Record<string, unknown>;

/** How much patience a request gets. */
export interface Patience {
	/** Tries, the first included. */
	maxAttempts: number;
	/** Seconds that it may wait for the rate limit to reset. */
	maxRateLimitWait: number;
}

/** One request to the service. */
export interface ApiRequest {
	call: Call;
	parameters?: Parameters;
	/** Laid over the body as it is, under the API's own names. */
	bodyFields?: IDataObject;
	/** Sent with the body as multipart form data. */
	file?: FilePart;
	patience?: Patience;
}

/** The parameters of a call in the places where the API wants them. */
export interface PlacedParameters {
	path: string;
	query: IDataObject;
	body: IDataObject;
}

/** Whether doing the call twice leaves the service as doing it once would (API spec, "Errors", retry rules). */
export function isRepeatable(call: Call): boolean {
	return call.method !== 'POST' || call.repeatable === true;
}

/**
 * Puts each parameter where the API wants it: into the path where the path names it, else into the query of a GET or
 * DELETE and into the body of a POST or PUT, there under the API's own snake_case name.
 *
 * @throws ApiError when a value in the path is missing or would lead to another path
 */
export function placeParameters({ call, parameters = {}, bodyFields }: ApiRequest): PlacedParameters {
	const named = new Set<string>();
	const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		named.add(name);
		return encodeSegment(name, parameters[name]);
	});

	const rest: IDataObject = {};
	for (const [name, value] of Object.entries(parameters)) {
		if (!named.has(name) && value !== undefined) rest[snakeCase(name)] = value as IDataObject[string];
	}
	const hasBody = call.method === 'POST' || call.method === 'PUT';
	return { path, query: hasBody ? {} : rest, body: hasBody ? { ...rest, ...bodyFields } : {} };
}

function encodeSegment(name: string, value: unknown): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	// URL parsers resolve dot segments even when they are encoded.
	if (text === '' || text === '.' || text === '..') {
		throw new ApiError({
			message: `'${text}' cannot be used as ${name}`,
			description: 'Enter the value as the service gave it.',
			code: 'validation_error',
			httpStatus: null,
		});
	}
	return encodeURIComponent(text);
}

function snakeCase(camelCase: string): string {
	return camelCase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
