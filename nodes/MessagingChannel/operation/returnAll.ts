import type { Field } from './operation';

/** Whether a Get Many returns all records. */
export const returnAll: Field = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
	api: [],
};

/** The maximum number of records that a Get Many returns. */
export const limit: Field = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	required: true,
	placeholder: 'e.g. 50',
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
	api: [],
};
