import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import { eventIdOf, single, type Headers } from './event';
import { looksLikeSignature } from './signature';
import { isFresh } from './timestamp';

/** So many in a row are no accident. */
const ENOUGH = 5;

/** Whatever arrives, one trigger fails no more than one execution in this time. */
const PERIOD_MS = 60 * 60 * 1000;

/** Names of events are short words with dots; new ones may be added (API spec, "Versioning" 3). */
const EVENT_NAME = /^[\w.-]{1,64}$/;

/** The deliveries to one trigger that look like the service's own, and whose signature is wrong. */
export interface SignatureFailures {
	/**
	 * Counts one.
	 *
	 * @param now Unix time in milliseconds
	 * @returns when the first in this row came, if it is time to tell the user
	 */
	add(now: number): number | undefined;
	/** A delivery was verified: the secret is right, and the failures were somebody else's. */
	reset(): void;
	/** Whether nothing in it matters any more. */
	isEmpty(now: number): boolean;
}

/** No failures yet. */
export function createSignatureFailures(): SignatureFailures {
	let count = 0;
	let since = 0;
	let toldAt = -Infinity;
	return {
		add: (now) => {
			if (count === 0) since = now;
			count++;
			if (count < ENOUGH || now - toldAt < PERIOD_MS) return undefined;
			toldAt = now;
			return since;
		},
		reset: () => (count = 0),
		isEmpty: (now) => count === 0 && now - toldAt >= PERIOD_MS,
	};
}

/**
 * Whether an unverified delivery has all headers as the service sends them (API spec, "Delivery request headers"). The
 * body is not looked at. Somebody who knows the account's id can make such a delivery too.
 *
 * @param accountId the account that the trigger has seen, if any
 * @param now Unix time in milliseconds
 */
export function hasServiceHeaders(headers: Headers, accountId: unknown, now: number): boolean {
	const account = single(headers['x-service-account-id']);
	return (
		looksLikeSignature(single(headers['x-service-signature']) ?? '') &&
		isFresh(single(headers['x-service-timestamp']), now) &&
		EVENT_NAME.test(single(headers['x-service-event']) ?? '') &&
		eventIdOf(headers) !== undefined &&
		account !== undefined &&
		(typeof accountId !== 'string' || account === accountId)
	);
}

/** The item of an execution that only tells the user. No event has it, as all of them have an `event_id`. */
export function failureItem(since: number): INodeExecutionData {
	return { json: { unverified_since: new Date(since).toISOString() } };
}

/**
 * What an execution fails with that was started with a `failureItem`, so that it stands in the list of executions and
 * starts the error workflow.
 */
export function signatureError(node: INode, json: IDataObject | undefined): NodeOperationError | undefined {
	if (json?.event_id !== undefined || typeof json?.unverified_since !== 'string') return undefined;
	return new NodeOperationError(
		node,
		"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
		{
			description: `No event has been verified since ${json.unverified_since}. The secret was probably rotated. If another credential for this account still works, select it in this node or use its 'Signing Secret'. Otherwise, run Webhook > Rotate Secret and paste the new secret into every credential for this account. If events still start this workflow, someone else sent the rejected requests, and you can ignore this message. It appears at most once an hour.`,
		},
	);
}
