import { ApiError, type ErrorTexts } from '../api/errors';
import { unknown, type Verdict } from './row';

/** What was read: a value, or why it failed. Undefined if it was not tried, because something else had to succeed first. */
export type Read<T> = { value: T } | { error: ApiError } | undefined;

/** Reads. Only an error of a request is a result. */
export async function attempt<T>(read: () => Promise<T>): Promise<Exclude<Read<T>, undefined>> {
	return await read().then(
		(value) => ({ value }),
		async (error: unknown) => (error instanceof ApiError ? { error } : await Promise.reject(error)),
	);
}

/** Whether the service says that there were too many requests. */
export const isLimited = ({ httpStatus }: ApiError) => httpStatus === 429;

/** The value that was read; undefined if there is none. */
export function valueOf<T>(read: Read<T>): T | undefined {
	return read && 'value' in read ? read.value : undefined;
}

/** The verdict on what another check had to find. */
export const NOT_TRIED = unknown('Not checked, because another check failed.', 'Solve that first.');

/** What failed, as a verdict. */
export function failed({ message, description }: ErrorTexts, status: Verdict['status'] = 'unknown'): Verdict {
	return { status, detail: `${message}.`, advice: description };
}

/** Judges what was read. What could not be read is unknown, unless the error says more. */
export function judge<T>(
	read: Read<T>,
	onValue: (value: T) => Verdict,
	onError: (error: ApiError) => Verdict = failed,
): Verdict {
	if (!read) return NOT_TRIED;
	return 'error' in read ? onError(read.error) : onValue(read.value);
}
