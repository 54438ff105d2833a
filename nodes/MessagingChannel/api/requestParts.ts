import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from './apiRequest';
import { ApiError } from './errors';

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
