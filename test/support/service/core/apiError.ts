/** An answer that is an error ("Errors"). */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly extra: Record<string, unknown> = {},
	) {
		super(message);
	}
}

/** 400 `validation_error`. */
export const invalid = (message: string): ApiError => new ApiError(400, 'validation_error', message);

/** 404 `not_found`. */
export const notFound = (what: string): ApiError => new ApiError(404, 'not_found', `${what} was not found.`);
