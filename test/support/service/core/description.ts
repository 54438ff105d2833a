import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import memoize from 'lodash/memoize';

import { ApiError, invalid } from './apiError';
import { parseDateTime } from './clock';
import { answerOf, definition, type Documented, type Parameter, type Schema } from './documentedOperations';
import { normalizeRecipient } from './phone';

const isWebUrl = (text: string): boolean => {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	return url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '';
};

/** The formats that the description names. */
export const formats = {
	binary: true as const,
	'date-time': (text: string) => parseDateTime(text) !== undefined,
	// Tests may have messages of any time.
	'unix-seconds': true as const,
	recipient: (text: string) => normalizeRecipient(text) !== undefined,
	uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
	'web-url': isWebUrl,
};

const { components } = definition;
const options = { strict: false, useDefaults: true, verbose: true, formats };
const ajv = new Ajv(options);
/** Turns the text of a URL into values. */
const coercing = new Ajv({ ...options, coerceTypes: true });

/** The check of parts of a request, such as its body, by their names. All checks are compiled when first needed. */
const partsCheck = (compiler: Ajv, properties: Record<string, object>): ValidateFunction =>
	compiler.compile({ type: 'object', properties, required: Object.keys(properties), components });

const bodyCheck = memoize(
	(operation: Documented, type: string) =>
		partsCheck(ajv, { requestBody: operation.requestBody?.content[type]?.schema ?? {} }),
	({ operationId }, type) => `${operationId} ${type}`,
);

const urlCheck = memoize(({ parameters }: Documented) => {
	const of = (place: Parameter['in']) => {
		const own = parameters.filter((parameter) => parameter.in === place);
		return {
			type: 'object',
			additionalProperties: false,
			properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
			required: own.filter(({ required }) => required).map(({ name }) => name),
		};
	};
	return partsCheck(coercing, { path: of('path'), query: of('query') });
});

const answerCheck = memoize((schema: Schema) => ajv.compile({ ...schema, components }));

function check(validate: ValidateFunction, parts: object): void {
	if (!validate(parts)) throw explained(validate.errors ?? []);
}

/** Throws 400 naming the field; fills in defaults, and turns the text of the URL into values. */
export function checkUrl(operation: Documented, url: Record<'path' | 'query', object>): void {
	check(urlCheck(operation), url);
}

/** The same for a body of this type; a form is one of texts. */
export function checkBody(operation: Documented, type: string, requestBody: unknown): void {
	check(bodyCheck(operation, type), { requestBody });
}

/** What is wrong with an answer, or undefined. */
export function problemOfAnswer(operation: Documented, status: number, body: unknown): string | undefined {
	const schema = answerOf(operation, status)?.['application/json']?.schema;
	if (!schema) return `${operation.operationId} has no JSON answer with status ${status}`;
	const validate = answerCheck(schema);
	if (validate(body)) return undefined;
	return `${operation.operationId} ${status}: ${JSON.stringify(validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`))}`;
}

/** The keywords whose own message says nothing to a reader. */
const RULE_KEYWORDS = ['oneOf', 'anyOf', 'pattern'];

/** One sentence that names the field, and the code the schema asks for. */
function explained(violations: ErrorObject[]): ApiError {
	const schemaOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as Record<string, unknown>;
	const ruled = violations.find(
		(one) => RULE_KEYWORDS.includes(one.keyword) && schemaOf(one)['x-rule'] !== undefined,
	);
	const violation = ruled ?? violations[0];
	if (!violation) return invalid('The request is invalid.');
	const { 'x-error': code = 'validation_error', 'x-lists-as': listName } = schemaOf(violation);
	const params = violation.params as Record<string, unknown>;
	const extra = typeof listName === 'string' ? { [listName]: params.allowedValues } : {};
	const message = ruled ? String(schemaOf(ruled)['x-rule']) : sentenceOf(violation, params);
	return new ApiError(400, String(code), message, extra);
}

function sentenceOf(
	{ instancePath, keyword, message }: ErrorObject,
	params: Record<string, unknown>,
): string {
	const [, part, ...names] = instancePath.split('/');
	const kind = part === 'query' ? 'query parameter' : 'field';
	const field = names.join('.') || 'body';
	const within = names.length > 0 ? ` in ${field}` : '';
	if (keyword === 'additionalProperties')
		return `Unknown ${kind} ${String(params.additionalProperty)}${within}.`;
	if (keyword === 'required') return `The ${kind} ${String(params.missingProperty)} is required${within}.`;
	const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
	return `The ${kind} ${field} ${message ?? 'is invalid'}${allowed}.`;
}
