import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import mapValues from 'lodash/mapValues';
import type { IDataObject } from 'n8n-workflow';

import { resources } from '../../nodes/MessagingChannel/actions';
import { isRecord } from '../../nodes/MessagingChannel/api/values';
import { operations } from '../support/operations';
import type { Expected } from '../support/operations/case';
import { casesOf } from '../support/operations/expectations';

/** The shape of an output, as n8n's editor reads it. */
interface OutputSchema {
	type: string;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
	nullable?: true;
}

/** The schema as a validator reads it, with no room for fields that it does not show. */
function strict({ type, properties, items, nullable }: OutputSchema): object {
	const schema = {
		type,
		...(properties ? { properties: mapValues(properties, strict), additionalProperties: false } : {}),
		...(items ? { items: strict(items) } : {}),
	};
	return nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** The fields that a schema shows, as paths such as `media.filename`. */
function fieldsShown({ properties = {} }: OutputSchema): string[] {
	return Object.entries(properties).flatMap(([name, property]) => [
		name,
		...fieldsShown(property).map((inner) => `${name}.${inner}`),
	]);
}

/** The fields that a record has, as such paths. */
function fieldsIn(record: IDataObject): string[] {
	return Object.entries(record).flatMap(([name, value]) => [
		name,
		...(isRecord(value) ? fieldsIn(value as IDataObject).map((inner) => `${name}.${inner}`) : []),
	]);
}

const folder = join(__dirname, '../../nodes/MessagingChannel/__schema__/v1.0.0');

const schemaOf = (resource: string, operation: string): OutputSchema =>
	JSON.parse(readFileSync(join(folder, resource, `${operation}.json`), 'utf8')) as OutputSchema;

const ajv = new Ajv();

/** A value that a case expects, with a text in place of each pattern. */
function sampleOf(value: Expected): unknown {
	return JSON.parse(
		JSON.stringify(value, (_, part: unknown) => (part instanceof RegExp ? part.source : part)),
	);
}

test.each(
	resources.flatMap(({ value, operations: own }) => own.map((operation) => [value, operation.value])),
)('%s: %s has fields to show, without which the editor drops its schema', (resource, operation) => {
	expect(fieldsShown(schemaOf(resource, operation)).length).toBeGreaterThan(0);
});

test.each(operations)('$resource: $operation puts out what its schema shows', (cases) => {
	const schema = schemaOf(cases.resource, cases.operation);
	const records = casesOf(cases).flatMap(([, { items }]) =>
		items.map(({ json }) => sampleOf(json) as IDataObject),
	);

	const fits = ajv.compile(strict(schema));
	for (const record of records) expect(fits(record) || { record, errors: fits.errors }).toBe(true);
	const seen = new Set(records.flatMap(fieldsIn));
	expect(fieldsShown(schema).filter((field) => !seen.has(field))).toEqual([]);
});
