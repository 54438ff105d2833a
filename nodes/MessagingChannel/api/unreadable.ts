import { ApiError } from './errors';

/** A field that the service sends in a form that is not understood. It is never guessed what it means. */
export class UnreadableField extends ApiError {
	/**
	 * @param field its name
	 * @param kind what kind of value it has; see `kindOf`
	 */
	constructor(
		readonly field: string,
		readonly kind: string,
	) {
		super({
			message: `The service sends '${field}' in a form that is not understood: ${kind}`,
			description: 'Report this to the provider of the service.',
			code: 'unexpected_answer',
			httpStatus: null,
		});
	}
}

/**
 * What is understood of a list. One odd record leaves out no other.
 *
 * @param read undefined if a record is not understood
 * @param problemOf the name of what is not understood of it, and its kind
 * @throws UnreadableField if no record is understood
 */
export function understood<R, T>(
	records: readonly R[],
	read: (record: R) => T | undefined,
	problemOf: (record: R) => [field: string, kind: string],
): T[] {
	const found = records.map(read).filter((value) => value !== undefined);
	const [first] = records;
	if (found.length === 0 && first !== undefined) throw new UnreadableField(...problemOf(first));
	return found;
}
