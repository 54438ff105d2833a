import {
	createInFlightEvents,
	RETENTION_MS,
	type InFlightEvents,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';

let now = 1_000_000;
const newEvents = (maxEvents?: number) => createInFlightEvents({ elapsed: () => now }, maxEvents);
const KEYS = ['id 1', 'message 1'];
const isNew = (inFlight: InFlightEvents, keys = KEYS) => inFlight.claim(keys).isNew;

/** A delivery of an event that is new. Returns what n8n says to it. */
function take(inFlight: InFlightEvents, keys = KEYS) {
	const begun = inFlight.claim(keys);
	if (!begun.isNew) throw new Error('It is not new');
	return begun.settle;
}

test('lets an event through once, whichever of its keys repeats', () => {
	const inFlight = newEvents();
	expect(isNew(inFlight)).toBe(true);
	for (const copy of [KEYS, ['id 2', 'message 1'], ['id 1']]) expect(isNew(inFlight, copy)).toBe(false);
	// The copy has added none of its keys.
	expect(isNew(inFlight, ['id 2', 'message 2'])).toBe(true);
});

test.each([true, false])('an event is in flight until n8n has accepted it: %j', (wasAccepted) => {
	const inFlight = newEvents();
	const isInFlight = () => inFlight.isInFlight(['id 2', 'message 1']);
	expect(isInFlight()).toBe(false);
	const settle = take(inFlight);
	expect(isInFlight()).toBe(true);
	settle(wasAccepted);
	expect(isInFlight()).toBe(false);
});

test('an event is remembered from its acceptance on, however late that is', () => {
	const inFlight = newEvents();
	const settle = take(inFlight);
	now += RETENTION_MS;
	settle(true);
	now += RETENTION_MS;
	expect(isNew(inFlight)).toBe(false);
});

test('stays within its limit and forgets the oldest event first', () => {
	const inFlight = newEvents(100);
	const events = Array.from({ length: 1_000 }, (_, event) => event);
	for (const event of events) {
		take(inFlight, [`id ${event}`, `message ${event}`])(true);
		now += 1;
	}
	expect(events.filter((event) => !isNew(inFlight, [`id ${event}`]))).toEqual(events.slice(900));
});

test('an event that n8n has not answered is kept, however many are accepted meanwhile, and as long as n8n may queue it', () => {
	const inFlight = newEvents(2);
	take(inFlight);
	for (let event = 2; event < 10; event++) take(inFlight, [`id ${event}`])(true);
	now += 30 * 24 * 3_600_000;
	expect(isNew(inFlight)).toBe(false);
});

test('the first answer of n8n counts', async () => {
	const inFlight = newEvents();
	const settle = take(inFlight);
	const { claim } = inFlight.claim(KEYS);
	settle(true);
	settle(false);
	expect(inFlight.claim(KEYS)).toMatchObject({ isNew: false, claim: { wasAccepted: true } });
	expect(await claim.accepted).toBe(true);
});
