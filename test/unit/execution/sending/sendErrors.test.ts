import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import {
	earlierRequestError,
	unusableListError,
	unreadableSuppressionListError,
} from '../../../../nodes/MessagingChannel/execution/sending/sendErrors';

const cause = (code: string) =>
	new ApiError({ message: 'Why', description: 'What to do.', code, httpStatus: 503 });

test.each([
	['with the advice of its cause', cause('service_unavailable'), 'Why. What to do.', 503],
	[
		'with the advice to run again when the answer was of no use',
		unusableListError('The list is incomplete'),
		'The list is incomplete. Run again. If it happens again, report this to the provider of the service.',
		null,
	],
	[
		'without an advice that is about another request',
		cause('unexpected_answer'),
		'Why. Run again. If it happens again, report this to the provider of the service.',
		503,
	],
])('recipients to skip that could not be read are an error %s', (_, why, description, httpStatus) => {
	expect(unreadableSuppressionListError('unsubscribed', why)).toMatchObject({
		message:
			"The message was not sent, because the contacts with the tag 'unsubscribed' could not all be read",
		description,
		code: why.code,
		httpStatus,
	});
});

test.each([
	['a text', { sends: 'text' }, /looks for the text once more.*, check the chat\. If it is missing there/],
	['a file', { sends: 'other' }, /not repeated\. Look for the result in the chat\. If it is missing there/],
	['a broadcast', { sends: 'other', listedBy: 'Broadcast > Get Many' }, / with Broadcast > Get Many\. If/],
	['a tag', {}, /not repeated\. Look for the result in the list\. If/],
] as const)('of %s that an earlier execution began, it is said where to look', (_, endpoint, advice) => {
	expect(earlierRequestError('may', endpoint).description).toMatch(advice);
});
