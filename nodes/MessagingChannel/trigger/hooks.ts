import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { get as getAccount } from '../actions/account/get';
import { normalizeBaseUrl } from '../api/baseUrl';
import type { Client } from '../api/client';
import { connect, CREDENTIAL } from '../api/connect';
import { ApiError } from '../api/errors';
import { recordsOf } from '../api/records';
import { nodeErrorOf } from '../operation/failure';
import { problemOfAddress } from './address';
import { register, setWebhook, unregister, WebhookTaken, type Wish } from './registration';
import { checkSecret, type SecretCheck } from './secretCheck';
import { signingSecretIn } from './secrets';

const HOW_TO_GET_A_SECRET =
	"If another credential of this account works, choose that one here, or use its 'Signing Secret'. Only if there is none, run the action Webhook > Rotate Secret once and paste the secret that it returns into the credential, as 'Signing Secret'. Rotating stops every other workflow of this account until it has the new secret.";

/**
 * Makes the account's webhook ours, or says why that would not work: no signing secret, an address that the service
 * cannot reach, a webhook that belongs to somebody else, a secret that is not the service's.
 */
export async function activate(context: IHookFunctions): Promise<boolean> {
	const credential = await context.getCredentials(CREDENTIAL);
	if (signingSecretIn(credential) === '') {
		throw problem(
			context,
			'The credential has no signing secret, so events could not be verified',
			HOW_TO_GET_A_SECRET,
		);
	}
	const wish = wishOf(context);
	return await explained(context, async () => {
		const addressProblem = problemOfAddress(wish.url, normalizeBaseUrl(credential.baseUrl));
		if (addressProblem !== undefined) throw new UnusableAddress(`${wish.url} ${addressProblem}`);
		const client = await connect(context);
		if (isStart(context)) return await reactivate(context, client, wish);
		const [account] = recordsOf(await client.call({ call: getAccount.call }));
		const before = await register(client, wish);
		if (!wish.isTest) await check(context, client, wish, before);
		context.getWorkflowStaticData('node').accountId = account?.id;
		return true;
	});
}

/** n8n activates again what was active when it stopped, with some of its settings at least. */
function isStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * Sees to it, when n8n starts, that the webhook is still ours. A service that is out of reach just then changes nothing:
 * an error would make n8n close the way for events that are coming.
 */
async function reactivate(context: IHookFunctions, client: Client, wish: Wish): Promise<boolean> {
	await register(client, wish).catch(async (error: unknown) => {
		if (!(error instanceof ApiError) || !isPassing(error)) await Promise.reject(error);
		context.logger.warn(
			`${context.getNode().name}: the service was out of reach at the start, so its webhook was not checked`,
		);
	});
	return true;
}

function isPassing({ httpStatus }: ApiError): boolean {
	return httpStatus === null || httpStatus === 429 || httpStatus >= 500;
}

/** Takes back what is still ours; n8n calls it after every activation that failed, too. */
export async function deactivate(context: IHookFunctions): Promise<boolean> {
	return await explained(context, async () => {
		await unregister(await connect(context), wishOf(context));
		return true;
	});
}

class UnusableAddress extends Error {}

const SHOWN: Partial<Record<SecretCheck, { message: string; advice: string }>> = {
	wrong: {
		message: 'The signing secret in the credential is not the one that the service signs with',
		advice: HOW_TO_GET_A_SECRET,
	},
	stale: {
		message: 'The clocks of n8n and of the service are more than 5 minutes apart',
		advice: 'Set the clock of the machine that n8n runs on, or every event would be refused.',
	},
};

async function check(
	context: IHookFunctions,
	client: Client,
	wish: Wish,
	before: Awaited<ReturnType<typeof register>>,
): Promise<void> {
	const result = await checkSecret(client, wish);
	const shown = SHOWN[result];
	if (shown) {
		// Without anything before, n8n's own call to delete takes it back.
		if (before) await setWebhook(client, before);
		throw problem(context, shown.message, shown.advice);
	}
	if (result === 'unknown') {
		context.logger.info(
			`${context.getNode().name}: the service's sample event did not arrive, so the signing secret will only be verified by the first event`,
		);
	}
}

function wishOf(context: IHookFunctions): Wish {
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

async function explained<T>(context: IHookFunctions, work: () => Promise<T>): Promise<T> {
	return await work().catch(async (error: unknown) => await Promise.reject(inWords(context, error)));
}

function inWords(context: IHookFunctions, error: unknown): Error {
	if (error instanceof NodeOperationError) return error;
	if (error instanceof WebhookTaken) {
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
