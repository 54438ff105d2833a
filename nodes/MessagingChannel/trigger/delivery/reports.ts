import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import type { ErrorTexts } from '../../api/errors';
import type { UnreadableField } from '../../api/unreadable';
import { recordOrEmpty } from '../../api/values';
import type { ReceiverTrouble } from '../account/receiver';
import type { Teller } from './told';

/**
 * What an execution tells the user that has no event. It fails, so it appears in the list of executions, and starts the error
 * workflow.
 */
export type Report = ErrorTexts;

/** The item that starts such an execution. It has no `event_id`, so no event looks like it. */
export function reportItem({ message, description }: Report): INodeExecutionData {
	return { json: { report: { message, description } } };
}

/** The report in the JSON of such an item; undefined if it has none. */
export function reportIn(json: object | undefined): Report | undefined {
	const { report, event_id } = (json ?? {}) as IDataObject;
	const { message, description } = recordOrEmpty(report);
	const isReport = event_id === undefined && typeof message === 'string' && typeof description === 'string';
	return isReport ? { message, description } : undefined;
}

/** The error of an execution that only reports something; undefined for any other. */
export function reportError(node: INode, json: IDataObject | undefined): NodeOperationError | undefined {
	const report = reportIn(json);
	return report && new NodeOperationError(node, report.message, { description: report.description });
}

/**
 * Why no message arrives: the secret in the credential is another one, n8n cannot read the credential, or the service refuses
 * its API key to a trigger that polls, or cannot be read by it.
 */
export type FailureReason = 'signature' | 'credential' | 'key' | 'service';

const UNVERIFIED: Record<FailureReason, ErrorTexts> = {
	signature: {
		message:
			"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
		description:
			'The secret was probably rotated. If another credential for this account still works, select it in this node. Otherwise, run Webhook > Rotate Secret and paste the new secret into every credential for this account. If events still start this workflow, someone else sent the rejected requests, and you can ignore this.',
	},
	credential: {
		message: 'No messages arrive because n8n cannot read the credential of the trigger',
		description:
			'It was probably deleted. Select another credential for this account in this node, and publish the workflow.',
	},
	key: {
		message: 'No messages arrive because the service refuses the API key in the credential of the trigger',
		description:
			"It was probably revoked, or it lacks one of the permissions 'chats:read' and 'messages:read'. Give the key these permissions in the account panel, or enter another key of the account in the credential. If other nodes can use the key, a proxy or firewall between n8n and the service may refuse the requests.",
	},
	service: {
		message: 'No messages arrive because n8n cannot read them from the service',
		description:
			"n8n's log and Account > Check Setup say why. As soon as it can, n8n goes on, also with the messages of the meantime.",
	},
};

/** The report that no message arrives. */
export function unverifiedReport(since: number, reason: FailureReason): Report {
	const { message, description } = UNVERIFIED[reason];
	// A trigger that polls verifies none.
	const began = reason === 'signature' ? 'No event has been verified' : 'This has been happening';
	return {
		message,
		description: `${began} since ${new Date(since).toISOString()}. ${description} This message appears at most once an hour.`,
	};
}

const RECEIVER: Record<ReceiverTrouble, (url: string) => ErrorTexts> = {
	refuses: (url) => ({
		message: `The receiver at ${url} refuses the events that this workflow forwards to it`,
		description:
			'Your workflows still receive all events. Check that system, for example its signing secret.',
	}),
	blocked: (url) => ({
		message: `The requests of n8n to its workflow at ${url} are blocked, so that workflow misses events`,
		description:
			"A proxy or a firewall in front of n8n responds in the workflow's place. Let it pass the requests of n8n itself.",
	}),
	fails: (url) => ({
		message: `The receiver at ${url} does not respond as it should, so the service sends events again and again`,
		description: 'Workflows and systems that respond still receive all events. Check the one that does not.',
	}),
};

/**
 * The report that a receiver of the shared webhook does not accept the events.
 *
 * @param since Unix time in milliseconds
 */
export function receiverReport(trouble: ReceiverTrouble, url: string, since: number): Report {
	const { message, description } = RECEIVER[trouble](url);
	return {
		message,
		description: `This has been happening since at least ${new Date(since).toISOString()}. ${description} If the receiver no longer exists, unpublish the workflows of this account, run Webhook > Delete, and publish them again. This message appears at most once an hour.`,
	};
}

/** The webhook of an account before was left. */
export const FORMER_ACCOUNT =
	'The API key in the credential belongs to another account now, and the account before still sends its events to this workflow, where they are rejected';

/** What to do about it. */
export const adviceFor = (accountId: string) =>
	`The account before is '${accountId}'. Only its API key can stop that: run Webhook > Delete once with a credential that has the old key.`;

/** The report of an event of that account. */
export function formerAccountReport(accountId: string): Report {
	return {
		message: FORMER_ACCOUNT,
		description: `${adviceFor(accountId)} This message appears at most once an hour until then.`,
	};
}

/** The report of something that is not understood of what the service sends, if it is due. */
export function unreadableReport(problem: UnreadableField, reports: Teller): Report | undefined {
	if (reports.due(`unreadable ${problem.field}`) === undefined) return undefined;
	return {
		message: problem.message,
		description: `Messages that have it do not start this workflow. All others do. ${problem.description} This message appears at most once an hour.`,
	};
}
