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
