import { isRecord } from './values';

/** Why a request failed: texts for the user, codes that a workflow can branch on. */
export interface ApiErrorDetails {
	/** What happened. */
	message: string;
	/** What to do. */
	description: string;
	/** The API's `error` string, or a code of this package, such as `network_error` without a response. */
	code: string;
	/** The HTTP status of the response that failed; null if there is no single such response. */
	httpStatus: number | null;
	/** Whether an unconfirmed message may have been sent. */
	ambiguous?: boolean;
	/** Whether it is proven that the service did not receive the request. */
	neverSent?: boolean;
	/** Whether a retry fails until somebody has changed something. */
	permanent?: boolean;
	/** Whether the response has the code itself, so that it is not from a proxy. */
	hasOwnCode?: boolean;
	/** Whether an attempt may have done what succeeds only once; see `succeedsOnce`. */
	mayBeDone?: boolean;
}

/** A request that failed, or that could not be sent (API spec, "Errors"). */
export class ApiError extends Error implements ApiErrorDetails {
	readonly description: string;

	readonly code: string;

	readonly httpStatus: number | null;

	readonly ambiguous: boolean;

	readonly neverSent: boolean;

	readonly permanent: boolean;

	readonly hasOwnCode: boolean;

	readonly mayBeDone: boolean;

	constructor(details: ApiErrorDetails) {
		super(details.message);
		this.name = 'ApiError';
		this.description = details.description;
		this.code = details.code;
		this.httpStatus = details.httpStatus;
		this.ambiguous = details.ambiguous ?? false;
		this.neverSent = details.neverSent ?? false;
		this.permanent = details.permanent ?? false;
		this.hasOwnCode = details.hasOwnCode ?? false;
		this.mayBeDone = details.mayBeDone ?? false;
	}

	/** The same error with other details. */
	with(details: Partial<ApiErrorDetails>): ApiError {
		// A copy of an error lacks its message.
		return new ApiError({ ...this, message: this.message, ...details });
	}
}

/** The texts of an error. */
export type ErrorTexts = Pick<ApiErrorDetails, 'message' | 'description'>;

/** What to do about a request that may have been made, and that sends no message. Without a full stop. */
export function checkFirst({ ifUnconfirmed }: { ifUnconfirmed?: string }): string {
	return (
		ifUnconfirmed ?? 'The service may still have processed the request. Check the result before you run again'
	);
}

/**
 * The texts for a message that may have been sent, or for what sends messages later.
 *
 * @param endpoint that of the request
 */
export function unconfirmedTexts({ listedBy }: { listedBy?: string }): ErrorTexts {
	return listedBy === undefined
		? {
				message: 'The service did not confirm the message, but it may have been sent',
				description: 'Before you send it again, check the chat or wait for the status event of the message.',
			}
		: {
				message: 'The service did not confirm the request, but it may have been made',
				description: `Before you make it again, look for the result with ${listedBy}. The chats may not show it yet.`,
			};
}

/** A shorter secret would also match parts of ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** The error with the secret masked, in case the service quoted it. */
export function withoutSecret(error: ApiError, secret: string): ApiError {
	const hide = (text: string) => (secret.length < MIN_SECRET_LENGTH ? text : text.replaceAll(secret, '***'));
	const { message, description, code } = error;
	return error.with({ message: hide(message), description: hide(description), code: hide(code) });
}

/** The error of a request that succeeds only once, after an attempt that may have done the work. */
export function asMaybeDone(error: ApiError): ApiError {
	// Without a confirmation of this attempt, the next one finds out.
	const told = mayHaveBeenMade(error)
		? error.description
		: `${error.description} An earlier attempt was not confirmed and may have succeeded. Check the status before you run again.`;
	return error.with({ description: told, mayBeDone: true });
}

/** Whether the service itself says that a record does not exist. */
export function isNotFound(error: unknown): boolean {
	return isOwn404(error) && error.code === 'not_found';
}

/** Whether the service itself responds 404, with any code. A proxy can respond 404, too. */
export function isOwn404(error: unknown): error is ApiError {
	return error instanceof ApiError && error.httpStatus === 404 && error.hasOwnCode;
}

/** Whether the service refuses the API key, or a permission of it. It does not pass by itself. */
export function isKeyRefused(error: unknown): boolean {
	return error instanceof ApiError && (error.httpStatus === 401 || error.httpStatus === 403);
}

/** The error for a message that an earlier attempt left unconfirmed. */
export function unconfirmedError(endpoint: { listedBy?: string }): ApiError {
	const texts = unconfirmedTexts(endpoint);
	return new ApiError({ ...texts, code: 'send_timeout', httpStatus: null, ambiguous: true });
}

/** What happened when n8n ended the execution, which does not say why. */
export const STOPPED = 'The execution was stopped or reached its time limit';

/** The code of what was not begun because n8n ended the execution. */
const STOPPED_CODE = 'execution_stopped';

/** The error for what was not begun because n8n ended the execution: it was stopped, reached its time limit, or n8n ended. */
export function stoppedError(): ApiError {
	return new ApiError({
		message: STOPPED,
		description: 'Nothing was sent or changed for this item. Run the workflow again for what is missing.',
		code: STOPPED_CODE,
		httpStatus: null,
		neverSent: true,
	});
}

/** The error, or what ends all waits of an execution that n8n ends. */
export function stopReasonOr(thrown: unknown): unknown {
	const name = isRecord(thrown) ? String(thrown.name) : '';
	return /^AbortError$|CancelledError$/.test(name) ? stoppedError() : thrown;
}

/** The error that stops a node when n8n has ended the execution: first that it did, then what failed. */
export function asStopped(thrown: unknown): unknown {
	const error = stopReasonOr(thrown);
	if (!(error instanceof ApiError) || error.message === STOPPED) return error;
	return error.with({ message: STOPPED, description: `${error.message}. ${error.description}` });
}

/** Whether the service may have carried out a request that failed, of any endpoint. */
export function mayHaveBeenMade({ ambiguous, neverSent, httpStatus, code }: ApiError): boolean {
	if (ambiguous || neverSent) return ambiguous;
	return httpStatus === null ? code === 'network_error' : httpStatus < 400 || httpStatus >= 500;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
