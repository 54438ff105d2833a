import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import type { ErrorTexts } from '../../api/errors';
import { UnreadableField } from '../../api/unreadable';
import type { ReceiverTrouble } from '../account/receiver';
import type { Teller } from './told';

/**
 * Why no message arrives: the secret in the credential is another one, n8n cannot read the credential, or the service refuses
 * its API key to a trigger that polls, or cannot be read by it.
 */
export type FailureReason = 'signature' | 'credential' | 'key' | 'service';

/** What the hub tells itself when a receiver of the shared webhook does not accept the events. */
export interface ReceiverProblem extends IDataObject {
	/** The URL of the receiver. */
	receiver: string;
	problem: ReceiverTrouble;
	/** ISO 8601. */
	since: string;
}

/**
 * What an execution tells the user that has no event. It fails, so it appears in the list of executions, and starts the error
 * workflow.
 */
export type Report =
	| { unverified_since: string; reason?: FailureReason }
	| { former_account: string }
	| { unreadable_field: string; kind: string }
	| ReceiverProblem;

/** The item that starts such an execution. It has no `event_id`, so no event looks like it. */
export function reportItem(report: Report): INodeExecutionData {
	return { json: { ...report } };
}

/** The report that no message arrives. */
export function unverifiedReport(since: number, reason: FailureReason): Report {
	const report = { unverified_since: new Date(since).toISOString() };
	return reason === 'signature' ? report : { ...report, reason };
}

/** The report of something that is not understood of what the service sends, if it is due. */
export function unreadableReport({ field, kind }: UnreadableField, reports: Teller): Report | undefined {
	return reports.due(`unreadable ${field}`) === undefined ? undefined : { unreadable_field: field, kind };
}

/** The webhook of an account before was left. */
export const FORMER_ACCOUNT =
	'The API key in the credential belongs to another account now, and the account before still sends its events to this workflow, where they are rejected';

/** What to do about it. */
export const adviceFor = (accountId: string) =>
	`The account before is '${accountId}'. Only its API key can stop that: run Webhook > Delete once with a credential that has the old key.`;

const UNVERIFIED: Record<FailureReason, ErrorTexts> = {
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
	service: {
		message: 'No messages arrive because n8n cannot read them from the service',
		description:
			"n8n's log and Account > Check Setup say why. As soon as it can, n8n goes on, also with the messages of the meantime.",
	},
};

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

/** Whether a JSON object, such as that of an item, is the problem of a receiver. */
export function isReceiverProblem(json: object | undefined): json is ReceiverProblem {
	const { receiver, problem, since } = (json ?? {}) as Partial<ReceiverProblem>;
	return (
		typeof receiver === 'string' &&
		typeof since === 'string' &&
		Object.keys(RECEIVER).includes(String(problem))
	);
}

/**
 * The error of an execution that only reports something; undefined for any other.
 *
 * @param json that of its item
 */
export function reportError(node: INode, json: IDataObject | undefined): NodeOperationError | undefined {
	const texts = json?.event_id === undefined ? textsOf(json ?? {}) : undefined;
	return texts && new NodeOperationError(node, texts.message, { description: texts.description });
}

function textsOf(json: IDataObject): ErrorTexts | undefined {
	const { unverified_since, reason, former_account, unreadable_field, kind } = json;
	if (typeof unverified_since === 'string') {
		const found = Object.entries(UNVERIFIED).find(([each]) => each === reason);
		const { message, description } = found?.[1] ?? UNVERIFIED.signature;
		return {
			message,
			description: `No event has been verified since ${unverified_since}. ${description} It appears at most once an hour.`,
		};
	}
	if (isReceiverProblem(json)) {
		const { message, description } = RECEIVER[json.problem](json.receiver);
		return {
			message,
			description: `This has been happening since at least ${json.since}. ${description} If the receiver no longer exists, unpublish the workflows of this account, run Webhook > Delete, and publish them again. This message appears at most once an hour.`,
		};
	}
	if (typeof former_account === 'string') {
		return {
			message: FORMER_ACCOUNT,
			description: `${adviceFor(former_account)} This message appears at most once an hour until then.`,
		};
	}
	if (typeof unreadable_field === 'string' && typeof kind === 'string') {
		const { message, description } = new UnreadableField(unreadable_field, kind);
		return {
			message,
			description: `Messages that have it do not start this workflow. All others do. ${description} This message appears at most once an hour.`,
		};
	}
	return undefined;
}
