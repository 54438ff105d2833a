import { ApiError } from '../api/errors';
import { UnfinishedList } from '../api/pagination';

/** The error of a list that was read with Return All. With a Limit, its first records can be read. */
export function returnAllError(error: unknown): unknown {
	if (!(error instanceof UnfinishedList)) return error;
	const description = error.mayBeTemporary
		? "Run again. If the list is still incomplete, turn off 'Return All' and set a 'Limit' to get the available records, and report this to the provider of the service."
		: "Turn off 'Return All', set a 'Limit', and report this to the provider of the service.";
	return new ApiError({ ...error, message: error.message, description });
}
