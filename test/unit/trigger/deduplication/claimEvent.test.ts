import {
	claimEvent,
	createInFlightEvents,
	type EventClaim,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';
import { manualClock } from '../../../support/engine/manualClock';

const KEYS = ['id 1', 'body 1'];

/** Deliveries, of one event unless told otherwise. */
function deliveries(maxEvents?: number) {
	const clock = manualClock(1_000);
	const inFlight = createInFlightEvents(clock, maxEvents);
	const deliver = async (keys = KEYS) => await claimEvent(keys, inFlight, clock);
	/** The first delivery, and what n8n says to it. */
	const first = async (keys = KEYS) => settleOf(await deliver(keys));
	return { deliver, first, clock };
}

function settleOf(claim: EventClaim) {
	if (claim.state !== 'first') throw new Error(`It is not the first but ${claim.state}`);
	return claim.settle;
}

test('the first delivery gets the claim, and one after n8n accepted it is a duplicate', async () => {
	const { deliver, first, clock } = deliveries();
	(await first())(true);
	expect(await deliver()).toEqual({ state: 'accepted' });
	expect(clock.waits).toEqual([]);
});

test('a delivery that waited is a duplicate, also if others have pushed its event out by then', async () => {
	const { deliver, first } = deliveries(1);
	const [settle, settleOther] = [await first(), await first(['id 2', 'body 2'])];
	const copy = deliver();
	settle(true);
	settleOther(true);
	expect(await copy).toEqual({ state: 'accepted' });
});

test('when n8n rejects the first, one of the waiting deliveries gets the claim and the others wait for it', async () => {
	const { deliver, first } = deliveries();
	const settle = await first();
	const [second, third] = [deliver(), deliver()];
	settle(false);
	settleOf(await second)(true);
	expect(await third).toEqual({ state: 'accepted' });
});

test('a delivery waits 20 seconds and no longer', async () => {
	const { deliver, first, clock } = deliveries();
	await first();
	const states: string[] = [];
	void deliver().then(({ state }) => states.push(state));
	await clock.advance(19_999);
	expect(states).toEqual([]);
	await clock.advance(1);
	expect(states).toEqual(['unknown']);
});

test('the 20 seconds start when the delivery arrives, however often the one before it fails', async () => {
	const { deliver, first, clock } = deliveries();
	const settle = await first();
	const [second, third] = [deliver(), deliver()];
	await clock.advance(12_000);
	settle(false);
	settleOf(await second);
	await clock.advance(8_000);
	expect(await third).toEqual({ state: 'unknown' });
});
