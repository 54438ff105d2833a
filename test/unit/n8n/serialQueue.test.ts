import { createPacedQueue, createSerialQueue } from '../../../nodes/MessagingChannel/n8n/serialQueue';
import { virtualClock } from '../../support/engine/clock';

/** Work that says when it starts, and ends when it is told to. */
function work(name: string, started: string[]) {
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	const run = async () => {
		started.push(name);
		await ended;
		return name;
	};
	return { run, end };
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

test('work starts when the work before it has ended', async () => {
	const started: string[] = [];
	const [first, second, third] = [work('first', started), work('second', started), work('third', started)];
	const inSeries = createSerialQueue();
	const results = [inSeries(first.run), inSeries(second.run)];
	await settled();
	expect(started).toEqual(['first']);

	first.end();
	await settled();
	results.push(inSeries(third.run));
	await settled();
	expect(started).toEqual(['first', 'second']);

	second.end();
	third.end();
	expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
});

test.each([
	['serial', createSerialQueue()],
	['paced', createPacedQueue(virtualClock())],
])('work that fails holds up nothing in a %s queue', async (_, inSeries) => {
	const failing = inSeries(async () => await Promise.reject(new Error('database is locked')));
	const after = inSeries(async () => await Promise.resolve('after'));

	await expect(failing).rejects.toThrow('database is locked');
	expect(await after).toBe('after');
});

test.each([
	[0, 0],
	[20, 180],
	[50, 250],
])('after work of %i ms, a paced queue pauses for %i ms', async (durationMs, pauseMs) => {
	const clock = virtualClock();
	const inSeries = createPacedQueue(clock);
	await inSeries(async () => await clock.sleep(durationMs));
	const endedAt = clock.now();

	const startedAt = await inSeries(async () => await Promise.resolve(clock.now()));

	expect(startedAt - endedAt).toBe(pauseMs);
});
