import { NodeApiError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

import { messageOf } from '../../api/errors';
import { repeat, startInBackground, type Loop } from '../../n8n/backgroundLoop';
import type { HttpRequest } from '../../n8n/httpRequest';
import { readRegisteredWebhook } from '../../webhook/registeredWebhook';
import { subscribersIn } from '../../webhook/sharedUrl';
import {
	areSame,
	combined,
	haveSameSettings,
	subscriberAt,
	type Subscriber,
} from '../../webhook/subscribers';
import { areOfOneN8n } from '../../webhook/triggerUrl';
import { areSameUrl } from '../../webhook/url';
import { webhookStateOf, type WebhookState } from '../../webhook/webhookState';
import { accountIn, type Account } from '../account/account';
import { atCheck } from '../account/decisions';
import type { Presence } from '../account/receiver';
import { clock } from '../account/clock';
import { flushGroups } from '../delivery/state';
import { signingSecretIn } from '../delivery/secrets';
import type { PublishedTrigger } from '../delivery/trigger';
import { isProvenDead } from '../sharing/deadUrl';
import { sendInternal } from '../sharing/forward';
import { connectWithoutRetries, isGone, repair } from './repair';
import { desiredSubscriberOf } from './subscription';

/** When the webhook is checked first: n8n may still be activating other workflows. */
const FIRST_CHECK_MS = 60_000;
const CHECK_INTERVAL_MS = 5 * 60_000;

/** How long a subscriber may take to say that it is there. */
const PING_TIMEOUT_MS = 10_000;

const OTHER_SECRET =
	"The trigger that receives the events has another 'Signing Secret'. Give all credentials of this account the same 'Signing Secret'";

const UNDONE =
	'What n8n sets is not there at the next look. Find out which other program sets the webhook of this account, or report this to the provider of the service';

/**
 * Keeps the subscription of a published trigger in order until n8n ends it. n8n calls this on the leader, when the workflow is
 * published and at each start. A failure of n8n to remove a trigger would otherwise leave the other workflows of the
 * account without events.
 *
 * @returns ends it
 */
export function startRepairLoop(trigger: PublishedTrigger): () => void {
	const repairs: Repairs = {};
	let account: Account | undefined;
	const loop: Loop = {
		clock,
		firstPauseMs: FIRST_CHECK_MS,
		failurePauseMs: FIRST_CHECK_MS,
		failure: 'the webhook could not be repaired:',
		details: () => account?.describe(clock.elapsed()),
		pass: async () => {
			const credential = await trigger.credential();
			account = accountIn(credential);
			const { isSettled, problem } = await checkAndRepair(trigger, credential, repairs);
			return { pauseMs: isSettled ? CHECK_INTERVAL_MS : FIRST_CHECK_MS, problem };
		},
	};
	const stop = startInBackground(trigger, 'repair', async (stopped) => await repeat(trigger, loop, stopped));
	return () => {
		stop();
		flushGroups(trigger);
	};
}

/** What the service had before the latest repair, while no check has found it to work. A service may limit the timeout, and then none works. */
interface Repairs {
	unproven?: string;
}

/** How a check ended. */
interface CheckResult {
	/** Whether the next check can wait. It cannot while it is open whether a subscriber is gone, or a repair works. */
	isSettled?: boolean;
	problem?: string;
}

/** Checks the webhook, and repairs what is wrong. */
async function checkAndRepair(
	trigger: PublishedTrigger,
	credential: ICredentialDataDecryptedObject,
	repairs: Repairs,
): Promise<CheckResult> {
	const { webhookUrl: url, accountId } = trigger.saved;
	const account = accountIn(credential);
	const secret = signingSecretIn(credential);
	if (url === undefined || secret === '') return { isSettled: true };
	const read = async () => await readRegisteredWebhook(await connectWithoutRetries(trigger));
	const state = webhookStateOf(await account.webhook.recent(read, clock.elapsed()), secret, clock.now());

	// The hub checks the others, and they check the hub.
	const [hub] = state.subscribers;
	const isHub = hub !== undefined && areSameUrl(hub.url, url);
	const watched = (isHub ? state.subscribers : [hub]).filter(
		(each): each is Subscriber => each?.kind === 'workflow' && !areSameUrl(each.url, url),
	);
	const ask = { request: trigger.request, account, ownUrl: url, secret, isList: state.isList };
	const responses = await Promise.all(watched.map(async (other) => await ping(other, ask)));
	const isInDoubt =
		responses.some(({ hasOtherSecret }) => hasOtherSecret) &&
		!account.isProven(accountId, secret, clock.elapsed());
	const action = atCheck({
		isHub,
		isSigned: state.isSigned,
		isInDoubt,
		isReceiverGone: watched.some((each) => isGone(account, each, url)),
		isHubSilent: !isHub && hub !== undefined && account.receiver(hub).isSilent(),
		isInOrder: isInOrder(state, desiredSubscriberOf(trigger, url, credential), secret),
	});
	if (action === 'repair') return await makeRepair(trigger, { url, account, state, repairs });
	if (!isInDoubt) delete repairs.unproven;
	return {
		isSettled: responses.every(({ isPresent }) => isPresent),
		...(isInDoubt && !isHub && { problem: OTHER_SECRET }),
	};
}

/** Makes a repair of a trigger. */
async function makeRepair(
	trigger: PublishedTrigger,
	{ url, account, state, repairs }: { url: string; account: Account; state: WebhookState; repairs: Repairs },
): Promise<CheckResult> {
	try {
		const isRepaired = await repair(trigger, url);
		account.webhook.forget();
		if (!isRepaired) return {};
		const found = JSON.stringify({ ...state.registered, since: undefined });
		const isSameAgain = repairs.unproven === found;
		repairs.unproven = found;
		if (isSameAgain)
			return { isSettled: true, problem: subscriberAt(state.subscribers, url) ? undefined : UNDONE };
		trigger.logger.info(`${trigger.node.name}: the account's webhook was repaired`);
	} catch (error) {
		// If a request failed, no trigger of the account makes another for a while.
		if (error instanceof NodeApiError) account.webhook.keepFailure(error, CHECK_INTERVAL_MS, clock.elapsed());
		return { problem: messageOf(error) };
	}
	return {};
}

/** Whether a trigger is among the subscribers, and, if it is the hub, the service has what all of them need. */
function isInOrder(
	{ registered, subscribers, isSigned }: WebhookState,
	wanted: Subscriber,
	secret: string,
): boolean {
	const own = subscriberAt(subscribers, wanted.url);
	if (!registered || !own) return false;
	const list = subscribersIn(registered.url, secret);
	// What cannot be known is registered when the workflow is published, not again with each check.
	const events = list === undefined && registered.hasUnknownEvents ? own.events : wanted.events;
	if (!areSame([own], [{ ...wanted, events }])) return false;
	if (own !== subscribers[0] || list === undefined) return true;
	return (
		isSigned &&
		areSame(list.subscribers, subscribers) &&
		(registered.hasUnknownEvents || haveSameSettings(registered, combined(subscribers)))
	);
}

/** What a trigger asks another one with. */
interface Ask {
	request: HttpRequest;
	account: Account;
	ownUrl: string;
	secret: string;
	/** Whether the webhook's URL holds a list. */
	isList: boolean;
}

/** What a subscriber responds: whether it is there, and whether its secret is another one. */
async function ping(
	subscriber: Subscriber,
	{ request, account, ownUrl, secret, isList }: Ask,
): Promise<{ isPresent: boolean; hasOtherSecret: boolean }> {
	const { url } = subscriber;
	const options = { request, secret, timeoutMs: PING_TIMEOUT_MS, now: clock.now() };
	const response = await sendInternal('reach', url, {}, options);
	const isAbsent = response?.statusCode === 404;
	const isFromTrigger = response?.isFromTrigger === true;
	// Without a response, the URL of this n8n may be out of its own reach only.
	const isSilent = isFromTrigger ? response.statusCode >= 500 : !areOfOneN8n(url, ownUrl) && !isAbsent;
	// Without a list, another system may be there, which is down.
	const isKnownAbsent = isAbsent && (isList || isProvenDead(url, response));
	const presence: Presence = isKnownAbsent ? 'absent' : isSilent ? 'silent' : 'present';
	account.receiver(subscriber).noteAnswer(presence, clock.elapsed());
	const hasOtherSecret = isFromTrigger && response.statusCode === 401;
	return { isPresent: !isAbsent && !isSilent, hasOtherSecret };
}
