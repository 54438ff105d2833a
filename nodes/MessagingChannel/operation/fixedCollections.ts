import type { INodePropertyCollection } from 'n8n-workflow';

import type { Parameters } from '../api/apiRequest';
import { isRecord } from '../api/isRecord';
import type { Field } from './operation';

/**
 * What stands in a fixed collection: the values of its one kind of group, or a list of them when it can be added
 * several times. A single one that was not added is undefined.
 *
 * @param read reads the fields of one group
 */
export function readFixedCollection(
	{ options, typeOptions }: Field,
	value: unknown,
	read: (fields: readonly Field[], entered: Record<string, unknown>) => Parameters,
): Parameters | Parameters[] | undefined {
	const [{ name, values: fields }] = options as [INodePropertyCollection];
	const entered = isRecord(value) ? value[name] : undefined;
	const groups = [entered].flat().filter(isRecord);
	const values = groups.map((group) => read(fields, group));
	return typeOptions?.multipleValues ? values : values[0];
}
