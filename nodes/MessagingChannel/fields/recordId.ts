import { InvalidInput, shown } from '../operation/input';
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
		placeholder: 'e.g. 3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b',
		description: `ID returned by ${operation}`,
		api: ['id'],
		toApi: (id: string) => ({ id: validId(id) }),
	};
}

/**
 * An ID that the path of a call can name: URL parsers resolve dot segments, even encoded ones, to another path, and half of
 * a character, as cutting a text in an emoji leaves it, cannot be encoded.
 *
 * @throws InvalidInput when it holds one of these
 */
export function validId(entered: string): string {
	if (!/^\.{1,2}$|\p{Cs}/u.test(entered)) return entered;
	throw new InvalidInput(
		`is not a valid ID: ${shown(entered)}`,
		'Enter the ID exactly as the service returned it.',
	);
}
