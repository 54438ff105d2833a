import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { accountIdOf } from '../../api/account';
import { accountDigestIn } from '../../api/authentication';
import { normalizeBaseUrl } from '../../api/baseUrl';
import type { ErrorTexts } from '../../api/errors';
import { catchUpMinutesOf } from '../catchUp/settings';
import { endSilence, fetchAfterSilence } from '../catchUp/testRun';
import { isPolling, receivingProblem, requireValidCombination } from '../delivery/options';
import { requireValidFilter } from '../delivery/filter';
import { adviceFor, FORMER_ACCOUNT } from '../delivery/reports';
import { flushGroups, releaseStates, secretCache, stateOf } from '../delivery/state';
import type { ActivatedTrigger, Trigger } from '../delivery/trigger';
import { accessIn, credentialIdOf, signingSecretIn, type SecretCheckResult } from '../delivery/secrets';
import { clock } from '../account/clock';
import { shownUrl, TooManySubscribers } from '../../webhook/sharedUrl';
import { secretDigestOf } from '../../webhook/sharingKey';
import type { Registration, Subscriber, Subscribers } from '../../webhook/subscribers';
import {
	activationError,
	AnswersTaken,
	CannotJoin,
	InvalidWebhookUrl,
	SECRET_ADVICE,
	twinTexts,
	WebhookTaken,
	withAdvice,
} from './activationErrors';
import { othersToJoin } from './joining';
import {
	isFirstPublication,
	isStartup,
	noteEnded,
	noteListening,
	notePublishing,
} from '../catchUp/listening';
import { activatePolling } from './polling';
import { accountIn, serviceAt } from '../account/account';
import { ownTriggerAt } from '../account/ownTriggers';
import { areOfOneN8n } from '../../webhook/triggerUrl';
import { reachabilityProblem } from './reachability';
import { checkSecret } from './secretCheck';
import { reactivate } from './startup';
import {
	desiredSubscriptionOf,
	runSerialized,
	subscribe,
	unsubscribe,
	type Activation,
} from './subscription';

/**
 * Subscribes the trigger to the events of the account (API spec, "Webhooks").
 *
 * @throws NodeOperationError if the signing secret is missing or wrong, the service or the other triggers of the account
 *   cannot reach the URL, or the webhook is in use; NodeApiError if a request fails
 */
export async function activate(trigger: ActivatedTrigger): Promise<void> {
	const state = stateOf(trigger);
	const activation = ++state.activations;
	let isRefused = false;
	try {
		await activateNow(trigger);
	} catch (error) {
		// n8n starts the loops even so.
		isRefused = isFirstPublication(trigger);
		return await Promise.reject(withAdvice(error));
	} finally {
		// n8n may have given up waiting for this one, and published the trigger again.
		if (activation === state.activations) state.isRefused = isRefused;
	}
}

async function activateNow(trigger: ActivatedTrigger): Promise<void> {
	const { isTest, saved, ownUrl: url } = trigger;
	// A test has saved nothing yet, and n8n does not keep what a test saves.
	notePublishing(trigger);
	// A failure at startup would take the webhook away, and then nobody delivers the events again.
	const problem = isStartup(trigger) ? undefined : receivingProblem(trigger);
	if (problem) throw activationError(trigger, problem);
	if (isPolling(trigger.node)) return await activatePolling(trigger);
	if (trigger.twin !== undefined && !isStartup(trigger))
		throw activationError(trigger, twinTexts(trigger.twin));
	// A copy of n8n has the saved URL of the original, and n8n starts the loops even if the activation fails.
	if (saved.webhookUrl !== url) delete saved.webhookUrl;
	await runSerialized(trigger, async () => {
		const credential = await trigger.credential();
		// The whole activation signs with this one. If it changes meanwhile, the next check or start signs the list anew.
		const secret = signingSecretIn(credential);
		if (secret === '') {
			throw activationError(trigger, {
				message: "The credential has no 'Signing Secret', so events cannot be verified",
				description: SECRET_ADVICE,
			});
		}
		const desired = desiredSubscriptionOf(trigger, url, isTest, credential);
		const urlProblem = reachabilityProblem(url, normalizeBaseUrl(credential.baseUrl));
		const requireReachable = () => {
			if (urlProblem !== undefined) throw new InvalidWebhookUrl(`${shownUrl(url)} ${urlProblem}`);
		};
		if (!isTest) requireReachable();
		const account = accountIn(credential);
		const activation: Activation = { ...desired, trigger, client: await trigger.connect(), account, secret };
		const own = ownTriggerAt(url);
		own.isActive = true;
		own.key = trigger.key;
		let isNew = false;
		if (isStartup(trigger)) await reactivate(activation, normalizeBaseUrl(credential.baseUrl));
		else isNew = await publish(activation, credential, requireReachable);
		if (isTest) fetchAfterSilence(trigger, url);
		else {
			// The repair has no other way to know it.
			saved.webhookUrl = url;
			noteListening(trigger, isNew);
			own.workflowName = trigger.workflow.name;
		}
	});
}

/**
 * Subscribes a newly published trigger, or a test run. The webhook is set first, because without it the service delivers
 * no events. If a later step fails, the previous webhook is restored.
 *
 * @param requireReachable throws if the service cannot call the trigger itself, which it does only where no other forwards to it
 * @returns whether another system received the messages until now, or they are those of another account than before
 */
async function publish(
	activation: Activation,
	credential: ICredentialDataDecryptedObject,
	requireReachable: () => void,
): Promise<boolean> {
	const { trigger, client, account, secret, subscriber } = activation;
	const { parameters, saved } = trigger;
	const own = ownTriggerAt(subscriber.url);
	// Invalid values must fail before anything changes.
	requireValidFilter(parameters);
	catchUpMinutesOf(parameters);
	requireValidCombination(parameters);
	try {
		const { found, change } = await subscribe(activation, async (state) => {
			const joined = await othersToJoin(activation, state);
			requireOnlyReceiver(subscriber, joined.others);
			if (!joined.others.some(({ kind }) => kind === 'workflow')) requireReachable();
			if (joined.replaced) own.replaced = joined.replaced;
			return joined;
		});
		const accountId = await accountIdOf(client);
		const hasReplaced = own.replaced !== undefined;
		const wasFree = found.others.length === 0 && !hasReplaced;
		const isKnown = found.isProven || (wasFree && account.isProven(accountId, secret, clock.elapsed()));
		const isRight =
			isKnown ||
			subscriber.kind === 'test' ||
			!change ||
			(await requireValidSecret(activation, change.registration));
		const hasOtherAccount = noteRegistered(trigger, credential, accountId);
		saved.secretDigest = isRight ? secretDigestOf(secret) : undefined;
		delete own.replaced;
		return hasReplaced || hasOtherAccount;
	} catch (error) {
		// If this fails, n8n tries again: it calls `delete` after a failed activation.
		if (!isRefusal(error)) await unsubscribe(activation, subscriber.url).catch(() => undefined);
		return await Promise.reject(error);
	}
}

/**
 * Keeps what a trigger is registered with. If its key was changed within the credential, nobody has given the webhook of the
 * account before back: the log says so.
 *
 * @returns whether the trigger listened to another account before
 */
function noteRegistered(
	{ node, logger, saved }: Trigger,
	credential: ICredentialDataDecryptedObject,
	accountId: string | undefined,
): boolean {
	const { accountId: before, accountKey, webhookUrl } = saved;
	const key = accountDigestIn(credential);
	const hasChanged = before !== undefined && accountId !== undefined && before !== accountId;
	if (hasChanged && webhookUrl !== undefined && accountKey !== undefined && accountKey !== key)
		logger.warn(`${node.name}: ${FORMER_ACCOUNT}. ${adviceFor(before)}`);
	Object.assign(saved, { accountId, accountKey: key });
	return hasChanged;
}

/**
 * Checks that only one workflow of this n8n takes the answers of the account.
 *
 * @throws AnswersTaken if another one does
 */
function requireOnlyReceiver(subscriber: Subscriber, others: Subscribers): void {
	if (subscriber.answerTag === undefined) return;
	const receiver = others.find(
		({ url, answerTag }) => answerTag !== undefined && areOfOneN8n(url, subscriber.url),
	);
	if (receiver) throw new AnswersTaken(receiver.url);
}

const REFUSALS = [InvalidWebhookUrl, WebhookTaken, CannotJoin, TooManySubscribers, AnswersTaken];

/** Whether an error was thrown before anything changed. */
function isRefusal(error: unknown): boolean {
	return REFUSALS.some((refusal) => error instanceof refusal);
}

/**
 * Removes the trigger from the subscribers of the account. n8n also calls this after every failed activation.
 *
 * @throws NodeApiError if a request fails
 */
export async function deactivate(trigger: ActivatedTrigger): Promise<void> {
	const { saved, ownUrl: url } = trigger;
	noteEnded(trigger);
	// It has a webhook only if it did not poll before.
	if (isPolling(trigger.node) && !saved.webhookUrl) return;
	const own = ownTriggerAt(url);
	// n8n ends a copy that was not activated, because another trigger has its URL: of another workflow in n8n 1.x, or a twin.
	if (own.key !== undefined && own.key !== trigger.key) return;
	own.isActive = false;
	delete own.key;
	delete own.workflowName;
	endSilence(url);
	// The end of a test has another URL.
	const isPublished = saved.webhookUrl === url;
	if (isPublished) flushGroups(trigger);
	await runSerialized(trigger, async () => {
		const credential = await trigger.credential();
		const client = await trigger.connect();
		const account = accountIn(credential);
		// A change that is still on its way would set the webhook of a trigger that is gone.
		await serviceAt(normalizeBaseUrl(credential.baseUrl)).lateOver;
		await unsubscribe({ client, account, secret: signingSecretIn(credential) }, url);
		// A key of another account cannot give the webhook back.
		if (saved.accountKey === accountDigestIn(credential)) delete saved.accountKey;
	}).finally(releaseStates);
}

const CHECK_FAILURES: Partial<Record<SecretCheckResult, ErrorTexts>> = {
	wrong: {
		message: "The 'Signing Secret' in the credential is not the one that the service uses",
		description: SECRET_ADVICE,
	},
	unsigned: {
		message: "The service's sample event came without a signature of 64 hexadecimal digits",
		description:
			"If a proxy in front of n8n drops or changes the header 'X-Service-Signature', let it pass. Otherwise, report this to the provider of the service. The 'Signing Secret' is not the reason: keep it.",
	},
	stale: {
		message: "The service's sample event has no timestamp within 5 minutes of n8n's clock",
		description:
			'Correct the clock of the machine that runs n8n. If it is right, report this to the provider of the service. Until then, every event is rejected.',
	},
};

/** Resolves to whether the service has shown that the secret is right; it may not say. */
async function requireValidSecret(activation: Activation, registration: Registration): Promise<boolean> {
	const { trigger, subscriber } = activation;
	// The cache may hold the secret of before, and would fetch this one only a second after it was refreshed. It is read again,
	// as somebody may have changed it since the activation began.
	const fetchAccess = async () => accessIn(await trigger.credential());
	await secretCache.fetch(credentialIdOf(trigger.node), fetchAccess, clock.elapsed());
	const { result, rejection, sampleId } = await checkSecret(activation, registration);
	const failure = CHECK_FAILURES[result];
	if (failure) throw activationError(trigger, failure);
	if (result === 'unknown') {
		const problem =
			rejection === undefined
				? `did not arrive at ${shownUrl(subscriber.url)}, so only the first event will show whether the service reaches this address and the signing secret is right`
				: `was rejected: ${rejection}. If no event starts the workflow either, report this to the provider of the service`;
		trigger.logger.warn(`${trigger.node.name}: the service's sample event ${problem}`);
	}
	trigger.saved.sampleId = sampleId;
	return result === 'right';
}
