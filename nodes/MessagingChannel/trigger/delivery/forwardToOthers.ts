import type { IWebhookFunctions } from 'n8n-workflow';

import { CREDENTIAL } from '../../n8n/connect';
import { httpRequestOf } from '../../n8n/httpRequest';
import { createLastingProblems } from '../sharing/lastingProblems';
import { forward, type ForwardResult, type IncomingDelivery } from '../sharing/forward';
import { isSharedHub } from '../sharing/sharedHubs';
import { SUBSCRIBERS_PARAMETER, shownUrl } from '../../webhook/sharedUrl';
import { MAX_TIMEOUT_SECONDS } from '../../webhook/registeredWebhook';
import { combined, withoutExpired, type Subscriber } from '../../webhook/subscribers';
import { areSameUrl } from '../../webhook/url';
import { currentSubscribers } from './currentSubscribers';
import type { ServiceEvent } from './event';
import { isKnownType, isSelected } from './filter';
import { noteAccepted, reportProblem } from './receiverProblem';
import { signingSecretIn } from './secretCache';
import { clock, type TriggerState } from './state';
import type { ThrottledLog } from './throttledLog';
import { within } from './within';

/** The hub must respond before the service gives up. */
const RESPONSE_MARGIN_MS = 1_000;

/** n8n removes and adds the URL of a workflow in seconds, and restarts in minutes. */
const MAX_ABSENCE_MS = 5 * 60_000;

/** A service may wait long before it delivers again. */
const MAX_DELIVERY_GAP_MS = 60 * 60_000;

/** The gap of workflows is short: one that is republished twice is not gone. The repair finds those that get few events. */
const absences = {
	workflow: createLastingProblems(MAX_ABSENCE_MS, 2 * 60_000),
	external: createLastingProblems(MAX_ABSENCE_MS, MAX_DELIVERY_GAP_MS),
};

/** The service delivers again without end to receivers that fail, so the user is told. */
const failures = createLastingProblems(MAX_ABSENCE_MS, MAX_DELIVERY_GAP_MS);

/** When the tests that responded 404 expire, by `testKeyOf`. They are over, so they are not called again. */
const endedTests = new Map<string, number>();

/** A test has the same URL each time, but ends at another time. */
function testKeyOf({ url, expiresAt }: Subscriber): string {
	return `${url} ${expiresAt}`;
}

/** A verified delivery that the hub forwards. */
export interface VerifiedDelivery extends IncomingDelivery {
	event: ServiceEvent;
	/** The secret that verified it. */
	secret: string;
}

/**
 * Forwards a verified delivery to the other subscribers in the URL that the service called. If the service has dropped
 * the list from that URL, it is read from the registered one.
 *
 * @returns whether every subscriber has the event or will never accept it, and never rejects; undefined if there are no
 *   other subscribers
 */
export function forwardToOthers(
	context: IWebhookFunctions,
	delivery: VerifiedDelivery,
	{ log }: Pick<TriggerState, 'log'>,
): Promise<boolean> | undefined {
	const value = (context.getQueryData() as Record<string, unknown>)[SUBSCRIBERS_PARAMETER];
	const ownUrl = context.getNodeWebhookUrl('default') ?? '';
	if (value === undefined && !isSharedHub(ownUrl)) return undefined;
	const startedAt = clock.now();
	return currentSubscribers(context, ownUrl, value, delivery.secret)
		.then(async (subscribers) => {
			// The timeout of another system can be longer than a timer.
			const seconds = Math.min(combined(subscribers).timeoutSeconds, MAX_TIMEOUT_SECONDS);
			const deadline = startedAt + seconds * 1000 - RESPONSE_MARGIN_MS;
			const isTest = context.getMode() === 'manual';
			// n8n gives a test the URL of production here.
			const isSelf = ({ url, kind }: Subscriber) =>
				isTest ? kind === 'test' && endOf(url) === endOf(ownUrl) : areSameUrl(url, ownUrl);
			const others = withoutExpired(subscribers, startedAt).filter(
				(other) => !isSelf(other) && wants(other, delivery.event) && !endedTests.has(testKeyOf(other)),
			);
			const attempts = others.map(async (other): Promise<boolean> => {
				// Another account can share with the same system, which may take the events of one only.
				const key = `${ownUrl} ${other.url}`;
				const wasGone = other.kind === 'test' || absences[other.kind].isLasting(key);
				const attempt = forwardTo(context, delivery, other, { deadline, key, log });
				// The user of a test sees the event or not. Neither a test nor a lost workflow must hold up the others.
				return wasGone || (await attempt);
			});
			return (await Promise.all(attempts)).every(Boolean);
		})
		.catch(() => {
			log.note(
				'An event could not be forwarded, because the list of its receivers could not be read',
				clock.now(),
			);
			return false;
		});
}

/** What the URLs of a trigger in production and in a test have in common. */
const endOf = (url: string) => url.split('/').slice(-2).join('/');

/** A new type of event is nothing for a workflow, but the service would send it to another system. */
function wants({ kind, events }: Subscriber, event: ServiceEvent): boolean {
	return isSelected(event, events) || (kind === 'external' && !isKnownType(event));
}

/**
 * Forwards a delivery to one subscriber.
 *
 * @param key under which its problems are counted
 * @returns whether the service need not deliver it again because of this subscriber
 */
async function forwardTo(
	context: IWebhookFunctions,
	delivery: VerifiedDelivery,
	subscriber: Subscriber,
	{ deadline, key, log }: { deadline: number; key: string; log: ThrottledLog },
): Promise<boolean> {
	const { url, kind } = subscriber;
	const now = clock.now();
	const timeoutMs = Math.max(deadline - now, RESPONSE_MARGIN_MS);
	const { secret } = delivery;
	const options = { request: httpRequestOf(context), secret, timeoutMs, now };
	// n8n's own timeout begins again with every byte.
	const result = await within(timeoutMs, forward(delivery, subscriber, options)).catch(
		(): ForwardResult => 'failed',
	);
	if (kind === 'test') {
		if (result === 'absent') noteEndedTest(subscriber);
		return true;
	}
	if (result === 'absent') absences[kind].note(key, clock.now());
	else absences[kind].end(key);
	if (result === 'failed') failures.note(key, clock.now());
	else failures.end(key);
	if (result === 'accepted') {
		noteAccepted(key);
		return true;
	}
	const isGone = absences[kind].isLasting(key);
	log.note(
		`An event could not be forwarded to ${shownUrl(url)}: ${REASONS[isGone ? 'gone' : result]}`,
		clock.now(),
	);
	if (result === 'refused' || (isGone && kind === 'external'))
		reportProblem(context, url, kind === 'external' ? 'refuses' : 'blocked', {
			key,
			secret,
			isLasting: isGone,
		});
	if (failures.isLasting(key)) reportProblem(context, url, 'fails', { key, secret, isLasting: true });
	// After a rotation, the trigger that refuses may already have the new secret, which signs the redelivery.
	if (result === 'unverified') return await isCurrentSecret(context, secret);
	return result === 'refused' || isGone;
}

function noteEndedTest(test: Subscriber): void {
	const now = clock.now() / 1000;
	for (const [key, expiresAt] of endedTests) if (now > expiresAt) endedTests.delete(key);
	endedTests.set(testKeyOf(test), test.expiresAt ?? now);
}

/** Whether a secret is still the one in the credential; false if that cannot be read. */
async function isCurrentSecret(context: IWebhookFunctions, secret: string): Promise<boolean> {
	return await context.getCredentials(CREDENTIAL).then(
		(credential) => signingSecretIn(credential) === secret,
		() => false,
	);
}

const REASONS = {
	refused: 'it refuses the event',
	unverified: 'it refuses the event',
	absent: 'nothing responds there, so the service sends the event again',
	failed: 'it did not accept the event, so the service sends the event again',
	gone: 'nothing has responded there for five minutes, so the service no longer sends events again because of it',
};
