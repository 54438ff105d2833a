import type { Field } from '../operation/operation';

/**
 * The id of a record, which the path of the call names `{id}`.
 *
 * @param name the parameter's name, e.g. `broadcastId`
 * @param displayName e.g. `Broadcast ID`
 * @param operation which operation puts out such ids
 */
export function recordId(name: string, displayName: string, operation: string): Field {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		required: true,
		description: `The ID, as ${operation} gives it`,
		api: ['id'],
	};
}
