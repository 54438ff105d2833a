import {
	createHeartbeat,
	newHeartbeatState,
} from '../../../../../nodes/MessagingChannel/execution/sending/journal/heartbeat';
import type { Journal } from '../../../../../nodes/MessagingChannel/n8n/journal/contract';
import { virtualClock } from '../../../../support/engine/clock';

const STEP_MS = 15_000;
const START = Math.ceil(Date.UTC(2030, 0, 31, 9) / STEP_MS) * STEP_MS;
const FIRST = START / STEP_MS;

/** Ends the executions of a test. */
let ended = new AbortController();
beforeEach(() => void (ended = new AbortController()));
afterEach(() => ended.abort());

/** The row of a node, in which each process beats from the same time on. */
function sharedRow() {
	const clock = virtualClock(undefined, START);
	const keys = new Set<string>();
	let isBroken = false;
	let shiftMs = 0;

	/** A process that runs an execution of the node. */
	const startProcess = () => {
		const state = newHeartbeatState();
		const ask = async (asked: readonly string[]) => {
			if (isBroken) throw new Error('database is locked');
			return await Promise.resolve(new Set(asked.filter((key) => keys.has(key))));
		};
		const note: Journal['note'] = async (asked) => {
			const before = await ask(asked);
			for (const key of asked) keys.add(key);
			return before;
		};
		/** Another execution of the same process. */
		const startExecution = () => {
			const execution = createHeartbeat(
				state,
				{ note, find: ask, erase: (...erased) => erased.forEach((key) => keys.delete(key)) },
				{ ...clock, now: () => clock.now() + shiftMs },
				ended.signal,
			);
			void execution.keepBeating().catch(() => undefined);
			return execution;
		};
		return { ...startExecution(), startExecution };
	};
	return {
		clock,
		/** The steps in which there are beats. */
		steps: () => [...new Set([...keys].map((key) => Number(key.split(' ')[1]) - FIRST))],
		startProcess,
		setBroken: (broken: boolean) => void (isBroken = broken),
		setClock: (ms: number) => void (shiftMs = ms),
	};
}

test('a process beats at once and in each step, and only its last two beats stay', async () => {
	const { clock, steps, startProcess } = sharedRow();
	const { startExecution, end } = startProcess();
	const other = startExecution();

	await clock.sleep(1);
	expect(steps()).toEqual([0]);
	await clock.sleep(4 * STEP_MS);
	end();
	expect(steps()).toEqual([3, 4]);

	other.end();
	expect(steps()).toEqual([]);
});

test('a beat that the database did not take is made as soon as it does', async () => {
	const { clock, steps, startProcess, setBroken } = sharedRow();
	setBroken(true);
	startProcess();
	await clock.sleep(6_000);
	setBroken(false);

	await clock.sleep(5_000);

	expect(steps()).toEqual([0]);
});

describe('a process that listens', () => {
	test('is alone if nobody else beats in the next step, whatever its own executions do', async () => {
		const { clock, startProcess } = sharedRow();
		const { isAlone, startExecution } = startProcess();
		startExecution();
		await clock.sleep(6_000);

		expect(await isAlone()).toBe(true);

		expect(clock.skippedMs).toBe(2 * STEP_MS + 2_000);
	});

	test('hears another process, which hears it at the same time', async () => {
		const { startProcess } = sharedRow();
		const [one, other] = [startProcess(), startProcess()];

		expect(await Promise.all([one.isAlone(), other.isAlone()])).toEqual([false, false]);
	});

	test('hears one that has begun only just before the end', async () => {
		const { clock, startProcess } = sharedRow();
		const { isAlone } = startProcess();
		const heard = isAlone();
		await clock.sleep(2 * STEP_MS - 100);
		startProcess();

		expect(await heard).toBe(false);
	});

	test('does not hear one that ended before the step began', async () => {
		const { clock, startProcess } = sharedRow();
		const { isAlone } = startProcess();
		const other = startProcess();
		await clock.sleep(1_000);
		ended.abort();
		ended = new AbortController();
		other.end();

		expect(await isAlone()).toBe(true);
	});

	test('does not count as alone if it stands still until others have removed their beats', async () => {
		const { clock, startProcess, setClock } = sharedRow();
		const { isAlone } = startProcess();
		const other = startProcess();
		const heard = isAlone();
		await clock.sleep(2 * STEP_MS + 1_000);
		setClock(2 * STEP_MS);
		other.end();

		expect(await heard).toBe(false);
	});
});
