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
import { register, unregister, webhookBefore, WebhookTaken, type DesiredWebhook } from './registration';
import { wasVerified, type SecretCheckResult } from '../delivery/secretChecks';
import { checkSecret } from './secretCheck';
import { signingSecretIn } from '../delivery/secretCache';
import { releaseStates } from '../delivery/state';

const HOW_TO_GET_A_SECRET =
	"If another credential of this account works, choose that one here, or use its 'Signing Secret'. Only if there is none, run the action Webhook > Rotate Secret once and paste the secret that it returns into the credential, as 'Signing Secret'. Rotating stops every other workflow of this account until it has the new secret.";

/** The triggers that this process activated, by their addresses. */
const active = new Map<string, { workflowId?: string; nodeName: string }>();

/** What activations that have not succeeded took the webhook from, by their addresses. */
const replaced = new Map<string, Registration>();

/** The last of what changes a webhook, by the address of the service. */
const pending = new Map<string, Promise<unknown>>();

/**
 * Makes the account's webhook ours, or says why that would not work: no signing secret, an address that the service
 * cannot reach, a webhook that belongs to somebody else, a secret that is not the service's.
 */
export async function activate(context: IHookFunctions): Promise<boolean> {
	return await serialized(context, async () => {
		const credential = await context.getCredentials(CREDENTIAL);
		const signingSecret = signingSecretIn(credential);
		if (signingSecret === '') {
			throw problem(
				context,
				'The credential has no signing secret, so events could not be verified',
				HOW_TO_GET_A_SECRET,
			);
		}
		const desired = desiredWebhookOf(context);
		const addressProblem = reachabilityProblem(desired.url, normalizeBaseUrl(credential.baseUrl));
		if (addressProblem !== undefined) throw new UnusableAddress(`${desired.url} ${addressProblem}`);
		const client = await connect(context);
		if (isStart(context)) await reactivate(context, client, desired);
		else await publish(context, client, desired, signingSecret);
		return true;
	});
}

/** n8n activates again what was active when it stopped, with some of its settings at least. */
function isStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * Sees to it, when n8n starts, that the webhook is still ours. Nothing else is replaced: of several workflows that may
 * take the webhook, the one that has it keeps it. A service that is out of reach just then changes nothing: an error
 * would make n8n close the way for events that are coming.
 */
async function reactivate(context: IHookFunctions, client: Client, desired: DesiredWebhook): Promise<void> {
	const warn = (what: string) => context.logger.warn(`${context.getNode().name}: ${what}`);
	try {
		await register(client, { ...desired, replace: false }, await webhookBefore(client, desired));
		setActive(context, desired);
	} catch (error) {
		if (error instanceof WebhookTaken && desired.replace) {
			warn(
				`the account's webhook sends its events to ${error.url}. At its start n8n takes it from nobody; publish the workflow again to have the events here`,
			);
		} else if (error instanceof ApiError && isPassing(error)) {
			warn('the service was out of reach at the start, so its webhook was not checked');
		} else await Promise.reject(error);
	}
}

function isPassing({ httpStatus }: ApiError): boolean {
	return httpStatus === null || httpStatus === 429 || httpStatus >= 500;
}

/**
 * Sets the webhook before it asks for anything else, as without one no event is delivered. If the rest fails, what was
 * there before is put back.
 */
async function publish(
	context: IHookFunctions,
	client: Client,
	desired: DesiredWebhook,
	signingSecret: string,
): Promise<void> {
	// A filter that cannot be read is refused before anything changes.
	numbersIn(context.getNodeParameter('options.chats', ''));
	const before = await webhookBefore(client, desired);
	const { foreign } = before;
	// Triggers of one workflow would only take the webhook from each other.
	const replace = desired.replace && !(foreign && neighbourAt(context, foreign.url));
	// A test may have ended by then, so what it borrowed is put back in its place.
	if (foreign && replace && !desired.isTest) replaced.set(desired.url, snapshotIn(foreign.url) ?? foreign);
	try {
		await register(client, { ...desired, replace }, before);
		const [account] = recordsOf(await client.call({ endpoint: GET_ACCOUNT }));
		const isVerified = !foreign && wasVerified(account?.id, signingSecret, Date.now());
		if (!desired.isTest && !isVerified) await check(context, client, desired);
		context.getWorkflowStaticData('node').accountId = account?.id;
	} catch (error) {
		// n8n calls delete now, which tries once more.
		if (!(error instanceof WebhookTaken)) await end(client, desired).catch(() => undefined);
		await Promise.reject(error);
	}
	replaced.delete(desired.url);
	setActive(context, desired);
}

/** Takes back what is still ours; n8n calls it after every activation that failed, too. */
export async function deactivate(context: IHookFunctions): Promise<boolean> {
	return await serialized(context, async () => {
		await end(await connect(context), desiredWebhookOf(context));
		return true;
	}).finally(releaseStates);
}

async function end(client: Client, own: Pick<DesiredWebhook, 'url' | 'tail'>): Promise<void> {
	active.delete(own.url);
	await unregister(client, own, replaced.get(own.url));
	replaced.delete(own.url);
}

function setActive(context: IHookFunctions, { url }: DesiredWebhook): void {
	active.set(url, { workflowId: context.getWorkflow().id, nodeName: context.getNode().name });
}

/** The name of the other trigger in this workflow that has an address. */
function neighbourAt(context: IHookFunctions, url: string): string | undefined {
	const found = active.get(withoutQuery(url));
	return found?.workflowId === context.getWorkflow().id ? found?.nodeName : undefined;
}

class UnusableAddress extends Error {}

const SHOWN: Partial<Record<SecretCheckResult, { message: string; advice: string }>> = {
	wrong: {
		message: 'The signing secret in the credential is not the one that the service signs with',
		advice: HOW_TO_GET_A_SECRET,
	},
	stale: {
		message: 'The clocks of n8n and of the service are more than 5 minutes apart',
		advice: 'Set the clock of the machine that n8n runs on, or every event would be refused.',
	},
};

async function check(context: IHookFunctions, client: Client, desired: DesiredWebhook): Promise<void> {
	const { result, sampleId } = await checkSecret(client, desired);
	const shown = SHOWN[result];
	if (shown) throw problem(context, shown.message, shown.advice);
	if (result === 'unknown') {
		context.logger.info(
			`${context.getNode().name}: the service's sample event did not arrive, so the signing secret will only be verified by the first event`,
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
 * Does what changes a webhook after all that does so already: n8n activates several triggers at a time, and
 * each has to see what the others did. What fails is told in words for the user.
 */
async function serialized<T>(context: IHookFunctions, work: () => Promise<T>): Promise<T> {
	// Several credentials can be of one account, and nothing but the service knows which. The work tells what is wrong with one.
	const service = await context
		.getCredentials(CREDENTIAL)
		.then(({ baseUrl }) => normalizeBaseUrl(baseUrl))
		.catch(() => '');
	const turn = Promise.resolve(pending.get(service))
		.then(work)
		.catch(async (error: unknown) => await Promise.reject(inWords(context, error)));
	const ended = turn.catch(() => undefined);
	pending.set(service, ended);
	void ended.then(() => pending.get(service) === ended && pending.delete(service));
	return await turn;
}

function inWords(context: IHookFunctions, error: unknown): Error {
	if (error instanceof NodeOperationError) return error;
	if (error instanceof WebhookTaken) {
		const neighbour = neighbourAt(context, error.url);
		if (neighbour !== undefined) {
			return problem(
				context,
				`The trigger '${neighbour}' in this workflow already receives the events of this account`,
				'An account has one webhook. Select all events in one trigger, and delete the other.',
			);
		}
		return problem(
			context,
			error.message,
			"An account has one webhook. If that address is no longer needed, set the trigger's option 'If Webhook Exists' to 'Replace'.",
		);
	}
	if (error instanceof UnusableAddress) {
		return problem(
			context,
			`n8n's own address for events, ${error.message}`,
			"Set n8n's environment variable WEBHOOK_URL to the https address under which n8n is reached from the internet, restart n8n, and publish the workflow again.",
		);
	}
	return nodeErrorOf(context.getNode(), error);
}

/** n8n shows only the message when an activation fails, so what to do stands in it. */
function problem(context: IHookFunctions, message: string, advice: string): NodeOperationError {
	return new NodeOperationError(context.getNode(), `${message}. ${advice}`);
}
