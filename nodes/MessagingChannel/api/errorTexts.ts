import { isIdempotent, type Endpoint } from './apiRequest';
import { GET_WEBHOOK } from './endpoints';
import { checkFirst, unconfirmedTexts, type ErrorTexts } from './errors';

/** What the path of an endpoint with an ID contains. */
export const HAS_ID = /\{(id|chatId|messageId)\}/;

/** What else to do about a rejected value, where the user can correct the body; see `correctionsOf`. */
const DERIVED_FIELDS =
	" If all are right, the fields may have other names, which are undocumented. If you know them, enter them in the option 'Body Fields'.";

export const MAY_BE_PROXY = 'A proxy or firewall between n8n and the service may have responded instead.';

export const CHECK_BASE_URL = `Check the 'Base URL' in the credential. ${MAY_BE_PROXY}`;

/** The texts for the codes of the service (API spec, "Errors"). */
const TEXTS: Record<string, (endpoint: Endpoint) => ErrorTexts> = {
	validation_error: ({ inferred, method }) => ({
		message: 'The service rejected a value in this request',
		description: `Correct the value before you run again. The same request would be rejected again.${inferred && (method === 'POST' || method === 'PUT') ? DERIVED_FIELDS : ''}`,
	}),
	account_not_connected: () => ({
		message: 'The messaging account is not connected to the channel',
		description: 'Reconnect it in the account panel, then run again.',
	}),
	invalid_api_key: () => ({
		message: 'The service rejected the API key',
		description: 'Open the credential and enter the API key from the account panel.',
	}),
	forbidden: ({ permission }) =>
		permission === 'valid key'
			? { message: 'The service refused the request (HTTP 403)', description: CHECK_BASE_URL }
			: {
					message: `The API key lacks the permission '${permission}'`,
					description: 'Add the permission to the key in the account panel, then run again.',
				},
	not_found: ({ path }) => {
		if (path.startsWith(GET_WEBHOOK.path)) {
			return {
				message: 'The account has no webhook',
				description: 'Publish a workflow with the Messaging Channel Trigger, or run Webhook > Set.',
			};
		}
		return HAS_ID.test(path)
			? {
					message: 'No record with this ID in this account',
					description: 'Check the ID. The record may have been deleted or may belong to another account.',
				}
			: {
					message: 'The service did not find what this request names',
					description:
						'Check the values that you entered. The record may have been deleted or may belong to another account.',
				};
	},
	rate_limit_exceeded: () => ({
		message: 'The account has reached its rate limit',
		description: 'Wait until the limit resets, then run again. Message > Get Rate Limit shows when.',
	}),
	internal_error: (endpoint) => ({
		message: 'The service could not process the request',
		description: `The fault is on the side of the service. ${isIdempotent(endpoint) ? 'Wait a moment, then run again' : checkFirst(endpoint)}.`,
	}),
	send_timeout: (endpoint) =>
		endpoint.sends
			? unconfirmedTexts(endpoint)
			: {
					message: 'The service did not finish the request in time',
					description: `${isIdempotent(endpoint) ? 'Wait a moment, then run again' : checkFirst(endpoint)}.`,
				},
	too_many_phones: () => ({
		message: 'The list has more phone numbers than the service accepts at once',
		description: 'Make an item of each number with the Split Out node.',
	}),
	invalid_date: () => ({
		message: "The service rejected the date in 'Scheduled At'",
		description: 'Enter a date and time in the future, e.g. 2030-01-31T09:00:00Z.',
	}),
	invalid_trigger_type: () => ({
		message: "The service does not support this 'Trigger Type'",
		description: 'Enter one of the trigger types in the account panel.',
	}),
	content_blocked: () => ({
		message: 'The service blocked the message because of its content policy',
		description: 'Change the text. Message > Validate Text checks a text without sending it.',
	}),
	no_media: () => ({
		message: 'The message does not exist or has no media',
		description: "Check the message ID. Only messages with 'has_media' set to true have a file.",
	}),
	invalid_filename: () => ({
		message: 'The service does not accept this file name',
		description: 'Enter the file name exactly as the service returned it.',
	}),
	contact_not_found: () => ({
		message: 'No contact with this phone number in this account',
		description: 'Check the number, or add the contact with Contact > Sync Numbers.',
	}),
};

/** A word that every object has, such as `constructor`, is no code. */
export const TEXTS_BY_CODE: ReadonlyMap<string, (endpoint: Endpoint) => ErrorTexts> = new Map(
	Object.entries(TEXTS),
);
