import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { withoutQuote } from '../../api/responseErrors';
import type { ErrorTexts } from '../../api/errors';
import { nodeErrorOf } from '../../n8n/nodeErrors';
import type { StartedTrigger } from '../delivery/trigger';
import type { RegisteredWebhook } from '../../webhook/registeredWebhook';
import { shownUrl, TooManySubscribers } from '../../webhook/sharedUrl';
import { isOfOwnTrigger } from '../../webhook/triggerUrl';
import type { IfWebhookExists, ProbeResult } from '../account/decisions';
import { QueryDropped, WebhookKeepsChanging } from './registration';
import { ownTriggerAt } from '../account/ownTriggers';

export const SECRET_ADVICE =
	"If another credential for this account works, select it here. Otherwise, run Webhook > Rotate Secret once and paste the secret that it returns into the credential as 'Signing Secret'. All other workflows of this account stop receiving events until they have the new secret.";

/** The texts for a trigger that has the URL of another one in its workflow. */
export const twinTexts = (name: string): ErrorTexts => ({
	message: `The trigger '${name}' of this workflow has the same URL, because one is a copy of the other, so only one of them would get events`,
	description: `Delete one of the two, add a new Messaging Channel Trigger from n8n's list of nodes in its place, and publish the workflow again.`,
});

/** The account's webhook points to another system and must not be changed. */
export class WebhookTaken extends Error {
	readonly url: string;
	/** Whether the URL has parts that may hold a secret. */
	readonly mayHoldSecret: boolean;

	constructor(
		{ url, since }: RegisteredWebhook,
		readonly ifWebhookExists: IfWebhookExists,
	) {
		super(`The account's webhook already points to ${shownUrl(url)}${since ? `, since ${since}` : ''}`);
		this.url = shownUrl(url);
		this.mayHoldSecret = this.url !== url;
	}
}

/** The trigger cannot share the webhook with the one that receives the events now. */
export class CannotJoin extends Error {
	constructor(
		readonly result: Exclude<ProbeResult, 'reached' | 'unproven' | 'dead' | 'absent' | 'noTrigger'>,
		readonly hubUrl: string,
		readonly url: string,
	) {
		super(result);
	}
}

/** Another trigger of this n8n, perhaps of the same workflow, already takes the answers of the account. */
export class AnswersTaken extends Error {
	constructor(readonly url: string) {
		super();
	}
}

/** n8n's webhook URL cannot be registered. The message is the end of a sentence. */
export class InvalidWebhookUrl extends Error {}

type FailedTrigger = Pick<StartedTrigger, 'node' | 'saved' | 'ownUrl'>;

/** Converts an error for the user. */
export function activationErrorOf(trigger: FailedTrigger, error: unknown): Error {
	if (error instanceof NodeOperationError) return error;
	const texts = errorTextsOf(trigger, error);
	return texts ? activationError(trigger, texts) : nodeErrorOf(trigger.node, error);
}

/** The error of an activation as n8n shows it: of a failed request only the message, so it gets what to do about it. */
export function withAdvice(error: unknown): unknown {
	if (!(error instanceof NodeApiError)) return error;
	// What the service said stays out of n8n's log, as it can quote the API key of another process.
	return Object.assign(error, { message: `${error.message}. ${withoutQuote(String(error.description))}` });
}

/** The texts of an error of the activation itself; undefined for any other, such as that of a request. */
function errorTextsOf(trigger: FailedTrigger, error: unknown): ErrorTexts | undefined {
	if (error instanceof WebhookTaken) {
		const { message, url, ifWebhookExists, mayHoldSecret } = error;
		const warning = mayHoldSecret ? SECRET_IN_URL_ADVICE : '';
		const ownUrl = trigger.ownUrl ?? trigger.saved.webhookUrl;
		const owner = ownUrl !== undefined && isOfOwnTrigger(url, ownUrl) ? OWN_URL_ADVICE : '';
		return { message, description: `${owner}${TAKEN_ADVICE[ifWebhookExists]}${warning}` };
	}
	if (error instanceof CannotJoin) {
		const { message, description } = JOIN_FAILURES[error.result](error);
		const name = ownTriggerAt(error.hubUrl).workflowName;
		return {
			message,
			description:
				name === undefined
					? description
					: `The workflow that receives the events now is '${name}'. ${description}`,
		};
	}
	if (error instanceof AnswersTaken) {
		const name = ownTriggerAt(error.url).workflowName;
		return {
			message:
				"Another published trigger of this account has 'Take Answers' turned on, and two would start with each other's answers",
			description: `${name === undefined ? '' : `It is in the workflow '${name}'. `}Turn the option off here or there. One workflow takes the answers to the questions of all workflows.`,
		};
	}
	if (error instanceof TooManySubscribers) {
		return {
			message: 'The webhook URL that names all receivers of this account would be too long',
			description:
				"Unpublish one of the workflows, or give another system a shorter URL. Or let one workflow receive the events and call the others with n8n's 'Execute Sub-workflow' node.",
		};
	}
	if (error instanceof QueryDropped) {
		return {
			message:
				'The service does not keep the whole webhook URL, so several workflows cannot share the webhook',
			description:
				"Let one workflow receive the events and call the others with n8n's 'Execute Sub-workflow' node. The option 'Take Answers' cannot be used either. If it is on, turn it off.",
		};
	}
	if (error instanceof WebhookKeepsChanging) {
		return {
			message: "Another program keeps changing the account's webhook",
			description:
				'Find out which other system sets the webhook of this account, and publish the workflow again.',
		};
	}
	if (error instanceof InvalidWebhookUrl) {
		return {
			message: `n8n's webhook URL ${error.message}`,
			description:
				"Set n8n's environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n) to the public https URL of n8n, restart n8n, and publish the workflow again. If n8n has no public URL, set 'Listen By' of the trigger to 'Polling'.",
		};
	}
	return undefined;
}

const SHARE_ADVICE =
	"An account has only one webhook. To receive the events at both URLs, set the option 'If Webhook Exists' of the trigger to 'Share'. If the other URL is no longer needed, set it to 'Replace'.";

/** It is no trigger of this package: those share. */
const OWN_URL_ADVICE =
	'This is a URL of this n8n. It belongs to a workflow with another kind of trigger, probably a Webhook node. ';

const SECRET_IN_URL_ADVICE =
	" The other URL has parameters or a user name. If they hold a secret, give that system a URL without it first: with 'Share', its whole URL becomes readable in the registered one, and so in access logs.";

const TAKEN_ADVICE: Record<IfWebhookExists, string> = {
	fail: SHARE_ADVICE,
	replace:
		"n8n replaces it only when you publish the workflow, because otherwise two programs could take it from each other again and again. Unpublish and publish the workflow to receive the events here, or set the option 'If Webhook Exists' of the trigger to 'Share'.",
	share: SHARE_ADVICE,
};

const JOIN_FAILURES: Record<CannotJoin['result'], (error: CannotJoin) => ErrorTexts> = {
	unreachable: ({ url }) => ({
		message: `The n8n that receives the events of this account cannot reach ${shownUrl(url)}`,
		description:
			"Several workflows share the account's webhook, and n8n forwards the events to each of them at its public URL. Let the machine that runs n8n reach its own public URL without a login, with a certificate that it trusts (NODE_EXTRA_CA_CERTS), and through n8n's SSRF protection (N8N_SSRF_ALLOWED_HOSTNAMES). Then publish the workflow again.",
	}),
	otherSecret: () => ({
		message:
			"The 'Signing Secret' in the credential differs from that of the workflow that receives the events now",
		description: SECRET_ADVICE,
	}),
	noResponse: ({ hubUrl }) => ({
		message: `No Messaging Channel Trigger responds at ${shownUrl(hubUrl)}, which receives the events of this account`,
		description:
			"Several workflows share the account's webhook. If the URL is that of this n8n, let the machine that runs n8n reach its own public URL without a login, with a certificate that it trusts (NODE_EXTRA_CA_CERTS), and through n8n's SSRF protection (N8N_SSRF_ALLOWED_HOSTNAMES), or unpublish the workflow if it has a Webhook node with this URL. If it is that of another n8n, try again when that one runs. If nothing will run there again, run Webhook > Delete once, and publish the workflow again.",
	}),
};

/** When an activation fails, n8n shows only the message, so it contains the description. */
export function activationError(
	{ node }: Pick<StartedTrigger, 'node'>,
	{ message, description }: ErrorTexts,
): NodeOperationError {
	return new NodeOperationError(node, `${message}. ${description}`);
}
