import { isPathSegment } from '../api/apiRequest';
import { INVISIBLE } from '../api/values';
import { InvalidInput, shown } from '../operation/input';
import type { Field } from '../operation/operation';

/**
 * Creates the field for the id of a record, which replaces `{id}` in the path.
 *
 * @param name the parameter name, e.g. `broadcastId`
 * @param displayName the label, e.g. `Broadcast ID`
 * @param operation the operation that returns such ids
 */
export function recordId(name: string, displayName: string, operation: string): Field {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b',
		description: `ID returned by ${operation}`,
		api: ['id'],
		toApi: (id: string) => ({ id: validId(id) }),
	};
}

/**
 * Checks that an id can be part of a path.
 *
 * @returns the id without the spaces, line breaks and invisible characters that were copied with it
 * @throws InvalidInput when the id is a dot segment or contains half a character
 */
export function validId(entered: string): string {
	const id = entered.replace(INVISIBLE, '').trim();
	if (isPathSegment(id)) return id;
	throw new InvalidInput(
		`is not a valid ID: ${shown(entered)}`,
		'Enter the ID exactly as the service returned it.',
	);
}
