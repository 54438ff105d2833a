import {
	claimEvent,
	createInFlightEvents,
	type EventClaim,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';

const KEYS = ['id 1', 'body 1'];

/** Deliveries, of one event unless told otherwise, in a time that passes when it is told to. */
function deliveries(maxEvents?: number) {
	const waits: Array<{ ends: number; over: () => void }> = [];
	let time = 1_000;
	const clock = {
		elapsed: () => time,
		sleep: async (ms: number) => await new Promise<void>((over) => waits.push({ ends: time + ms, over })),
	};
	const pass = async (ms: number) => {
		time += ms;
		for (const { ends, over } of waits) if (ends <= time) over();
		await new Promise(setImmediate);
	};
	const inFlight = createInFlightEvents(clock, maxEvents);
	const deliver = async (keys = KEYS) => await claimEvent(keys, inFlight, clock);
	return { deliver, pass, waits };
}

function settleOf(claim: EventClaim) {
	if (claim.state !== 'first') throw new Error(`It is not the first but ${claim.state}`);
	return claim.settle;
}

test('the first delivery gets the claim, and one after n8n accepted it is a duplicate', async () => {
	const { deliver, waits } = deliveries();
	settleOf(await deliver())(true);
	expect(await deliver()).toEqual({ state: 'accepted' });
	expect(waits).toEqual([]);
});

test('a concurrent delivery waits until n8n has accepted the first', async () => {
	const { deliver, pass } = deliveries();
	const settle = settleOf(await deliver());
	const second = deliver();
	await pass(19_999);
	settle(true);
	expect(await second).toEqual({ state: 'accepted' });
});

test('a delivery that waited is a duplicate, also if others have pushed its event out by then', async () => {
	const { deliver } = deliveries(1);
	const [first, other] = [settleOf(await deliver()), settleOf(await deliver(['id 2', 'body 2']))];
	const copy = deliver();
	first(true);
	other(true);
	expect(await copy).toEqual({ state: 'accepted' });
});

test('when n8n rejects the first, one of the waiting deliveries gets the claim and the others wait for it', async () => {
	const { deliver } = deliveries();
	const settle = settleOf(await deliver());
	const [second, third] = [deliver(), deliver()];
	settle(false);
	settleOf(await second)(true);
	expect(await third).toEqual({ state: 'accepted' });
});

test('a delivery waits 20 seconds and no longer', async () => {
	const { deliver, pass } = deliveries();
	await deliver();
	const answers: EventClaim[] = [];
	void deliver().then((claim) => answers.push(claim));
	await pass(19_999);
	expect(answers).toEqual([]);
	await pass(1);
	expect(answers).toEqual([{ state: 'unknown' }]);
});

test('the 20 seconds start when the delivery arrives, however often the one before it fails', async () => {
	const { deliver, pass } = deliveries();
	const first = settleOf(await deliver());
	const [second, third] = [deliver(), deliver()];
	await pass(12_000);
	first(false);
	settleOf(await second);
	await pass(8_000);
	expect(await third).toEqual({ state: 'unknown' });
});
