import { createHands } from '../../../../../nodes/MessagingChannel/execution/sending/journal/hands';
import type { SendState } from '../../../../../nodes/MessagingChannel/execution/sending/journal/nodeSends';

const done = { kind: 'done' } as const;

/** How a promise ends, or that it has not. */
const endOf = async (promise?: Promise<unknown>) =>
	await Promise.race([
		promise?.then(
			() => 'free',
			(error: Error) => error.message,
		),
		new Promise((resolve) => setImmediate(resolve, 'waits')),
	]);

function twoExecutions() {
	const states = new Map<string, SendState>();
	const [mine, other] = [new AbortController(), new AbortController()];
	return {
		states,
		mine: createHands(states, mine.signal),
		other: createHands(states, other.signal),
		stop: other,
	};
}

test('keeps others waiting for a fact until it is let go', async () => {
	const { mine, other } = twoExecutions();

	expect(mine.whenFree('a')).toBeUndefined();
	expect(mine.take('a')).toBeUndefined();
	const free = other.whenFree('a');
	expect(await endOf(free)).toBe('waits');

	mine.letGo('a', done);
	expect(await endOf(free)).toBe('free');
	expect([other.whenFree('a'), other.take('a')]).toEqual([undefined, done]);
});

test('knows nothing of a fact that was let go as unknown, or never taken', () => {
	const { states, mine, other } = twoExecutions();

	mine.take('a');
	mine.letGo('a', undefined);
	other.letGo('a', done);
	expect(states.size).toBe(0);
	createHands(states, undefined).reserve('a')(undefined);
	expect(states.size).toBe(0);
});

test('keeps a reserved fact from others', async () => {
	const { states, mine, other } = twoExecutions();

	const letGo = mine.reserve('a');
	const free = other.whenFree('a');
	expect([await endOf(free), other.take('a')]).toEqual(['waits', undefined]);
	letGo(done);
	expect([await endOf(free), states.get('a')]).toEqual(['free', done]);
});

test('waits no longer for the fact of another execution when its own is stopped', async () => {
	const { mine, other, stop } = twoExecutions();

	mine.take('a');
	other.take('b');
	const waits = ['a', 'b'].map((id) => other.whenFree(id));
	stop.abort();
	expect(await Promise.all(waits.map(endOf))).toEqual([expect.stringContaining('stopped'), 'waits']);
});
