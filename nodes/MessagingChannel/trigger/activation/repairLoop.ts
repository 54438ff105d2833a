import { NodeApiError, type ITriggerFunctions } from 'n8n-workflow';

import { isRecent } from '../../api/clock';
import { messageOf } from '../../api/errors';
import { repeat, startInBackground, type Loop } from '../../n8n/backgroundLoop';
import { CREDENTIAL } from '../../n8n/connect';
import { httpRequestOf } from '../../n8n/httpRequest';
import { accountDigestIn } from '../../api/authentication';
import { savedStateOf } from '../delivery/savedState';
import { signingSecretIn } from '../delivery/secretCache';
import { clock, flushChats, secretChecks } from '../delivery/state';
import { createLastingProblems, type LastingProblems } from '../sharing/lastingProblems';
import { isProvenDead } from '../sharing/deadUrl';
import { sendInternal } from '../sharing/forward';
import { noteWebhookUrl } from '../sharing/sharedHubs';
import { subscribersIn } from '../../webhook/sharedUrl';
import {
	areSame,
	combined,
	haveSameSettings,
	subscriberAt,
	type Subscriber,
} from '../../webhook/subscribers';
import { areSameUrl } from '../../webhook/url';
import { areOfOneN8n } from '../../webhook/triggerUrl';
import { readWebhookState, type WebhookState } from '../../webhook/webhookState';
import { reportFormerAccount } from './formerAccount';
import { connectWithoutRetries, repair } from './repair';
import { desiredSubscriberOf } from './subscription';
import { isCheckDue, takeOver } from './takeover';

/** When the webhook is checked first: n8n may still be activating other workflows. */
const FIRST_CHECK_MS = 60_000;
const CHECK_INTERVAL_MS = 5 * 60_000;

/** All triggers of an account share what is read of its webhook, so this is also the most requests that they make. */
const STATE_TTL_MS = 60_000;

/** How long a subscriber may take to say that it is there. */
const PING_TIMEOUT_MS = 10_000;

/** A workflow of this n8n is back within seconds. Another n8n may restart for minutes. */
const OWN_MAX_ABSENCE_MS = 45_000;
const OTHER_MAX_ABSENCE_MS = 5 * 60_000;

/** A check that finds a subscriber missing is repeated after a minute, or after five if a request to change the webhook failed. */
const MAX_GAP_MS = CHECK_INTERVAL_MS + 60_000;

const ownAbsences = createLastingProblems(OWN_MAX_ABSENCE_MS, MAX_GAP_MS);
const otherAbsences = createLastingProblems(OTHER_MAX_ABSENCE_MS, MAX_GAP_MS);

/** The workflows that cannot forward events: they cannot read their credential, or another n8n does not respond. */
const silences = createLastingProblems(OTHER_MAX_ABSENCE_MS, MAX_GAP_MS);

/** The hubs with another secret than a trigger, by the URLs of both. It may be the one that is wrong. */
const otherSecrets = createLastingProblems(OTHER_MAX_ABSENCE_MS, MAX_GAP_MS);

/** The webhooks of the accounts, by account. */
const webhookStates = new Map<string, { readAt: number; ttlMs: number; state: Promise<WebhookState> }>();

/**
 * What the service had before a repair that no check has found to work yet, by the URL of the trigger. A service may limit
 * the timeout, and then no repair works.
 */
const unprovenRepairs = new Map<string, string>();

/**
 * Keeps the subscription of a published trigger in order until n8n ends it. n8n calls this on the leader, when the workflow is
 * published and at each start. A failure of n8n to remove a trigger would otherwise leave the other workflows of the
 * account without events.
 *
 * @returns ends it
 */
export function startRepairLoop(context: ITriggerFunctions): () => void {
	const loop: Loop = {
		clock,
		firstPauseMs: FIRST_CHECK_MS,
		failurePauseMs: FIRST_CHECK_MS,
		failure: 'the webhook could not be repaired:',
		pass: async () => {
			const { isSettled, problem } = await checkAndRepair(context);
			return { pauseMs: isSettled ? CHECK_INTERVAL_MS : FIRST_CHECK_MS, problem };
		},
	};
	const stop = startInBackground(context, 'repair', async (stopped) => await repeat(context, loop, stopped));
	return () => {
		stop();
		flushChats(context);
	};
}

/** How a check ended. */
interface CheckResult {
	/** Whether the next check can wait. It cannot while it is open whether a subscriber is gone, or a repair works. */
	isSettled?: boolean;
	problem?: string;
}

/** Checks the webhook, and repairs what is wrong. */
async function checkAndRepair(context: ITriggerFunctions): Promise<CheckResult> {
	const { webhookUrl: url } = savedStateOf(context);
	const credential = await context.getCredentials(CREDENTIAL);
	const secret = signingSecretIn(credential);
	if (url === undefined || secret === '') return { isSettled: true };
	// The next check asks again.
	await reportFormerAccount(context, async () => await connectWithoutRetries(context), credential).catch(
		() => undefined,
	);
	const account = accountDigestIn(credential);
	const state = await sharedState(
		account,
		async () => await readWebhookState(await connectWithoutRetries(context), secret, clock.now()),
	);
	if (state.registered) noteWebhookUrl(state.registered.url);

	// The hub checks the others, and they check the hub.
	const [hub] = state.subscribers;
	const isHub = hub !== undefined && areSameUrl(hub.url, url);
	const watched = (isHub ? state.subscribers : [hub]).filter(
		(each): each is Subscriber => each?.kind === 'workflow' && !areSameUrl(each.url, url),
	);
	const responses = await Promise.all(
		watched.map(async (other) => await ping(context, other, { ownUrl: url, secret, isList: state.isList })),
	);
	const arePresent = responses.every(({ isPresent }) => isPresent);

	const isInDoubt =
		responses.some(({ hasOtherSecret }) => hasOtherSecret) &&
		!secretChecks.wasVerified(savedStateOf(context).accountId, secret, clock.now());
	// Two triggers with different secrets would sign the list in turns.
	if (isInDoubt && isHub && !state.isSigned) return { isSettled: arePresent };
	const mayTakeOver =
		isInDoubt && !isHub && subscriberAt(state.subscribers, url) !== undefined && isCheckDue(account, secret);
	const hubToReplace = mayTakeOver && hub && otherSecrets.isLasting(`${url} ${hub.url}`) ? hub : undefined;
	const isGone = (other: Subscriber) => absencesOf(other, url).isLasting(other.url);
	const isSilent = ({ url: hubUrl }: Subscriber) => silences.isLasting(hubUrl);
	if (
		!hubToReplace &&
		!watched.some((each) => isGone(each) || (each === hub && isSilent(each))) &&
		isInOrder(state, desiredSubscriberOf(context, url, credential), secret)
	) {
		unprovenRepairs.delete(url);
		return { isSettled: arePresent && !mayTakeOver };
	}
	const latestState = async () => await webhookStates.get(account)?.state;
	const work = async () =>
		hubToReplace
			? await takeOver(context, url, hubToReplace.url)
			: await repair(context, url, { latestState, isGone, isSilent });
	return await makeRepair(context, work, { url, account, registered: state.registered });
}

/**
 * Makes a repair of a trigger.
 *
 * @param work resolves to whether the webhook was changed
 * @param registered the webhook before
 */
async function makeRepair(
	context: ITriggerFunctions,
	work: () => Promise<boolean>,
	{ url, account, registered }: Pick<WebhookState, 'registered'> & { url: string; account: string },
): Promise<CheckResult> {
	try {
		const isRepaired = await work();
		webhookStates.delete(account);
		if (!isRepaired) return {};
		const found = JSON.stringify({ ...registered, since: undefined });
		const isSameAgain = unprovenRepairs.get(url) === found;
		unprovenRepairs.set(url, found);
		if (isSameAgain) return { isSettled: true };
		context.logger.info(`${context.getNode().name}: the account's webhook was repaired`);
	} catch (error) {
		if (!(error instanceof NodeApiError)) return { problem: messageOf(error) };
		// A request failed. The other triggers of the account do not try the same until the next check.
		rememberState(account, Promise.reject<WebhookState>(error), CHECK_INTERVAL_MS);
		return { isSettled: true, problem: messageOf(error) };
	}
	return {};
}

/** The account's webhook, read at most once a minute for all triggers, even if that fails. */
async function sharedState(account: string, read: () => Promise<WebhookState>): Promise<WebhookState> {
	const known = webhookStates.get(account);
	if (known && isRecent(known.readAt, known.ttlMs, clock.now())) return await known.state;
	const state = read();
	rememberState(account, state, STATE_TTL_MS);
	return await state;
}

function rememberState(account: string, state: Promise<WebhookState>, ttlMs: number): void {
	webhookStates.set(account, { readAt: clock.now(), ttlMs, state });
	// The next reader gets the error.
	state.catch(() => undefined);
}

/** Whether a trigger is among the subscribers, and, if it is the hub, the service has what all of them need. */
function isInOrder(
	{ registered, subscribers, isSigned }: WebhookState,
	wanted: Subscriber,
	secret: string,
): boolean {
	const own = subscriberAt(subscribers, wanted.url);
	if (!registered || !own || !areSame([own], [wanted])) return false;
	if (own !== subscribers[0]) return true;
	const list = subscribersIn(registered.url, secret);
	return (
		(list === undefined || (isSigned && areSame(list.subscribers, subscribers))) &&
		// What cannot be known is registered when the workflow is published, not again with each check.
		(registered.hasUnknownEvents || haveSameSettings(registered, combined(subscribers)))
	);
}

/** The absences of a subscriber, which may be longer in another n8n. */
function absencesOf({ url }: Subscriber, ownUrl: string): LastingProblems {
	return areOfOneN8n(url, ownUrl) ? ownAbsences : otherAbsences;
}

/** What a subscriber responds: whether it is there, and whether its secret is another one. */
async function ping(
	context: ITriggerFunctions,
	subscriber: Subscriber,
	{ ownUrl, secret, isList }: { ownUrl: string; secret: string } & Pick<WebhookState, 'isList'>,
): Promise<{ isPresent: boolean; hasOtherSecret: boolean }> {
	const { url } = subscriber;
	const absences = absencesOf(subscriber, ownUrl);
	const now = clock.now();
	const options = { request: httpRequestOf(context), secret, timeoutMs: PING_TIMEOUT_MS, now };
	const response = await sendInternal('reach', url, {}, options);
	const isAbsent = response?.statusCode === 404;
	// Without a list, another system may be there, which is down.
	if (isAbsent && (isList || isProvenDead(url, response))) absences.note(url, now);
	else absences.end(url);
	const isFromTrigger = response?.isFromTrigger === true;
	// Without a response, the URL of this n8n may be out of its own reach only.
	const isSilent = isFromTrigger ? response.statusCode >= 500 : !areOfOneN8n(url, ownUrl) && !isAbsent;
	if (isSilent) silences.note(url, now);
	else silences.end(url);
	const hasOtherSecret = isFromTrigger && response.statusCode === 401;
	const pair = `${ownUrl} ${url}`;
	if (hasOtherSecret) otherSecrets.note(pair, now);
	else otherSecrets.end(pair);
	return { isPresent: !isAbsent && !isSilent, hasOtherSecret };
}
