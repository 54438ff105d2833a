import { createInFlightEvents } from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';
import {
	claimEvent,
	type EventClaim,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/claimEvent';

const KEYS = ['id 1', 'body 1'];

/** One event's deliveries, in a time that passes when it is told to. */
function deliveries() {
	const inFlight = createInFlightEvents();
	const waits: Array<{ ends: number; over: () => void }> = [];
	let time = 1_000;
	const clock = {
		now: () => time,
		sleep: async (ms: number) => await new Promise<void>((over) => waits.push({ ends: time + ms, over })),
	};
	const pass = async (ms: number) => {
		time += ms;
		for (const { ends, over } of waits) if (ends <= time) over();
		await new Promise(setImmediate);
	};
	return { deliver: async () => await claimEvent(KEYS, inFlight, clock), pass };
}

function settleOf(claim: EventClaim) {
	if (claim.state !== 'first') throw new Error(`It is not the first but ${claim.state}`);
	return claim.settle;
}

test('the first delivery is let through, and one that comes after n8n took it has nothing to do', async () => {
	const { deliver } = deliveries();
	settleOf(await deliver())(true, 0);
	expect(await deliver()).toEqual({ state: 'accepted' });
});

test('a delivery that comes meanwhile waits until n8n has taken the first', async () => {
	const { deliver, pass } = deliveries();
	const settle = settleOf(await deliver());
	const second = deliver();
	await pass(19_999);
	settle(true, 0);
	expect(await second).toEqual({ state: 'accepted' });
});

test('when n8n did not take the first, one of those that wait takes its place and the others wait for that one', async () => {
	const { deliver } = deliveries();
	const settle = settleOf(await deliver());
	const [second, third] = [deliver(), deliver()];
	settle(false, 0);
	settleOf(await second)(true, 0);
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

test('the 20 seconds are counted from when the delivery came, however often the one before it failed', async () => {
	const { deliver, pass } = deliveries();
	const first = settleOf(await deliver());
	const [second, third] = [deliver(), deliver()];
	await pass(12_000);
	first(false, 0);
	settleOf(await second);
	await pass(8_000);
	expect(await third).toEqual({ state: 'unknown' });
});
