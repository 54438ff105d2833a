import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import type { ErrorTexts } from '../../api/errors';
import { eventIdOf, singleHeader, type Headers } from './event';
import { looksLikeSignature } from './signature';
import { isFresh } from './timestamp';

/** Event names are short words with dots. The service can add new ones (API spec, "Versioning" 3). */
const EVENT_NAME = /^[\w.-]{1,64}$/;

/**
 * Whether an unverified delivery has all headers of the service (API spec, "Delivery request headers"). The body is not
 * read. Anybody who knows the account ID can forge these headers.
 *
 * @param accountId the account ID of the trigger, if known
 * @param now Unix time in milliseconds
 */
export function hasServiceHeaders(headers: Headers, accountId: unknown, now: number): boolean {
	const account = singleHeader(headers['x-service-account-id']);
	const eventName = singleHeader(headers['x-service-event']);
	return (
		looksLikeSignature(singleHeader(headers['x-service-signature'])) &&
		isFresh(singleHeader(headers['x-service-timestamp']), now) &&
		eventName !== undefined &&
		EVENT_NAME.test(eventName) &&
		eventIdOf(headers) !== undefined &&
		account !== undefined &&
		(typeof accountId !== 'string' || account === accountId)
	);
}

/**
 * Why no message arrives: the secret in the credential is another one, n8n cannot read the credential, or the service refuses
 * its API key to a trigger that polls.
 */
export type FailureReason = 'signature' | 'credential' | 'key';

const TEXTS: Record<FailureReason, ErrorTexts> = {
	signature: {
		message:
			"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
		description:
			'The secret was probably rotated. If another credential for this account still works, select it in this node. Otherwise, run Webhook > Rotate Secret and paste the new secret into every credential for this account. If events still start this workflow, someone else sent the rejected requests, and you can ignore this message.',
	},
	credential: {
		message: 'No messages arrive because n8n cannot read the credential of the trigger',
		description:
			'It was probably deleted. Select another credential for this account in this node, and publish the workflow.',
	},
	key: {
		message: 'No messages arrive because the service refuses the API key in the credential of the trigger',
		description:
			"It was probably revoked, or it lacks one of the permissions 'chats:read' and 'messages:read'. Give the key these permissions in the account panel, or enter another key of the account in the credential.",
	},
};

/** The item of an execution that only reports the failures. It has no `event_id`, so no event looks like it. */
export function failureItem(since: number, reason: FailureReason): INodeExecutionData {
	const json = { unverified_since: new Date(since).toISOString() };
	return { json: reason === 'signature' ? json : { ...json, reason } };
}

/**
 * The error of an execution that was started with a `failureItem`; undefined for any other item. The failed execution
 * appears in the list of executions and starts the error workflow.
 */
export function signatureError(node: INode, json: IDataObject | undefined): NodeOperationError | undefined {
	if (json?.event_id !== undefined || typeof json?.unverified_since !== 'string') return undefined;
	const { reason } = json;
	const { message, description } = TEXTS[reason === 'credential' || reason === 'key' ? reason : 'signature'];
	return new NodeOperationError(node, message, {
		description: `No event has been verified since ${json.unverified_since}. ${description} It appears at most once an hour.`,
	});
}
