import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';

const engine = useEngine();

const HOUR = 3600;

/** One message of an execution that may wait so many seconds for the rate limit. */
const message = (text: string, maxRateLimitWait: number): RunOptions => ({
	items: [{ to: person(1), message: text }],
	options: { maxRateLimitWait },
	node: CONTINUES,
});

/** The account may make one request an hour, and has just made it. */
async function usedUp(): Promise<void> {
	await engine.service.control.setRateLimit({ limit: 1, windowSeconds: HOUR });
	await engine.run({ operation: 'account:get', items: [{}] });
	await engine.service.control.clearRequests();
}

test('an item that cannot wait for the reset fails at once behind one of another execution that can', async () => {
	await usedUp();

	const patient = engine.run(message('Patient', 2 * HOUR));
	const impatient = await engine.withoutTime(async () => await engine.run(message('Impatient', 5)));

	expect(impatient.output).toEqual([
		{
			json: expect.objectContaining({ code: 'rate_limit_exceeded', httpStatus: 429 }) as object,
			pairedItem: { item: 0 },
		},
	]);
	expect((await patient).output[0]?.json.queued).toBe(true);
	expect(await engine.accepted()).toEqual(['Patient']);
	expect(await engine.requests()).toHaveLength(1);
});

test('an execution that is stopped leaves the queue at once, and those behind it move up', async () => {
	await usedUp();
	const execution = new AbortController();

	const first = engine.run(message('First', 3 * HOUR));
	const stopped = engine.run({
		...message('Stopped', 3 * HOUR),
		items: toEach(3, 'Stopped'),
		cancelled: execution.signal,
	});
	const last = engine.run(message('Last', 3 * HOUR));
	const ended = await engine.withoutTime(async () => {
		execution.abort(new Error('The execution was stopped'));
		return await stopped;
	});

	expect(ended.output.map(({ json }) => json.code)).toEqual(Array(3).fill('execution_stopped'));
	await first;
	const { clock } = await last;
	expect(await engine.accepted()).toEqual(['First', 'Last']);
	expect(clock.skippedMs).toBeLessThanOrEqual((2 * HOUR + 2) * 1000);
});
