import {
	createInFlightEvents,
	RETENTION_MS,
	type InFlightEvents,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';

let now = 1_000_000;
const clock = { elapsed: () => now };
const claim = (inFlight: InFlightEvents, keys = ['id 1', 'message 1']) => inFlight.claim(keys);

test('lets an event through once, whichever of its keys repeats', () => {
	const inFlight = createInFlightEvents(clock);
	expect(claim(inFlight).isNew).toBe(true);
	expect(claim(inFlight).isNew).toBe(false);
	expect(claim(inFlight, ['id 2', 'message 1']).isNew).toBe(false);
	expect(claim(inFlight, ['id 1']).isNew).toBe(false);
	expect(claim(inFlight, ['id 2', 'message 2']).isNew).toBe(true);
});

test('a duplicate adds no keys', () => {
	const inFlight = createInFlightEvents(clock);
	claim(inFlight, ['id 1', 'message 1']);
	claim(inFlight, ['id 2', 'message 1']);
	expect(claim(inFlight, ['id 2', 'message 2']).isNew).toBe(true);
});

test('tells a second delivery whether the first was accepted', async () => {
	const inFlight = createInFlightEvents(clock);
	const first = claim(inFlight);
	const second = claim(inFlight);
	if (!first.isNew || second.isNew) throw new Error('It was not recognized');
	expect(second.claim.wasAccepted).toBe(false);
	first.settle(true);
	expect(second.claim.wasAccepted).toBe(true);
	await expect(second.claim.accepted).resolves.toBe(true);
	expect(claim(inFlight).isNew).toBe(false);
});

test.each([true, false])('an event is in flight until n8n has accepted it: %j', (wasAccepted) => {
	const inFlight = createInFlightEvents(clock);
	const isInFlight = () => inFlight.isInFlight(['id 2', 'message 1']);
	expect(isInFlight()).toBe(false);
	const first = claim(inFlight);
	expect(isInFlight()).toBe(true);
	if (first.isNew) first.settle(wasAccepted);
	expect(isInFlight()).toBe(false);
});

test('forgets an event that n8n did not accept', async () => {
	const inFlight = createInFlightEvents(clock);
	const first = claim(inFlight);
	const second = claim(inFlight);
	if (!first.isNew || second.isNew) throw new Error('It was not recognized');
	first.settle(false);
	await expect(second.claim.accepted).resolves.toBe(false);
	expect(claim(inFlight).isNew).toBe(true);
});

/** An event that n8n took. */
const take = (inFlight: InFlightEvents, keys: string[], retentionMs?: number) => {
	const begun = inFlight.claim(keys, retentionMs);
	if (begun.isNew) begun.settle(true);
};

test('remembers an event for twice the tolerance after n8n accepted it, and no longer', () => {
	const inFlight = createInFlightEvents(clock);
	const first = claim(inFlight);
	now += 5_000;
	if (first.isNew) first.settle(true);
	expect(RETENTION_MS).toBe(600_000);
	now += RETENTION_MS;
	expect(claim(inFlight).isNew).toBe(false);
	now += 1;
	expect(claim(inFlight).isNew).toBe(true);
	now += 1;
	expect(claim(inFlight).claim.claimedAt).toBe(now - 1);
});

test('remembers an event for as long as its claim asks for', () => {
	const inFlight = createInFlightEvents(clock);
	take(inFlight, ['id 1'], 2 * RETENTION_MS);
	now += 2 * RETENTION_MS;
	expect(claim(inFlight, ['id 1']).isNew).toBe(false);
	now += 1;
	expect(claim(inFlight, ['id 1']).isNew).toBe(true);
});

test('stays within its limit and forgets the oldest event first', () => {
	const inFlight = createInFlightEvents(clock, 100);
	for (let event = 0; event < 1_000; event++, now++) take(inFlight, [`id ${event}`, `message ${event}`]);
	const known = Array.from({ length: 1_000 }, (_, event) => event).filter(
		(event) => !claim(inFlight, [`id ${event}`]).isNew,
	);
	expect(known).toEqual(Array.from({ length: 100 }, (_, index) => 900 + index));
});

describe('an event that n8n has not answered', () => {
	test('is kept, however many are accepted meanwhile', () => {
		const inFlight = createInFlightEvents(clock, 2);
		claim(inFlight);
		for (let event = 2; event < 10; event++) take(inFlight, [`id ${event}`]);
		expect(claim(inFlight).isNew).toBe(false);
	});

	test('is kept for as long as n8n may queue it', () => {
		const inFlight = createInFlightEvents(clock);
		claim(inFlight);
		now += 30 * 24 * 3_600_000;
		expect(claim(inFlight).isNew).toBe(false);
	});
});

test('the first answer of n8n counts', () => {
	const inFlight = createInFlightEvents(clock);
	const first = claim(inFlight);
	if (!first.isNew) throw new Error('It is not new');
	first.settle(true);
	first.settle(false);
	expect(claim(inFlight)).toMatchObject({ isNew: false, claim: { wasAccepted: true } });
});
