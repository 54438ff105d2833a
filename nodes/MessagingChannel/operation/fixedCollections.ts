import type { INodePropertyCollection } from 'n8n-workflow';

import type { Parameters } from '../api/apiRequest';
import { isRecord, recordOrEmpty } from '../api/values';
import type { Field } from './operation';

/**
 * Reads a fixed collection with one kind of group.
 *
 * @param read reads the fields of one group
 * @returns the values of the group, or undefined when it was not added; an array when groups can be added several times
 */
export function readFixedCollection(
	{ options, typeOptions }: Field,
	value: unknown,
	read: (fields: readonly Field[], entered: Record<string, unknown>) => Parameters,
): Parameters | Parameters[] | undefined {
	const [{ name, values: fields }] = options as [INodePropertyCollection];
	const entered = recordOrEmpty(value)[name];
	const groups = [entered].flat().filter(isRecord);
	const values = groups.map((group) => read(fields, group));
	return typeOptions?.multipleValues ? values : values[0];
}
