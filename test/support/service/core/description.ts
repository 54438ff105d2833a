import memoize from 'lodash/memoize';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	OpenAPIBackend,
	ValidationContext,
	type Document,
	type OpenAPIValidator,
	type ValidationResult,
} from 'openapi-backend';
import { parse } from 'yaml';

import { ApiError, invalid } from './apiError';
import { parseDateTime } from './clock';
import { normalizeRecipient } from './phone';

type Validate = ReturnType<OpenAPIValidator['getRequestValidatorsForOperation']>[number];
type Violation = NonNullable<ValidationResult['errors']>[number];

/** An operation of openapi.yaml. */
export interface Operation {
	/** `<resource>.<operation>` */
	id: string;
	/** In capitals. */
	method: string;
	/** Below the base URL. */
	path: string;
	/** A permission, or `valid-key` ("Authentication 3 and 4"). */
	permission: string;
	/** Content types of its body; empty when it takes none. */
	bodyTypes: string[];
}

/** openapi.yaml with its checks, compiled on first use and kept. */
export interface Description {
	operations: Operation[];
	/** Throws 400 naming the field; fills in defaults and turns query text into values. */
	checkRequest(operation: Operation, request: RequestParts): void;
	/** The same for a multipart form. */
	checkForm(operation: Operation, form: Record<string, string>): void;
	/** What is wrong with an answer, or undefined. */
	checkAnswer(operation: Operation, status: number, body: unknown): string | undefined;
}

/** The parts of a request that the description speaks of. */
export interface RequestParts {
	path: Record<string, unknown>;
	query: Record<string, unknown>;
	requestBody?: unknown;
}

const isWebUrl = (text: string): boolean => {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	return url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '';
};

/** The formats that the description names. */
export const formats = {
	'date-time': (text: string) => parseDateTime(text) !== undefined,
	// Tests may have messages of any time.
	'unix-seconds': true as const,
	recipient: (text: string) => normalizeRecipient(text) !== undefined,
	uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
	'web-url': isWebUrl,
};

/** The text of openapi.yaml as an object. */
export const loadDefinition = (): Document =>
	parse(readFileSync(join(__dirname, '..', 'openapi.yaml'), 'utf8'), {
		merge: true,
		maxAliasCount: -1,
	}) as Document;

/** The keywords whose own message says nothing to a reader. */
const ruleKeywords = ['oneOf', 'anyOf', 'pattern'];

/** One sentence that names the field, and the code the schema asks for. */
function explain(violations: Violation[]): ApiError {
	const ruled = violations.find(
		({ keyword, parentSchema }) => ruleKeywords.includes(keyword) && parentSchema?.['x-rule'] !== undefined,
	);
	const violation = ruled ?? violations[0];
	if (!violation) return invalid('The request is invalid.');
	const schema = (violation.parentSchema ?? {}) as Record<string, unknown>;
	const params = violation.params as Record<string, unknown>;
	const [, part, ...names] = violation.instancePath.split('/');
	const kind = part === 'query' ? 'query parameter' : 'field';
	const field = names.join('.') || 'body';
	const within = names.length > 0 ? ` in ${field}` : '';
	const code = typeof schema['x-error'] === 'string' ? schema['x-error'] : 'validation_error';
	const listName = schema['x-lists-as'];
	const extra = typeof listName === 'string' ? { [listName]: params.allowedValues } : {};
	const sentence = (): string => {
		if (ruled && typeof schema['x-rule'] === 'string') return schema['x-rule'];
		if (violation.keyword === 'additionalProperties') {
			return `Unknown ${kind} ${String(params.additionalProperty)}${within}.`;
		}
		if (violation.keyword === 'required') {
			return `The ${kind} ${String(params.missingProperty)} is required${within}.`;
		}
		const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
		return `The ${kind} ${field} ${violation.message ?? 'is invalid'}${allowed}.`;
	};
	return new ApiError(400, code, sentence(), extra);
}

async function load(): Promise<Description> {
	const api = await new OpenAPIBackend({
		definition: loadDefinition(),
		// Checks are compiled per operation when first needed; all at once takes seconds. A test validates the file.
		quick: true,
		strict: true,
		ajvOpts: { strict: false, useDefaults: true, verbose: true, formats },
	}).init();
	const { validator } = api;

	const documented = new Map(api.getOperations().map((operation) => [operation.operationId, operation]));
	const operations = [...documented.values()].map((operation): Operation => {
		const extensions = operation as unknown as Record<string, unknown>;
		const body = operation.requestBody as { content: object } | undefined;
		return {
			id: operation.operationId ?? '',
			method: operation.method.toUpperCase(),
			path: operation.path,
			permission: String(extensions['x-permission']),
			bodyTypes: Object.keys(body?.content ?? {}),
		};
	});

	const formCheck = memoize((operationId: string): Validate => {
		const body = documented.get(operationId)?.requestBody as {
			content: Record<string, { schema: object }>;
		};
		const schema = body.content['multipart/form-data']?.schema ?? {};
		return validator.getAjv(ValidationContext.RequestBody).compile({
			type: 'object',
			properties: { requestBody: schema },
		}) as Validate;
	});

	return {
		operations,
		checkRequest: (operation, parts) => {
			for (const check of validator.getRequestValidatorsForOperation(operation.id)) {
				if (!check(parts)) throw explain(check.errors ?? []);
			}
		},
		checkForm: (operation, form) => {
			const check = formCheck(operation.id);
			if (!check({ requestBody: form })) throw explain(check.errors ?? []);
		},
		checkAnswer: (operation, status, body) => {
			const check = validator.getStatusBasedResponseValidatorForOperation(operation.id)[status];
			if (!check) return `${operation.id} has no JSON answer with status ${status}`;
			if (check(body)) return undefined;
			return `${operation.id} ${status}: ${JSON.stringify(check.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`))}`;
		},
	};
}

let loaded: Promise<Description> | undefined;

/** The description, loaded once per process. */
export const loadDescription = (): Promise<Description> => (loaded ??= load());
