import { areSameUrl } from './url';

/** The configuration of an account's webhook (API spec, "Webhooks"). */
export interface Registration {
	url: string;
	events: readonly string[];
	timeoutSeconds: number;
}

/** A receiver of the account's events: an absolute URL, and the events and the timeout that it needs. */
export interface Subscriber extends Registration {
	/** A published workflow, a workflow that listens for a test event, or another system. */
	kind: 'workflow' | 'test' | 'external';
	/** Unix time in seconds after which n8n has ended a test. Set only for tests. */
	expiresAt?: number;
	/** Shows which credentials it takes answers for. Set only for a workflow that hands replies to waiting questions. */
	answerTag?: string;
}

/** All receivers of an account's events. The service calls the first one, the hub, which forwards to the others. */
export type Subscribers = readonly Subscriber[];

/** A test or another system is the hub only if there is nothing else: a test ends, and another system forwards nothing. */
const HUB_ORDER: ReadonlyArray<Subscriber['kind']> = ['workflow', 'test', 'external'];

/**
 * Adds a subscriber, or updates the one with its URL. The hub stays the same if it can. A test comes before other tests:
 * n8n may have ended those without removing them, and one of them would be the hub if there is no workflow.
 */
export function withSubscriber(subscribers: Subscribers, added: Subscriber): Subscribers {
	if (added.kind === 'test') return inHubOrder([added, ...withoutSubscriber(subscribers, added.url)]);
	const isKnown = subscribers.some(({ url }) => areSameUrl(url, added.url));
	return inHubOrder(
		isKnown
			? subscribers.map((each) => (areSameUrl(each.url, added.url) ? added : each))
			: [...subscribers, added],
	);
}

/** Removes the subscriber with a URL, if there is one. The next one becomes the hub if the hub is removed. */
export function withoutSubscriber(subscribers: Subscribers, url: string): Subscribers {
	return inHubOrder(subscribers.filter((each) => !areSameUrl(each.url, url)));
}

/**
 * Removes the tests that n8n has ended without removing them, as after a crash.
 *
 * @param now Unix time in milliseconds
 */
export function withoutExpired(subscribers: Subscribers, now: number): Subscribers {
	return inHubOrder(subscribers.filter(({ expiresAt }) => !(now / 1000 > (expiresAt ?? Infinity))));
}

function inHubOrder(subscribers: Subscribers): Subscribers {
	return HUB_ORDER.flatMap((kind) => subscribers.filter((each) => each.kind === kind));
}

/** What the service must send so that every subscriber gets its events: all their events, and the longest timeout. */
export function combined(subscribers: Subscribers): Omit<Registration, 'url'> {
	return {
		events: [...new Set(subscribers.flatMap(({ events }) => events))].sort(),
		timeoutSeconds: Math.max(...subscribers.map(({ timeoutSeconds }) => timeoutSeconds)),
	};
}

/** The subscriber with a URL. */
export function subscriberAt(subscribers: Subscribers, url: string): Subscriber | undefined {
	return subscribers.find((subscriber) => areSameUrl(subscriber.url, url));
}

/** Whether two lists name the same receivers with the same settings, in the same order. */
export function areSame(one: Subscribers, other: Subscribers): boolean {
	return one.length === other.length && one.every((each, index) => isSame(each, other[index] as Subscriber));
}

function isSame(one: Subscriber, other: Subscriber): boolean {
	return (
		areSameUrl(one.url, other.url) &&
		one.kind === other.kind &&
		one.expiresAt === other.expiresAt &&
		one.answerTag === other.answerTag &&
		haveSameSettings(one, other)
	);
}

/** What a receiver needs, without its URL. */
type Settings = Omit<Registration, 'url'>;

/** Whether two receivers need the same events and the same timeout. */
export function haveSameSettings(one: Settings, other: Settings): boolean {
	const sorted = ({ events }: Settings) => [...events].sort().join();
	return one.timeoutSeconds === other.timeoutSeconds && sorted(one) === sorted(other);
}
