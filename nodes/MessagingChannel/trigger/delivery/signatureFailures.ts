import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import { eventIdOf, singleHeader, type Headers } from './event';
import { looksLikeSignature } from './signature';
import { isFresh } from './timestamp';

/** This many failures in a row are no accident. */
const FAILURE_THRESHOLD = 5;

/** One trigger reports its failures at most once in this time. */
const REPORT_INTERVAL_MS = 60 * 60 * 1000;

/** Event names are short words with dots. The service can add new ones (API spec, "Versioning" 3). */
const EVENT_NAME = /^[\w.-]{1,64}$/;

/** The deliveries to one trigger that look like the service's own but have a wrong signature. */
export interface SignatureFailures {
	/**
	 * Counts a failure.
	 *
	 * @param now Unix time in milliseconds
	 * @returns the time of the first failure in this row if the user should be told now, else undefined
	 */
	add(now: number): number | undefined;
	/** Takes back that the user was told, so that the next failure is reported again. */
	forgetReport(): void;
	/** Resets the count after a verified delivery: the secret is right, so the failures came from somebody else. */
	reset(): void;
	/** Whether there is no failure to count and no recent report to remember. */
	isEmpty(now: number): boolean;
}

/** Creates a count without failures. */
export function createSignatureFailures(): SignatureFailures {
	let count = 0;
	let firstFailureAt = 0;
	let reportedAt = -Infinity;
	return {
		add: (now) => {
			if (count === 0) firstFailureAt = now;
			count++;
			if (count < FAILURE_THRESHOLD || now - reportedAt < REPORT_INTERVAL_MS) return undefined;
			reportedAt = now;
			return firstFailureAt;
		},
		forgetReport: () => (reportedAt = -Infinity),
		reset: () => (count = 0),
		isEmpty: (now) => count === 0 && now - reportedAt >= REPORT_INTERVAL_MS,
	};
}

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

/** The item of an execution that only reports the failures. It has no `event_id`, so no event looks like it. */
export function failureItem(since: number): INodeExecutionData {
	return { json: { unverified_since: new Date(since).toISOString() } };
}

/**
 * The error of an execution that was started with a `failureItem`; undefined for any other item. The failed execution
 * appears in the list of executions and starts the error workflow.
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
