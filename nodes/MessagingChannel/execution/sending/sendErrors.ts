import type { Endpoint } from '../../api/apiRequest';
import { ApiError, messageOf } from '../../api/errors';
import { quotable } from '../../api/quote';
import { UnreadableField } from '../../api/unreadable';

/** The error for a text in parts, of which one failed or may not have been sent. With a request ID, later executions know of it. */
export function partError(error: ApiError, sent: number, total: number, hasRequestId: boolean): ApiError {
	const told = error.ambiguous
		? `${sent} of ${total} parts of the text were sent, part ${sent + 1} may have been sent, and no further part was sent.`
		: `${sent} of ${total} parts of the text were sent.`;
	const advice = hasRequestId
		? "A retry of this execution does not send them again. A new execution sends no part of this text: to send the missing ones there, put only them into an item, with another 'Request ID'."
		: 'A retry of this execution does not send them again, but a new execution does.';
	const description = `${told}${sent > 0 ? ` ${advice}` : ''} ${error.description}`;
	return error.with({ description });
}

/** The error for a send of which nobody knows whether it was made before: by its request ID, or by an earlier retry. */
export function uncheckedError(error: unknown, isId: boolean): ApiError {
	return new ApiError({
		message: isId
			? 'n8n could not check whether this request ID was used before'
			: 'n8n could not check whether an earlier retry already sent this',
		description: `Nothing was sent. Retry the execution when n8n's database is available again (${messageOf(error)}).`,
		code: 'database_error',
		httpStatus: null,
	});
}

/** The error for a send that was not made, because the node could not remember it with all those of yesterday and today. */
export function noRoomError(capacity: number): ApiError {
	return new ApiError({
		message: `This node remembers at most ${capacity} sends of yesterday and today`,
		description:
			'The item was not sent, because the node has no room to remember it. Send the rest with a copy of this node, which remembers its own sends, or the day after tomorrow.',
		code: 'no_room',
		httpStatus: null,
	});
}

/** The code of the error for a text that was sent in another form. It says nothing about the parts of this try. */
export const SENT_OTHERWISE = 'sent_otherwise';

/** The error for a text of which an earlier retry has sent the whole or the first part, it is not known which. */
export function sentOtherwiseError(): ApiError {
	return new ApiError({
		message: 'An earlier retry sent this text, or only a part of it',
		description:
			"Nothing was sent now, because 'Split Long Text (Characters)' or the text was different then. Check in the chat what was sent, and send what is missing in a new execution.",
		code: SENT_OTHERWISE,
		httpStatus: null,
		ambiguous: true,
	});
}

/** The error for a text in parts, of which an earlier execution has sent some, or may have. */
export function earlierPartsError(requestId: string): ApiError {
	return earlierRequestError(requestId).with({
		description:
			"An earlier execution sent parts of this text, or may have. No part was sent now. Check in the chat which parts were sent. To send the missing ones, put only them into an item, with another 'Request ID'.",
	});
}

/** The error for a request that an earlier execution began, and that cannot be shown to be made or not made. */
export function earlierRequestError(
	requestId: string,
	{ sends, listedBy }: Partial<Endpoint> = {},
): ApiError {
	const advice =
		sends === 'text'
			? "Run the workflow again in some minutes, while no other execution of it runs: unless 'If Delivery Is Uncertain' is 'Fail', the node then looks for the text once more. If it stays uncertain, check the chat"
			: `Look for the result ${listedBy ? `with ${listedBy}` : sends ? 'in the chat' : 'in the list'}`;
	return new ApiError({
		message: `The request with the ID '${quotable(requestId)}' may have been made before`,
		description: `An earlier execution or item began this request and did not learn its result. It was not repeated. ${advice}. If it is missing there, run this item with another 'Request ID'.`,
		code: 'send_timeout',
		httpStatus: null,
		ambiguous: true,
	});
}

/** The error for a message that was not sent, because the service's queue did not get shorter. */
export function queueTooLongError(waiting: number): ApiError {
	return new ApiError({
		message: "The service's queue did not get shorter for 5 minutes",
		description: `The message was not sent because ${waiting} others are waiting. Use Account > Get to check whether the account is connected. Run again when the queue is shorter, or increase the option 'Pause When Queue Above'.`,
		code: 'queue_too_long',
		httpStatus: null,
	});
}

/** The error for a message that was not sent, because nobody knows how many wait in the service's queue. */
export function unreadableQueueError(kind: string): ApiError {
	const unreadable = new UnreadableField('waiting', kind);
	return unreadable.with({
		description: `The message was not sent, because it is not known how many others wait in the service's queue. ${unreadable.description} Without the option 'Pause When Queue Above', messages are sent however long the queue is.`,
	});
}

const RUN_AGAIN = {
	description: 'Run again. If it happens again, report this to the provider of the service.',
};

/** The error for a list of which some records may be missing, or that cannot be understood. */
export function unusableListError(message: string): ApiError {
	return new ApiError({ message, ...RUN_AGAIN, code: 'unexpected_answer', httpStatus: null });
}

/** The error for a message that was not sent, because the recipients to skip could not be read. */
export function unreadableSuppressionListError(tag: string, cause: ApiError): ApiError {
	const advice = cause.code === 'unexpected_answer' ? RUN_AGAIN.description : cause.description;
	return new ApiError({
		message: `The message was not sent, because the contacts with the tag '${tag}' could not all be read`,
		description: `${cause.message}. ${advice}`,
		code: cause.code,
		httpStatus: cause.httpStatus,
	});
}

/** The error for a message that was not sent, because the recipients to skip have a tag that does not exist. */
export function unknownTagError(tag: string): ApiError {
	return new ApiError({
		message: `The message was not sent, because there is no tag '${tag}' in this account`,
		description:
			'Check the spelling of the tag in the options. If nobody has the tag yet, create it with Tag > Create.',
		code: 'unknown_tag',
		httpStatus: null,
	});
}
