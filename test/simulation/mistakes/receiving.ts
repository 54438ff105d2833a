import { createHmac } from 'node:crypto';

import { changing, wrap, type Mistakes } from './wrap';

/** Mistakes in receiving events, by their names. */
export const RECEIVING: Mistakes = {
	// Combining
	'an event that waits with others is acknowledged before they are stored': [
		'was acknowledged, and',
		changing('trigger/combining/combiner', 'createCombiner', ({ whenBusy }) => ({
			whenBusy: async (...given) => {
				const joined = await whenBusy(...given);
				if ('settle' in joined) joined.settle(true);
				return joined;
			},
		})),
	],
	'refused events of a group stay claimed': [
		'has lost it',
		changing('trigger/combining/combiner', 'createCombiner', ({ whenBusy }) => ({
			whenBusy: async (...given) => {
				const joined = await whenBusy(...given);
				return 'settle' in joined ? { ...joined, settle: () => joined.settle(true) } : joined;
			},
		})),
	],
	// Sharing
	'unpublishing one workflow removes the webhook of all': [
		'is missing',
		wrap('webhook/subscribers', 'withoutSubscriber', () => () => []),
	],
	'publishing takes the webhook although it must not': [
		'the other system is missing',
		wrap('trigger/activation/subscription', 'desiredSubscriptionOf', (original) => (...given) => ({
			...original(...given),
			ifWebhookExists: 'replace',
		})),
	],
	'a workflow that shares drops the other system': [
		'the other system is missing',
		wrap('trigger/activation/joining', 'othersToJoin', (original) => async (...given) => {
			const { others, ...found } = await original(...given);
			return { ...found, others: others.filter(({ kind }) => kind !== 'external') };
		}),
	],
	'events are not forwarded': [
		'has lost it',
		wrap('trigger/delivery/forwardToOthers', 'forwardToOthers', () => (_, delivery) => delivery),
	],
	'a list that nobody has signed is used': [
		'forger',
		wrap('webhook/sharedUrl', 'readSubscribers', (original) => (...given) => {
			const list = original(...given);
			return list && { ...list, isSigned: true };
		}),
	],
	'an event that a subscriber did not take is acknowledged': [
		'has lost it',
		changing('n8n/responseGate', 'createResponseGate', ({ holdFor }) => ({
			holdFor: (others) => holdFor(others.then(() => true)),
		})),
	],
	'another system gets what the service does not send': [
		'the other system got the headers',
		wrap(
			'n8n/httpRequest',
			'post',
			(original) => async (request, options) =>
				await original(request, { ...options, headers: { ...options.headers, 'x-own': '1' } }),
		),
	],
	'a new subscriber takes the place of the others': [
		'is missing',
		wrap('webhook/subscribers', 'withSubscriber', () => (_, added) => [added]),
	],
	'the repair restores nothing': [
		'is missing',
		wrap('trigger/activation/repairLoop', 'startRepairLoop', () => () => () => {}),
	],
	'the service sends the events of the hub only': [
		'its events must be',
		wrap('webhook/subscribers', 'combined', (original) => (subscribers) => ({
			...original(subscribers),
			events: [...(subscribers[0]?.events ?? [])],
		})),
	],
	'the service waits too long for a response': [
		'its timeout must be',
		wrap('webhook/subscribers', 'combined', (original) => (subscribers) => ({
			...original(subscribers),
			timeoutSeconds: 31,
		})),
	],
	'a response waits for ever for the other receivers': [
		'got no response in time',
		changing('n8n/responseGate', 'createResponseGate', ({ holdFor }) => ({
			holdFor: () => holdFor(new Promise(() => {})),
		})),
	],
	'the hub does not wait for the others': [
		'has lost it',
		changing('n8n/responseGate', 'createResponseGate', () => ({ holdFor: () => {} })),
	],
	'a subscriber that is absent for a moment counts as gone': [
		'has lost it',
		wrap('trigger/account/streak', 'isLasting', (original) => (streak) => original(streak, 0)),
	],
	// Activation
	'unpublishing leaves the webhook where it is': [
		'is not published',
		wrap('trigger/activation/activation', 'deactivate', () => async () => await Promise.resolve(true)),
	],
	'every event counts as the sample': [
		'was acknowledged, and',
		changing('trigger/delivery/secrets', 'createSecretChecks', () => ({ isSample: () => true })),
	],
	'an event that comes in place of the sample counts as it': [
		'was acknowledged, and',
		changing('trigger/delivery/secrets', 'createSecretChecks', ({ open }) => {
			const taken = { isNext: false };
			return {
				open(...given) {
					taken.isNext = open(...given) !== undefined;
					return undefined;
				},
				isSample: () => taken.isNext,
			};
		}),
	],
	'two workflows change the webhook at the same time': [
		'is not on the list',
		wrap('trigger/activation/subscription', 'runSerialized', () => async (_, work) => await work()),
	],
	'a change of the webhook never ends': [
		'never ends',
		wrap('trigger/activation/subscription', 'runSerialized', () => async () => await new Promise(() => {})),
	],
	'a start fails while the service is out of reach': [
		'because the service was out of reach',
		wrap(
			'api/networkError',
			'networkError',
			(original) =>
				(...given) =>
					original(...given).with({ httpStatus: 400 }),
		),
	],
	// Delivery
	'no signature is checked': [
		'was taken',
		wrap('trigger/delivery/verify', 'verify', (original) => ({ headers, rawBody }, secret, now) => {
			const signature = createHmac('sha256', secret)
				.update(rawBody ?? '')
				.digest('hex');
			return original({ headers: { ...headers, 'x-service-signature': signature }, rawBody }, secret, now);
		}),
	],
	'a rotated secret is never read again': [
		'was rejected, although',
		changing('trigger/delivery/secrets', 'createSecretCache', ({ get }) => ({ refresh: get })),
	],
	'a secret that was replaced stays valid': [
		'was taken',
		changing('trigger/delivery/secrets', 'createSecretCache', ({ get }) => {
			const first = new Map<string, Awaited<ReturnType<typeof get>>>();
			return {
				async get(id, ...given) {
					const access = first.get(id) ?? (await get(id, ...given));
					first.set(id, access);
					return access;
				},
			};
		}),
	],
	'an event of another account runs': [
		'was filtered out, and ran',
		wrap('trigger/delivery/event', 'eventOf', (original) => (...given) => ({
			...original(...given),
			accountId: undefined,
		})),
	],
	"the account's own messages run": [
		'was filtered out, and ran',
		wrap('trigger/delivery/filter', 'verdictOn', (original) => (event, ...given) => {
			const fromMe = event.type === 'message.received' ? false : event.message.fromMe;
			return original({ ...event, message: { ...event.message, fromMe } }, ...given);
		}),
	],
	'an event counts as accepted before n8n has stored it': [
		'was acknowledged, and',
		changing('n8n/responseGate', 'createResponseGate', () => ({ onAcceptance: (done) => done(true) })),
	],
	'a delivery that cannot be verified is acknowledged': [
		'has lost it',
		wrap('trigger/delivery/verify', 'verify', (original) => (...given) => {
			const result = original(...given);
			return result.verified || result.error === 'invalid_signature'
				? result
				: { ...result, status: 200 as never };
		}),
	],
	// Deduplication
	'copies are not recognised': [
		'ran in executions',
		wrap(
			'trigger/deduplication/inFlightEvents',
			'claimEvent',
			() => async () => await Promise.resolve({ state: 'first' as const, settle: () => {} }),
		),
	],
	'a copy is acknowledged although nobody knows what becomes of the first': [
		'was acknowledged, and',
		wrap(
			'trigger/deduplication/inFlightEvents',
			'claimEvent',
			(original) => async (keys, inFlight, clock, ms) =>
				inFlight.isInFlight(keys) ? { state: 'accepted' } : await original(keys, inFlight, clock, ms),
		),
	],
	'an event is refused although no copy of it is under way': [
		'although no other copy',
		wrap(
			'trigger/deduplication/inFlightEvents',
			'claimEvent',
			() => async () => await Promise.resolve({ state: 'unknown' as const }),
		),
	],
	'a refused event stays claimed': [
		'was acknowledged, and',
		changing('trigger/deduplication/inFlightEvents', 'createInFlightEvents', ({ claim }) => ({
			claim(...given) {
				const attempt = claim(...given);
				return attempt.isNew ? { ...attempt, settle: () => attempt.settle(true) } : attempt;
			},
		})),
	],
	'a delivery claims its event again and again': [
		'does not come to an end',
		changing('trigger/deduplication/inFlightEvents', 'createInFlightEvents', (_, clock) => ({
			claim: (keys) => ({
				isNew: false,
				claim: {
					keys,
					claimedAt: clock.elapsed(),
					wasAccepted: false,
					accepted: Promise.resolve(false),
					ranElsewhere: false,
				},
			}),
		})),
	],
	'an accepted event is forgotten after a second': [
		'ran in executions',
		changing('trigger/deduplication/inFlightEvents', 'createInFlightEvents', ({ claim }) => ({
			claim: (keys) => claim(keys, 1_000),
		})),
	],
	'accepted events are never forgotten': [
		'keeps events of',
		changing('trigger/deduplication/inFlightEvents', 'createInFlightEvents', ({ claim }) => ({
			claim: (keys) => claim(keys, Infinity),
		})),
	],
	'two events about one message count as copies': [
		'has lost it',
		wrap('trigger/delivery/event', 'eventOf', (original) => (...given) => {
			const event = original(...given);
			return { ...event, keys: [`message ${event.message.id}`] };
		}),
	],
	'a replayed delivery with another event ID runs again': [
		'ran in executions',
		wrap('trigger/delivery/event', 'eventOf', (original) => (id, headers, body) => ({
			...original(id, headers, body),
			keys: [`id ${id}`],
		})),
	],
	'a second run of an event is not noticed': [
		'ran in executions',
		wrap('trigger/deduplication/ranBefore', 'isDuplicateRun', () => async () => await Promise.resolve(false)),
	],
	'an event that ran before a restart runs again': [
		'ran in executions',
		changing('trigger/deduplication/ranBefore', 'createProcessedEvents', () => ({
			begin: async () => await Promise.resolve(false),
		})),
	],
	'a run is not recorded': [
		'ran in executions',
		changing('trigger/deduplication/ranBefore', 'createProcessedEvents', () => ({ finish: () => {} })),
	],
	'calls of one process to the row lose keys of each other': [
		'its own process had written',
		wrap(
			'n8n/serialQueue',
			'createPacedQueue',
			() => () => async (work) => await Promise.resolve().then(work),
		),
	],
};
