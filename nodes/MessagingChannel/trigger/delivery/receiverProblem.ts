import { NodeOperationError, type IDataObject, type INode, type IWebhookFunctions } from 'n8n-workflow';

import type { ErrorTexts } from '../../api/errors';
import { httpRequestOf } from '../../n8n/httpRequest';
import { sendInternal } from '../sharing/forward';
import { shownUrl } from '../../webhook/sharedUrl';
import { createFailureCount, type FailureCount } from './failureCount';
import { clock } from './state';

const REPORT_TIMEOUT_MS = 10_000;

/** How often a receiver did not accept an event, by its key. */
const reports = new Map<string, FailureCount>();

/** What the hub tells itself when a receiver of the shared webhook does not accept the events. */
export interface ReceiverProblem extends IDataObject {
	/** The URL of the receiver. */
	receiver: string;
	/**
	 * - `refuses`: another system responds 4xx
	 * - `blocked`: something in front of a workflow responds 4xx
	 * - `fails`: a workflow or another system responds 5xx or not at all
	 */
	problem: 'refuses' | 'blocked' | 'fails';
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
		message: `The receiver at ${url} does not respond as it should, so the service sends every event again and again`,
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

/** Ends the row of events that a receiver did not accept. */
export function noteAccepted(key: string): void {
	reports.get(key)?.reset();
}

/**
 * Starts an execution that fails and says who does not accept the events. The response to this one cannot start one more.
 *
 * @param key names the receiver and the trigger, because a receiver can serve several accounts
 * @param isLasting whether the problem has lasted for minutes, so that it need not be counted
 */
export function reportProblem(
	context: IWebhookFunctions,
	receiverUrl: string,
	problem: ReceiverProblem['problem'],
	{ key, secret, isLasting }: { key: string; secret: string; isLasting: boolean },
): void {
	const count = reports.get(key) ?? createFailureCount();
	reports.set(key, count);
	const now = clock.now();
	const since = count.add(now, isLasting);
	if (since === undefined || context.getMode() === 'manual') return;
	const body: ReceiverProblem = {
		receiver: shownUrl(receiverUrl),
		problem,
		since: new Date(since).toISOString(),
	};
	const options = { request: httpRequestOf(context), secret, timeoutMs: REPORT_TIMEOUT_MS, now };
	void sendInternal('report', context.getNodeWebhookUrl('default') ?? '', body, options).then((response) => {
		// A proxy that refuses the events may refuse the report, too.
		const hasArrived = response?.isFromTrigger === true && response.statusCode < 300;
		if (!hasArrived) count.forgetReport();
	});
}
