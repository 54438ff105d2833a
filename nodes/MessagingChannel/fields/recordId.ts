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
		description: `The ID, as ${operation} gives it`,
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
	throw new InvalidInput(`is not an ID: ${shown(entered)}`, 'Enter it as the service gave it.');
}
