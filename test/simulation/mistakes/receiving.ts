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
	// Sharing
	'unpublishing one workflow removes the webhook of all': [
		'is missing',
		stub('webhook/subscribers', 'withoutSubscriber', []),
	],
	'a workflow that shares drops the other system': [
		'the other system is missing',
		changeOutput('trigger/activation/joining', 'othersToJoin', ({ others, ...found }) => ({
			...found,
			others: others.filter(({ kind }) => kind !== 'external'),
		})),
	],
	'a list that nobody has signed is used': [
		'forger',
		changeOutput('webhook/sharedUrl', 'readSubscribers', (list) => list && { ...list, isSigned: true }),
	],
	'another system gets what the service does not send': [
		'the other system got the headers',
		changeInput('n8n/httpRequest', 'post', (request, options) => [
			request,
			{ ...options, headers: { ...options.headers, 'x-own': '1' } },
		]),
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
	// Activation
	'unpublishing leaves the webhook where it is': [
		'is not published',
		stub('trigger/activation/activation', 'deactivate', Promise.resolve()),
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
	'accepted events are never forgotten': [
		'keeps events of',
		changeMethods(...IN_FLIGHT, ({ claim }) => ({ claim: (keys) => claim(keys, Infinity) })),
	],
	'an event that ran before a restart runs again': [
		'ran in executions',
		changeMethods('trigger/deduplication/ranBefore', 'createProcessedEvents', () => ({
			begin: async () => await Promise.resolve(false),
		})),
	],
	'calls of one process to the row lose keys of each other': [
		'its own process had written',
		stub('n8n/serialQueue', 'createPacedQueue', async (work) => await Promise.resolve().then(work)),
	],
};
