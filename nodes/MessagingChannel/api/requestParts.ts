import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from './apiRequest';
import { ApiError } from './errors';

/** The parameters of a call in the places where the API wants them. */
export interface RequestParts {
	path: string;
	query: IDataObject;
	body: IDataObject;
}

/**
 * Puts each parameter where the API wants it: into the path where the path names it, else into the query of a GET or
 * DELETE and into the body of a POST or PUT, there under the API's own snake_case name.
 *
 * @throws ApiError for a value that the path cannot hold, see `pathOf`
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
 * The path of a request, with the values that it names.
 *
 * @throws ApiError when a value is missing, would lead to another path, or holds half of a character
 */
export function pathOf({ endpoint, parameters = {} }: ApiRequest): string {
	return endpoint.path.replace(NAME_IN_PATH, (_, name: string) => encodeSegment(name, parameters[name]));
}

function encodeSegment(name: string, value: unknown): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	// URL parsers resolve dot segments even when they are encoded. Half of a character cannot be encoded.
	if (/^\.{0,2}$|\p{Cs}/u.test(text)) {
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
