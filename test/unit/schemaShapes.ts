import mapValues from 'lodash/mapValues';
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../nodes/MessagingChannel/api/values';

/** The shape of an output, as n8n's editor reads it. */
export interface OutputSchema {
	type: string;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
	nullable?: true;
}

/** The schema as a validator reads it, with no room for fields that it does not show. */
export function strict({ type, properties, items, nullable }: OutputSchema): object {
	const schema = {
		type,
		...(properties ? { properties: mapValues(properties, strict), additionalProperties: false } : {}),
		...(items ? { items: strict(items) } : {}),
	};
	return nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** The fields that a schema shows, as paths such as `media.filename`. */
export function fieldsShown({ properties = {} }: OutputSchema): string[] {
	return Object.entries(properties).flatMap(([name, property]) => [
		name,
		...fieldsShown(property).map((inner) => `${name}.${inner}`),
	]);
}

/** The fields that a record has, as such paths. */
export function fieldsIn(record: IDataObject): string[] {
	return Object.entries(record).flatMap(([name, value]) => [
		name,
		...(isRecord(value) ? fieldsIn(value as IDataObject).map((inner) => `${name}.${inner}`) : []),
	]);
}
