import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { GET_ACCOUNT } from '../../api/endpoints';
import { normalizeBaseUrl } from '../../api/baseUrl';
import type { Client } from '../../api/client';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { ApiError } from '../../api/errors';
import { recordsOf } from '../../api/records';
import { nodeErrorOf } from '../../n8n/nodeErrors';
import { reachabilityProblem } from './reachability';
import { numbersIn } from '../delivery/filter';
import { snapshotIn, withoutQuery, type Registration } from './webhookSnapshot';
import { register, unregister, readWebhookState, WebhookTaken, type DesiredWebhook } from './registration';
import { wasVerified, type SecretCheckResult } from '../delivery/secretChecks';
import { checkSecret } from './secretCheck';
import { signingSecretIn } from '../delivery/secretCache';
import { releaseStates } from '../delivery/state';

const SECRET_ADVICE =
	"If another credential for this account works, select it here or use its 'Signing Secret'. Otherwise, run Webhook > Rotate Secret once and paste the secret that it returns into the credential as 'Signing Secret'. All other workflows of this account stop receiving events until they have the new secret.";

/** The active triggers of this process, by webhook URL. */
const activeTriggers = new Map<string, { workflowId?: string; nodeName: string }>();

/** The webhooks that unfinished or failed activations replaced, by the URL of the trigger. */
const replacedWebhooks = new Map<string, Registration>();

/** The last pending webhook change, by the base URL of the service. */
const pendingChanges = new Map<string, Promise<unknown>>();

/**
 * Registers the account's webhook for this trigger (API spec, "Webhooks").
 *
 * @throws NodeOperationError if the signing secret is missing or wrong, the service cannot reach the URL, or the webhook
 *   is in use; NodeApiError if a request fails
 */
export async function activate(context: IHookFunctions): Promise<boolean> {
	return await runSerialized(context, async () => {
		const credential = await context.getCredentials(CREDENTIAL);
		const signingSecret = signingSecretIn(credential);
		if (signingSecret === '') {
			throw activationError(
				context,
				"The credential has no 'Signing Secret', so events cannot be verified",
				SECRET_ADVICE,
			);
		}
		const desired = desiredWebhookOf(context);
		const urlProblem = reachabilityProblem(desired.url, normalizeBaseUrl(credential.baseUrl));
		if (urlProblem !== undefined) throw new InvalidWebhookUrl(`${desired.url} ${urlProblem}`);
		const client = await connect(context);
		if (isStartup(context)) await reactivate(context, client, desired);
		else await publish(context, client, desired, signingSecret);
		return true;
	});
}

/** Whether n8n activates the trigger because it starts, or because this instance became the leader. */
function isStartup(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * Restores the registration when n8n starts. Another webhook is never replaced: of several workflows with 'Replace', the
 * current one keeps the webhook. An unreachable service is only logged, because after an error n8n would remove the
 * route for incoming events.
 */
async function reactivate(context: IHookFunctions, client: Client, desired: DesiredWebhook): Promise<void> {
	const warn = (message: string) => context.logger.warn(`${context.getNode().name}: ${message}`);
	try {
		await register(client, { ...desired, replace: false }, await readWebhookState(client, desired));
		setActive(context, desired);
	} catch (error) {
		if (error instanceof WebhookTaken && desired.replace) {
			warn(
				`the account's webhook points to ${error.url}. n8n does not replace it at startup; publish the workflow again to receive the events here`,
			);
		} else if (error instanceof ApiError && isTransient(error)) {
			warn('the service could not be reached at startup, so the webhook was not checked');
		} else await Promise.reject(error);
	}
}

function isTransient({ httpStatus }: ApiError): boolean {
	return httpStatus === null || httpStatus === 429 || httpStatus >= 500;
}

/**
 * Registers the webhook of a newly published trigger, or of a test run. The webhook is set first, because without it the
 * service delivers no events. If a later step fails, the previous webhook is restored.
 */
async function publish(
	context: IHookFunctions,
	client: Client,
	desired: DesiredWebhook,
	signingSecret: string,
): Promise<void> {
	// An invalid filter must fail before anything changes.
	numbersIn(context.getNodeParameter('options.chats', ''));
	const state = await readWebhookState(client, desired);
	const { foreign } = state;
	// Two triggers of one workflow must not replace each other.
	const replace = desired.replace && !(foreign && otherTriggerAt(context, foreign.url));
	// A test run may have ended by then, so its snapshot is restored instead of its test URL.
	if (foreign && replace && !desired.isTest)
		replacedWebhooks.set(desired.url, snapshotIn(foreign.url) ?? foreign);
	try {
		await register(client, { ...desired, replace }, state);
		const [account] = recordsOf(await client.call({ endpoint: GET_ACCOUNT }));
		const isVerified = !foreign && wasVerified(account?.id, signingSecret, Date.now());
		if (!desired.isTest && !isVerified) await requireValidSecret(context, client, desired);
		context.getWorkflowStaticData('node').accountId = account?.id;
	} catch (error) {
		// If this fails, n8n tries again: it calls `delete` after a failed activation.
		if (!(error instanceof WebhookTaken)) await removeWebhook(client, desired).catch(() => undefined);
		await Promise.reject(error);
	}
	replacedWebhooks.delete(desired.url);
	setActive(context, desired);
}

/**
 * Removes the registration if it is still this trigger's. n8n also calls this after every failed activation.
 *
 * @throws NodeApiError if a request fails
 */
export async function deactivate(context: IHookFunctions): Promise<boolean> {
	return await runSerialized(context, async () => {
		await removeWebhook(await connect(context), desiredWebhookOf(context));
		return true;
	}).finally(releaseStates);
}

async function removeWebhook(client: Client, own: Pick<DesiredWebhook, 'url' | 'tail'>): Promise<void> {
	activeTriggers.delete(own.url);
	await unregister(client, own, replacedWebhooks.get(own.url));
	replacedWebhooks.delete(own.url);
}

function setActive(context: IHookFunctions, { url }: DesiredWebhook): void {
	activeTriggers.set(url, { workflowId: context.getWorkflow().id, nodeName: context.getNode().name });
}

/** The name of the trigger with this URL, if it belongs to the same workflow. */
function otherTriggerAt(context: IHookFunctions, url: string): string | undefined {
	const found = activeTriggers.get(withoutQuery(url));
	return found?.workflowId === context.getWorkflow().id ? found?.nodeName : undefined;
}

class InvalidWebhookUrl extends Error {}

const CHECK_FAILURES: Partial<Record<SecretCheckResult, { message: string; advice: string }>> = {
	wrong: {
		message: "The 'Signing Secret' in the credential is not the one that the service uses",
		advice: SECRET_ADVICE,
	},
	stale: {
		message: 'The clocks of n8n and the service differ by more than 5 minutes',
		advice: 'Correct the clock of the machine that runs n8n. Otherwise, every event is rejected.',
	},
};

async function requireValidSecret(
	context: IHookFunctions,
	client: Client,
	desired: DesiredWebhook,
): Promise<void> {
	const { result, sampleId } = await checkSecret(client, desired);
	const failure = CHECK_FAILURES[result];
	if (failure) throw activationError(context, failure.message, failure.advice);
	if (result === 'unknown') {
		context.logger.info(
			`${context.getNode().name}: the service's sample event did not arrive, so only the first event will show whether the signing secret is right`,
		);
	}
	context.getWorkflowStaticData('node').sampleId = sampleId;
}

function desiredWebhookOf(context: IHookFunctions): DesiredWebhook {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const path = context.getNode().webhookId ?? context.getWorkflow().id ?? '';
	return {
		url,
		tail: url.slice(url.lastIndexOf(`/${path}/`) + 1),
		isTest: context.getActivationMode() === 'manual',
		replace: context.getNodeParameter('options.ifWebhookExists', 'fail') === 'replace',
		events: context.getNodeParameter('events', []) as string[],
		timeoutSeconds: context.getNodeParameter('options.timeoutSeconds', 30) as number,
	};
}

/**
 * Runs webhook changes one at a time. n8n activates several triggers in parallel, and each must see the changes of the
 * others. Converts all errors for the user.
 */
async function runSerialized<T>(context: IHookFunctions, work: () => Promise<T>): Promise<T> {
	try {
		// Several credentials can belong to one account, so the key is the service.
		const service = normalizeBaseUrl((await context.getCredentials(CREDENTIAL)).baseUrl);
		const running = Promise.resolve(pendingChanges.get(service)).then(work);
		const settled = running.catch(() => undefined);
		pendingChanges.set(service, settled);
		void settled.then(() => pendingChanges.get(service) === settled && pendingChanges.delete(service));
		return await running;
	} catch (error) {
		throw activationErrorOf(context, error);
	}
}

function activationErrorOf(context: IHookFunctions, error: unknown): Error {
	if (error instanceof NodeOperationError) return error;
	if (error instanceof WebhookTaken) {
		const otherTrigger = otherTriggerAt(context, error.url);
		if (otherTrigger !== undefined) {
			return activationError(
				context,
				`The trigger '${otherTrigger}' in this workflow already receives the events of this account`,
				'An account has only one webhook. Select all events in one trigger, and delete the other trigger.',
			);
		}
		return activationError(
			context,
			error.message,
			"An account has only one webhook. If the other URL is no longer needed, set the option 'If Webhook Exists' of the trigger to 'Replace'.",
		);
	}
	if (error instanceof InvalidWebhookUrl) {
		return activationError(
			context,
			`n8n's webhook URL ${error.message}`,
			"Set n8n's environment variable WEBHOOK_URL to the public https URL of n8n, restart n8n, and publish the workflow again.",
		);
	}
	return nodeErrorOf(context.getNode(), error);
}

/** When an activation fails, n8n shows only the message, so it contains the advice. */
function activationError(context: IHookFunctions, message: string, advice: string): NodeOperationError {
	return new NodeOperationError(context.getNode(), `${message}. ${advice}`);
}
