import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import type { IDataObject } from 'n8n-workflow';

import { resources } from '../../nodes/MessagingChannel/actions';
import { operations } from '../support/operations';
import type { Expected } from '../support/operations/case';
import { casesOf } from '../support/operations/expectations';
import { fieldsIn, fieldsShown, strict, type OutputSchema } from './schemaShapes';

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
