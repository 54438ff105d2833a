import { sleep } from 'n8n-workflow';
import { getEventListeners } from 'node:events';
import { setTimeout as timeout } from 'node:timers/promises';

import { systemClock } from '../../../nodes/MessagingChannel/api/clock';

const HOUR_MS = 3_600_000;

const reason = new Error('The execution was stopped');

/** `sleep` as n8n 1.x has it: it takes no signal. */
const withoutSignal = async (ms: number) => await timeout(ms, undefined, { ref: false });

describe.each([
	['2.x', sleep],
	['1.x', withoutSignal],
])("with n8n %s's sleep", (_, n8nSleep) => {
	test.each([
		['that nothing can end', undefined, undefined],
		['in an execution', new AbortController().signal, undefined],
		['that can end early', undefined, new AbortController().signal],
		['in an execution that can end early', new AbortController().signal, new AbortController().signal],
	])('a wait %s takes its time', async (_kind, execution, over) => {
		const started = performance.now();
		await systemClock(execution, n8nSleep).sleep(20, over);
		expect(performance.now() - started).toBeGreaterThan(18);
	});

	test.each(['the execution', 'the wait'])('a wait ends when %s is cancelled', async (cancelled) => {
		const execution = new AbortController();
		const over = new AbortController();
		const waiting = systemClock(execution.signal, n8nSleep).sleep(HOUR_MS, over.signal);
		(cancelled === 'the wait' ? over : execution).abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});

	test('a wait ends with its execution', async () => {
		const execution = new AbortController();
		const waiting = systemClock(execution.signal, n8nSleep).sleep(HOUR_MS);
		execution.abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});

	test('a wait does not start in a cancelled execution', async () => {
		const waiting = systemClock(AbortSignal.abort(reason), n8nSleep).sleep(HOUR_MS);
		await expect(waiting).rejects.toBe(reason);
	});

	test('finished waits leave no listeners on their execution', async () => {
		const { signal } = new AbortController();
		const clock = systemClock(signal, n8nSleep);
		for (let count = 0; count < 3; count++) await clock.sleep(1);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});
});

test('a wait of more than a timer can take does not end at once', async () => {
	const waits: number[] = [];
	await systemClock(undefined, async (ms) => void (await Promise.resolve(waits.push(ms)))).sleep(2 ** 32);
	expect(waits).toEqual([2 ** 31 - 1, 2 ** 31 - 1, 2]);
});

test('other work of the process runs while the clock yields', async () => {
	let hasRun = false;
	setTimeout(() => (hasRun = true), 0);
	await systemClock().yield();
	expect(hasRun).toBe(true);
});
