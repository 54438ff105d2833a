import Ajv, { type ErrorObject } from 'ajv';
import memoize from 'lodash/memoize';
import { DateTime } from 'luxon';

import { isRecord, kindOf, secondsOf } from '../../../nodes/MessagingChannel/api/values';
import { formats as described } from '../service/core/description';
import { definition, type Schema } from '../service/core/documentedOperations';

/** What an answer has otherwise than `openapi.yaml`. Nothing of it is a value of the account. */
export interface Difference {
	/** `<resource>.<operation>` */
	call: string;
	/** A field such as `data[].id`, a header, or the status. */
	where: string;
	what: string;
}

/** More say no more. */
const MAX_FIELDS = 20;

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const formats = {
	...described,
	'date-time': (text: string) => RFC_3339.test(text) && DateTime.fromISO(text).isValid,
	'unix-seconds': {
		type: 'number' as const,
		validate: (value: number) => value < 1e11 && secondsOf(value) !== undefined,
	},
};

/** `null` as a type, so that a difference within an object that may be null is told as one of its field. */
function withNullTypes(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(withNullTypes);
	if (!isRecord(schema)) return schema;
	const { anyOf, ...rest } = schema as Record<string, unknown> & { anyOf?: Schema[] };
	const other = anyOf?.find(({ enum: values }) => values?.[0] !== null);
	const whole = other && anyOf?.length === 2 ? { ...rest, ...other, type: [other.type, 'null'] } : schema;
	return Object.fromEntries(Object.entries(whole).map(([name, part]) => [name, withNullTypes(part)]));
}

const { components } = withNullTypes(definition) as { components: object };
const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, formats });
const validatorOf = memoize((schema: Schema) =>
	ajv.compile({ ...(withNullTypes(schema) as object), components }),
);

/** Every name of a field that the description has. Others may be a user's, such as the names of variables. */
const NAMES = new Set([...JSON.stringify(definition).matchAll(/"([a-z_]+)":/g)].map(([, name = '']) => name));

/** The name of a field that the description does not have, or only its form if it may be a value. */
const shownName = (name: string): string => (/^[a-z][a-zA-Z_]{0,30}$/.test(name) ? name : kind(name));

/** A text's form says how dates and numbers are written. That of other texts says nothing. */
export function kind(value: unknown): string {
	return typeof value === 'string' && !/^[\dTZ\s:.,+/-]+$/.test(value)
		? (value.trim() && 'a text') || 'an empty text'
		: kindOf(value);
}

/** What a value consists of. The names in it may be values, too. */
function shapeOf(value: unknown, depth = 2): string {
	if (Array.isArray(value))
		return value.length === 0 ? 'an empty list' : `a list of ${shapeOf(value[0], depth - 1)}`;
	if (!isRecord(value) || depth <= 0) return kind(value);
	const fields = Object.entries(value).map(
		([name, each]) => `${NAMES.has(name) ? name : '*'} (${shapeOf(each, depth - 1)})`,
	);
	return `an object with ${[...new Set(fields)].slice(0, MAX_FIELDS).join(', ') || 'nothing'}`;
}

const pathOf = (pointer: string, ...more: string[]): string =>
	[...pointer.split('/').slice(1), ...more].reduce((path, part) => {
		if (/^\d+$/.test(part)) return `${path}[]`;
		return `${path}${path && '.'}${NAMES.has(part) ? part : '*'}`;
	}, '') || 'the body';

/** What a value should be, by the keyword that it breaks. */
const EXPECTED: Record<string, (schema: Record<string, unknown>) => string> = {
	type: ({ type, format }) =>
		[type].flat().join(' or ') + (format === undefined ? '' : ` (${String(format)})`),
	format: ({ format }) => String(format),
	enum: ({ enum: values }) => (values as unknown[]).join(' or '),
	pattern: ({ pattern }) => String(pattern),
	minimum: ({ minimum }) => `${String(minimum)} or more`,
};

function differenceOf({
	keyword,
	instancePath,
	params,
	data,
	parentSchema,
}: ErrorObject): Omit<Difference, 'call'> {
	const { missingProperty, additionalProperty } = params as Record<string, string>;
	if (missingProperty !== undefined)
		return { where: pathOf(instancePath, missingProperty), what: 'is missing' };
	if (additionalProperty !== undefined) {
		const at = instancePath === '' ? '' : `${pathOf(instancePath)}.`;
		const value = (data as Record<string, unknown>)[additionalProperty];
		return { where: `${at}${shownName(additionalProperty)}`, what: `is not described: ${shapeOf(value)}` };
	}
	const expected = EXPECTED[keyword]?.(parentSchema as Record<string, unknown>) ?? keyword;
	return { where: pathOf(instancePath), what: `is ${shapeOf(data, 1)} instead of ${expected}` };
}

/** Compares the body of an answer with its schema; the same field of several records is told once. */
export function differencesIn(call: string, schema: Schema, body: unknown): Difference[] {
	const validate = validatorOf(schema);
	if (validate(body)) return [];
	const found = (validate.errors ?? []).map((error) => ({ call, ...differenceOf(error) }));
	return [...new Map(found.reverse().map((each) => [each.where, each])).values()].reverse();
}
