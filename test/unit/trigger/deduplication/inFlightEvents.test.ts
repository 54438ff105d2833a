import {
	createInFlightEvents,
	RETENTION_MS,
	type InFlightEvents,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';

const now = 1_000_000;
const claim = (inFlight = createInFlightEvents(), keys = ['id 1', 'message 1'], at = now) =>
	inFlight.claim(keys, at);

test('lets an event through once, whichever of its keys repeats', () => {
	const inFlight = createInFlightEvents();
	expect(claim(inFlight).isNew).toBe(true);
	expect(claim(inFlight).isNew).toBe(false);
	expect(claim(inFlight, ['id 2', 'message 1']).isNew).toBe(false);
	expect(claim(inFlight, ['id 1']).isNew).toBe(false);
	expect(claim(inFlight, ['id 2', 'message 2']).isNew).toBe(true);
});

test('a duplicate adds no keys', () => {
	const inFlight = createInFlightEvents();
	claim(inFlight, ['id 1', 'message 1']);
	claim(inFlight, ['id 2', 'message 1']);
	expect(claim(inFlight, ['id 2', 'message 2']).isNew).toBe(true);
});

test('tells a second delivery whether the first was accepted', async () => {
	const inFlight = createInFlightEvents();
	const first = claim(inFlight);
	const second = claim(inFlight);
	if (!first.isNew || second.isNew) throw new Error('It was not recognized');
	expect(second.claim.wasAccepted).toBe(false);
	first.settle(true, now);
	expect(second.claim.wasAccepted).toBe(true);
	await expect(second.claim.accepted).resolves.toBe(true);
	expect(claim(inFlight).isNew).toBe(false);
});

test.each([true, false])('an event is in flight until n8n has accepted it: %j', (wasAccepted) => {
	const inFlight = createInFlightEvents();
	const isInFlight = () => inFlight.isInFlight(['id 2', 'message 1']);
	expect(isInFlight()).toBe(false);
	const first = claim(inFlight);
	expect(isInFlight()).toBe(true);
	if (first.isNew) first.settle(wasAccepted, now);
	expect(isInFlight()).toBe(false);
});

test('forgets an event that n8n did not accept', async () => {
	const inFlight = createInFlightEvents();
	const first = claim(inFlight);
	const second = claim(inFlight);
	if (!first.isNew || second.isNew) throw new Error('It was not recognized');
	first.settle(false, now);
	await expect(second.claim.accepted).resolves.toBe(false);
	expect(claim(inFlight).isNew).toBe(true);
});

/** An event that n8n took. */
const take = (inFlight: InFlightEvents, keys: string[], at = now) => {
	const begun = inFlight.claim(keys, at);
	if (begun.isNew) begun.settle(true, at);
};

test('remembers an event for twice the tolerance after n8n accepted it, and no longer', () => {
	const inFlight = createInFlightEvents();
	const first = claim(inFlight);
	const takenAt = now + 5_000;
	if (first.isNew) first.settle(true, takenAt);
	expect(RETENTION_MS).toBe(600_000);
	expect(claim(inFlight, undefined, takenAt + RETENTION_MS).isNew).toBe(false);
	expect(claim(inFlight, undefined, takenAt + RETENTION_MS + 1).isNew).toBe(true);
	expect(claim(inFlight, undefined, takenAt + RETENTION_MS + 2).claim.claimedAt).toBe(
		takenAt + RETENTION_MS + 1,
	);
});

test('remembers an event for as long as its claim asks for', () => {
	const inFlight = createInFlightEvents();
	const shared = inFlight.claim(['id 1'], now, 2 * RETENTION_MS);
	if (shared.isNew) shared.settle(true, now);
	expect(claim(inFlight, ['id 1'], now + 2 * RETENTION_MS).isNew).toBe(false);
	expect(claim(inFlight, ['id 1'], now + 2 * RETENTION_MS + 1).isNew).toBe(true);
});

test('stays within its limit and forgets the oldest event first', () => {
	const inFlight = createInFlightEvents(100);
	for (let event = 0; event < 1_000; event++)
		take(inFlight, [`id ${event}`, `message ${event}`], now + event);
	const known = Array.from({ length: 1_000 }, (_, event) => event).filter(
		(event) => !claim(inFlight, [`id ${event}`], now + 1_000).isNew,
	);
	expect(known).toEqual(Array.from({ length: 100 }, (_, index) => 900 + index));
});

describe('an event that n8n has not answered', () => {
	test('is kept, however many are accepted meanwhile', () => {
		const inFlight = createInFlightEvents(2);
		claim(inFlight);
		for (let event = 2; event < 10; event++) take(inFlight, [`id ${event}`]);
		expect(claim(inFlight).isNew).toBe(false);
	});

	test('is kept for as long as n8n may queue it', () => {
		const inFlight = createInFlightEvents();
		claim(inFlight);
		expect(claim(inFlight, undefined, now + 30 * 24 * 3_600_000).isNew).toBe(false);
	});
});

test('the first answer of n8n counts', () => {
	const inFlight = createInFlightEvents();
	const first = claim(inFlight);
	if (!first.isNew) throw new Error('It is not new');
	first.settle(true, now);
	first.settle(false, now + 1);
	expect(claim(inFlight)).toMatchObject({ isNew: false, claim: { wasAccepted: true } });
});
