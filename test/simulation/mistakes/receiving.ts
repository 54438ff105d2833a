import { createHmac } from 'node:crypto';

import { changeInput, changeMethods, changeOutput, replace, stub, type Mistakes } from './wrap';

const COMBINER = ['trigger/combining/combiner', 'createCombiner'] as const;
const RESPONSE = ['n8n/responseGate', 'createResponseGate'] as const;
const CLAIM = ['trigger/deduplication/inFlightEvents', 'claimEvent'] as const;
const IN_FLIGHT = ['trigger/deduplication/inFlightEvents', 'createInFlightEvents'] as const;

/** Mistakes in receiving events, by their names. */
export const RECEIVING: Mistakes = {
	// Combining
	'an event that waits with others is acknowledged before they are stored': [
		'was acknowledged, and',
		changeMethods(...COMBINER, ({ whenBusy }) => ({
			whenBusy: async (...given) => {
				const joined = await whenBusy(...given);
				if ('settle' in joined) joined.settle(true);
				return joined;
			},
		})),
	],
	'refused events of a group stay claimed': [
		'has lost it',
		changeMethods(...COMBINER, ({ whenBusy }) => ({
			whenBusy: async (...given) => {
				const joined = await whenBusy(...given);
				return 'settle' in joined ? { ...joined, settle: () => joined.settle(true) } : joined;
			},
		})),
	],
	// Sharing
	'unpublishing one workflow removes the webhook of all': [
		'is missing',
		stub('webhook/subscribers', 'withoutSubscriber', []),
	],
	'publishing takes the webhook although it must not': [
		'the other system is missing',
		changeOutput('trigger/activation/subscription', 'desiredSubscriptionOf', (desired) => ({
			...desired,
			ifWebhookExists: 'replace' as const,
		})),
	],
	'a workflow that shares drops the other system': [
		'the other system is missing',
		changeOutput('trigger/activation/joining', 'othersToJoin', ({ others, ...found }) => ({
			...found,
			others: others.filter(({ kind }) => kind !== 'external'),
		})),
	],
	'events are not forwarded': [
		'has lost it',
		replace('trigger/delivery/forwardToOthers', 'forwardToOthers', () => (_, delivery) => delivery),
	],
	'a list that nobody has signed is used': [
		'forger',
		changeOutput('webhook/sharedUrl', 'readSubscribers', (list) => list && { ...list, isSigned: true }),
	],
	'an event that a subscriber did not take is acknowledged': [
		'has lost it',
		changeMethods(...RESPONSE, ({ holdFor }) => ({ holdFor: (others) => holdFor(others.then(() => true)) })),
	],
	'another system gets what the service does not send': [
		'the other system got the headers',
		changeInput('n8n/httpRequest', 'post', (request, options) => [
			request,
			{ ...options, headers: { ...options.headers, 'x-own': '1' } },
		]),
	],
	'a new subscriber takes the place of the others': [
		'is missing',
		replace('webhook/subscribers', 'withSubscriber', () => (_, added) => [added]),
	],
	'the repair restores nothing': [
		'is missing',
		stub('trigger/activation/repairLoop', 'startRepairLoop', () => {}),
	],
	'the service sends the events of the hub only': [
		'its events must be',
		changeOutput('webhook/subscribers', 'combined', (registration, [hub]) => ({
			...registration,
			events: [...(hub?.events ?? [])],
		})),
	],
	'the service waits too long for a response': [
		'its timeout must be',
		changeOutput('webhook/subscribers', 'combined', (registration) => ({
			...registration,
			timeoutSeconds: 31,
		})),
	],
	'a response waits for ever for the other receivers': [
		'got no response in time',
		changeMethods(...RESPONSE, ({ holdFor }) => ({ holdFor: () => holdFor(new Promise(() => {})) })),
	],
	'the hub does not wait for the others': [
		'has lost it',
		changeMethods(...RESPONSE, () => ({ holdFor: () => {} })),
	],
	'a subscriber that is absent for a moment counts as gone': [
		'has lost it',
		changeInput('trigger/account/streak', 'isLasting', (streak) => [streak, 0]),
	],
	// Activation
	'unpublishing leaves the webhook where it is': [
		'is not published',
		stub('trigger/activation/activation', 'deactivate', Promise.resolve(true)),
	],
	'every event counts as the sample': [
		'was acknowledged, and',
		changeMethods('trigger/delivery/secrets', 'createSecretChecks', () => ({ isSample: () => true })),
	],
	'an event that comes in place of the sample counts as it': [
		'was acknowledged, and',
		changeMethods('trigger/delivery/secrets', 'createSecretChecks', ({ open }) => {
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
		replace('trigger/activation/subscription', 'runSerialized', () => async (_, work) => await work()),
	],
	'a change of the webhook never ends': [
		'never ends',
		stub('trigger/activation/subscription', 'runSerialized', new Promise<never>(() => {})),
	],
	'a start fails while the service is out of reach': [
		'because the service was out of reach',
		changeOutput('api/networkError', 'networkError', (error) => error.with({ httpStatus: 400 })),
	],
	// Delivery
	'no signature is checked': [
		'was taken',
		changeInput('trigger/delivery/verify', 'verify', ({ headers, rawBody }, secret, now) => {
			const signature = createHmac('sha256', secret)
				.update(rawBody ?? '')
				.digest('hex');
			return [{ headers: { ...headers, 'x-service-signature': signature }, rawBody }, secret, now];
		}),
	],
	'a rotated secret is never read again': [
		'was rejected, although',
		changeMethods('trigger/delivery/secrets', 'createSecretCache', ({ get }) => ({ refresh: get })),
	],
	'a secret that was replaced stays valid': [
		'was taken',
		changeMethods('trigger/delivery/secrets', 'createSecretCache', ({ get }) => {
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
		changeOutput('trigger/delivery/event', 'eventOf', (event) => ({ ...event, accountId: undefined })),
	],
	"the account's own messages run": [
		'was filtered out, and ran',
		changeInput('trigger/delivery/filter', 'verdictOn', (event, ...others) => {
			const fromMe = event.type === 'message.received' ? false : event.message.fromMe;
			return [{ ...event, message: { ...event.message, fromMe } }, ...others];
		}),
	],
	'an event counts as accepted before n8n has stored it': [
		'was acknowledged, and',
		changeMethods(...RESPONSE, () => ({ onAcceptance: (done) => done(true) })),
	],
	'a delivery that cannot be verified is acknowledged': [
		'has lost it',
		changeOutput('trigger/delivery/verify', 'verify', (result) =>
			result.verified || result.error === 'invalid_signature' ? result : { ...result, status: 200 as never },
		),
	],
	// Deduplication
	'copies are not recognised': [
		'ran in executions',
		stub(...CLAIM, Promise.resolve({ state: 'first', settle: () => {} })),
	],
	'a copy is acknowledged although nobody knows what becomes of the first': [
		'was acknowledged, and',
		replace(
			...CLAIM,
			(original) => async (keys, inFlight, clock, ms) =>
				inFlight.isInFlight(keys) ? { state: 'accepted' } : await original(keys, inFlight, clock, ms),
		),
	],
	'an event is refused although no copy of it is under way': [
		'although no other copy',
		stub(...CLAIM, Promise.resolve({ state: 'unknown' })),
	],
	'a refused event stays claimed': [
		'was acknowledged, and',
		changeMethods(...IN_FLIGHT, ({ claim }) => ({
			claim(...given) {
				const attempt = claim(...given);
				return attempt.isNew ? { ...attempt, settle: () => attempt.settle(true) } : attempt;
			},
		})),
	],
	'a delivery claims its event again and again': [
		'does not come to an end',
		changeMethods(...IN_FLIGHT, (_, clock) => ({
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
		changeMethods(...IN_FLIGHT, ({ claim }) => ({ claim: (keys) => claim(keys, 1_000) })),
	],
	'accepted events are never forgotten': [
		'keeps events of',
		changeMethods(...IN_FLIGHT, ({ claim }) => ({ claim: (keys) => claim(keys, Infinity) })),
	],
	'two events about one message count as copies': [
		'has lost it',
		changeOutput('trigger/delivery/event', 'eventOf', (event) => ({
			...event,
			keys: [`message ${event.message.id}`],
		})),
	],
	'a replayed delivery with another event ID runs again': [
		'ran in executions',
		changeOutput('trigger/delivery/event', 'eventOf', (event, id) => ({ ...event, keys: [`id ${id}`] })),
	],
	'a second run of an event is not noticed': [
		'ran in executions',
		stub('trigger/deduplication/ranBefore', 'isDuplicateRun', Promise.resolve(false)),
	],
	'an event that ran before a restart runs again': [
		'ran in executions',
		changeMethods('trigger/deduplication/ranBefore', 'createProcessedEvents', () => ({
			begin: async () => await Promise.resolve(false),
		})),
	],
	'a run is not recorded': [
		'ran in executions',
		changeMethods('trigger/deduplication/ranBefore', 'createProcessedEvents', () => ({ finish: () => {} })),
	],
	'calls of one process to the row lose keys of each other': [
		'its own process had written',
		stub('n8n/serialQueue', 'createPacedQueue', async (work) => await Promise.resolve().then(work)),
	],
};
