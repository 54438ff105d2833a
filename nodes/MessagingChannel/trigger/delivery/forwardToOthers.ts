import { hash } from 'crypto';

import { unixTimeOf } from '../../api/clock';
import { MAX_TIMEOUT_SECONDS, readRegisteredWebhook } from '../../webhook/registeredWebhook';
import { readSubscribers, shownUrl, subscribersIn } from '../../webhook/sharedUrl';
import { combined, withoutExpired, type Subscriber, type Subscribers } from '../../webhook/subscribers';
import { areSameUrl, normalUrl } from '../../webhook/url';
import type { Account } from '../account/account';
import { clock, withTimeout } from '../account/clock';
import type { Receiver } from '../account/receiver';
import { SHARED_RETENTION_MS } from '../deduplication/inFlightEvents';
import { forward, sendInternal, type ForwardResult, type IncomingDelivery } from '../sharing/forward';
import type { Door } from './door';
import type { ServiceEvent } from './event';
import { isKnownType, isSelected } from './filter';
import { receiverReport, reportItem } from './reports';
import { signingSecretIn } from './secrets';

/** How long a delivery waits for the list that the service has. n8n waits minutes for a service that does not respond. */
const LIST_TIMEOUT_MS = 10_000;

const REPORT_TIMEOUT_MS = 10_000;

/** The hub must respond before the service gives up. */
const RESPONSE_MARGIN_MS = 1_000;

/** A delivery with an event that is the trigger's to take or to drop. */
export interface VerifiedDelivery extends IncomingDelivery {
	event: ServiceEvent;
	/** When the service says that it made it, in ISO 8601. */
	deliveredAt: string;
	/** The secret that verified it. */
	secret: string;
	/** The account of that secret. */
	account: Account;
	/** Whether other receivers may make the service deliver it again. */
	isShared: boolean;
}

/**
 * Forwards a delivery of the service to the other subscribers in the URL that was called. If the service has dropped the list
 * from that URL, it is read from the registered one. Each of them filters and deduplicates by itself, so it gets what is dropped
 * here, too. The response waits for them.
 */
export function forwardToOthers(door: Door, delivery: VerifiedDelivery): VerifiedDelivery {
	door.gate.holdFor(haveOthers(door, delivery));
	return { ...delivery, isShared: true };
}

/** Whether every other subscriber has the event or will never accept it. Never rejects. */
async function haveOthers(door: Door, delivery: VerifiedDelivery): Promise<boolean> {
	const { ownUrl, isTest } = door;
	const { account, event, rawBody } = delivery;
	const startedAt = clock.elapsed();
	// n8n gives a test the URL of production here.
	const isSelf = ({ url, kind }: Subscriber) =>
		isTest ? kind === 'test' && idOf(url) === idOf(ownUrl) : areSameUrl(url, ownUrl);
	try {
		const subscribers = await currentSubscribers(door, delivery);
		// The timeout of another system can be longer than a timer.
		const seconds = Math.min(combined(subscribers).timeoutSeconds, MAX_TIMEOUT_SECONDS);
		const deadline = startedAt + seconds * 1000 - RESPONSE_MARGIN_MS;
		const others = withoutExpired(subscribers, clock.now()).filter(
			(other) => !isSelf(other) && wants(other, event),
		);
		// The ID is not signed: with a replayed body, anybody could name one that is still to come.
		const eventKey = `${event.id} ${hash('sha256', rawBody)}`;
		const attempts = others.map(async (other): Promise<boolean> => {
			// The user of a test sees the event or not. Neither a test nor a lost workflow must hold up the others.
			const mustWait = other.kind !== 'test' && !account.receiver(other).isMissing();
			const attempt = forwardOnce(eventKey, door, delivery, other, deadline);
			return !mustWait || (await attempt);
		});
		return (await Promise.all(attempts)).every(Boolean);
	} catch (error) {
		const reason = error instanceof RegisteredElsewhere ? error.message : UNREADABLE_LIST;
		door.state.log(`An event could not be forwarded, because ${reason}`);
		return false;
	}
}

const UNREADABLE_LIST = 'the list of its receivers could not be read';

/** Another process or another n8n builds another URL of the trigger. */
class RegisteredElsewhere extends Error {
	constructor(url: string, ownUrl: string) {
		super(
			`its trigger is registered at ${shownUrl(url)}, and its URL in this process is ${shownUrl(ownUrl)}. Give all processes of n8n the same N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n)`,
		);
	}
}

/**
 * The list in the URL that was called, if it is signed. After a change of the secret, or if the URL has lost it, the list that the
 * service has.
 *
 * @throws ApiError if that list cannot be read; Error if that takes too long, or it does not count
 */
async function currentSubscribers(
	{ ownUrl, query, isTest, connect }: Door,
	{ account, secret }: VerifiedDelivery,
): Promise<Subscribers> {
	const list = readSubscribers(ownUrl, query.subscribers, secret);
	if (list?.isSigned) return list.subscribers;
	const read = async () => await readRegisteredWebhook(await connect());
	const reading = account.webhook.forList(query.subscribers, read, clock.elapsed());
	const found = await withTimeout(LIST_TIMEOUT_MS, reading);
	// The list that was delivered is forged, or newer than what was read.
	if (!found) throw new Error();
	const { webhook } = found;
	const registered = webhook && subscribersIn(webhook.url, secret)?.subscribers;
	const named = registered ?? (webhook ? [webhook] : []);
	// Another system has the webhook by now, and nobody knows who was on the list. A test may have just given it back.
	if (isTest && webhook && !registered) throw new Error();
	// A test is not named by the URL of production.
	if (!isTest && !named.some(({ url }) => areSameUrl(url, ownUrl))) {
		const same = named.find(({ url }) => idOf(url) === idOf(ownUrl));
		throw same ? new RegisteredElsewhere(same.url, ownUrl) : new Error();
	}
	return registered ?? [];
}

/** The ID that the URLs of a trigger in production and in a test have in common. */
const idOf = (url: string) => url.split('/').at(-2);

/** A new type of event is nothing for a workflow, but the service would send it to another system. */
function wants({ kind, events }: Subscriber, event: ServiceEvent): boolean {
	return isSelected(event, events) || (kind === 'external' && !isKnownType(event));
}

/** Forwards an event to a subscriber that does not have it: another system may pass its copies on to this trigger. */
async function forwardOnce(
	eventKey: string,
	...[door, delivery, subscriber, deadline]: Parameters<typeof forwardTo>
): Promise<boolean> {
	const key = `${eventKey} ${subscriber.kind} ${normalUrl(subscriber.url)}`;
	const deliveryKey = `${key} ${delivery.deliveredAt}`;
	const attempt = door.state.forwarded.claim([key, deliveryKey], SHARED_RETENTION_MS);
	if (attempt.isNew) {
		const outcome = await forwardTo(door, delivery, subscriber, deadline);
		attempt.settle(outcome === 'accepted');
		return outcome !== 'again';
	}
	// A copy from another system comes without the list, and must not wait for the system that waits for its response.
	const mayBeCopy = subscriber.kind === 'external' && door.query.subscribers === undefined;
	return (mayBeCopy && attempt.claim.keys.includes(deliveryKey)) || (await attempt.claim.accepted);
}

/**
 * Forwards a delivery to one subscriber.
 *
 * @param deadline when the service must have its response, by `clock.elapsed`
 * @returns `final` if the subscriber does not accept it, and the service need not deliver it `again` all the same
 */
async function forwardTo(
	door: Door,
	delivery: VerifiedDelivery,
	subscriber: Subscriber,
	deadline: number,
): Promise<'accepted' | 'final' | 'again'> {
	const { url, kind } = subscriber;
	const { account, event, secret } = delivery;
	const timeoutMs = Math.max(deadline - clock.elapsed(), RESPONSE_MARGIN_MS);
	const options = { request: door.request, secret, timeoutMs, now: clock.now() };
	// n8n's own timeout begins again with every byte.
	const result = await withTimeout(timeoutMs, forward(delivery, subscriber, options)).catch(
		(): ForwardResult => 'failed',
	);
	if (kind === 'test') return 'final';
	const receiver = account.receiver(subscriber);
	receiver.noteEvent(event.id, result, clock.elapsed());
	if (result === 'accepted') return 'accepted';
	const isMissing = receiver.isMissing();
	door.state.log(
		`An event could not be forwarded to ${shownUrl(url)}: ${REASONS[isMissing ? 'missing' : result]}`,
	);
	reportTrouble(door, { url, receiver, secret }, result);
	// After a rotation, the trigger that refuses may already have the new secret, which signs the redelivery.
	const isFinal =
		result === 'unverified' ? await isCurrentSecret(door, secret) : result === 'refused' || isMissing;
	return isFinal ? 'final' : 'again';
}

/** Whether a secret is still the one in the credential; false if that cannot be read. */
async function isCurrentSecret({ credential }: Door, secret: string): Promise<boolean> {
	return await credential().then(
		(current) => signingSecretIn(current) === secret,
		() => false,
	);
}

const REASONS = {
	refused: 'it refuses the event',
	unverified: 'it refuses the event',
	absent: 'nothing responds there, so the service sends the event again',
	failed: 'it did not accept the event, so the service sends the event again',
	missing:
		'nothing has responded there for five minutes, so the service no longer sends events again because of it',
};

/** Starts an execution that fails and says who does not accept the events, if the user should be told now. */
function reportTrouble(
	{ request, ownUrl, isTest }: Door,
	{ url, receiver, secret }: { url: string; receiver: Receiver; secret: string },
	result: ForwardResult,
): void {
	const found = isTest ? undefined : receiver.takeTrouble(result, clock.elapsed());
	if (!found) return;
	const report = receiverReport(found.trouble, shownUrl(url), unixTimeOf(found.since, clock));
	const options = { request, secret, timeoutMs: REPORT_TIMEOUT_MS, now: clock.now() };
	// The response to the event cannot start one more execution.
	void sendInternal('report', ownUrl, reportItem(report).json, options).then((response) => {
		// A proxy that refuses the events may refuse the report, too.
		const hasArrived = response?.isFromTrigger === true && response.statusCode < 300;
		if (!hasArrived) receiver.forgetReport();
	});
}
