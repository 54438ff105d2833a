import { NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import type { ErrorTexts } from '../../api/errors';
import { sendInternal, type ForwardResult } from '../sharing/forward';
import { shownUrl } from '../../webhook/sharedUrl';
import type { Receiver, ReceiverTrouble } from '../account/receiver';
import { clock, unixTimeOf } from '../account/clock';
import type { Door } from './door';

const REPORT_TIMEOUT_MS = 10_000;

/** What the hub tells itself when a receiver of the shared webhook does not accept the events. */
export interface ReceiverProblem extends IDataObject {
	/** The URL of the receiver. */
	receiver: string;
	problem: ReceiverTrouble;
	/** ISO 8601. */
	since: string;
}

const TEXTS: Record<ReceiverProblem['problem'], (url: string) => ErrorTexts> = {
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

/** The error of an execution that only reports such a problem; undefined for any other item. */
export function receiverError(node: INode, json: IDataObject | undefined): NodeOperationError | undefined {
	if (json?.event_id !== undefined || !isReceiverProblem(json)) return undefined;
	const { receiver, problem, since } = json;
	const { message, description } = TEXTS[problem](receiver);
	return new NodeOperationError(node, message, {
		description: `It has been so since ${since} or before. ${description} If the receiver no longer exists, unpublish the workflows of this account, run Webhook > Delete, and publish them again. This message appears at most once an hour.`,
	});
}

/** Whether a JSON object, such as that of an item, is such a problem. */
export function isReceiverProblem(json: object | undefined): json is ReceiverProblem {
	const { receiver, problem, since } = (json ?? {}) as Partial<ReceiverProblem>;
	return (
		typeof receiver === 'string' && typeof since === 'string' && Object.keys(TEXTS).includes(String(problem))
	);
}

/** Starts an execution that fails and says who does not accept the events, if the user should be told now. */
export function reportTrouble(
	{ request, ownUrl, isTest }: Pick<Door, 'request' | 'ownUrl' | 'isTest'>,
	{ url, receiver, secret }: { url: string; receiver: Receiver; secret: string },
	result: ForwardResult,
): void {
	const found = isTest ? undefined : receiver.takeTrouble(result, clock.elapsed());
	if (!found) return;
	const body: ReceiverProblem = {
		receiver: shownUrl(url),
		problem: found.trouble,
		since: new Date(unixTimeOf(found.since)).toISOString(),
	};
	const options = { request, secret, timeoutMs: REPORT_TIMEOUT_MS, now: clock.now() };
	// The response to the event cannot start one more execution.
	void sendInternal('report', ownUrl, body, options).then((response) => {
		// A proxy that refuses the events may refuse the report, too.
		const hasArrived = response?.isFromTrigger === true && response.statusCode < 300;
		if (!hasArrived) receiver.forgetReport();
	});
}
