import { createHeartbeat } from '../../../../nodes/MessagingChannel/execution/sending/journal/heartbeat';
import type { Journal } from '../../../../nodes/MessagingChannel/n8n/journal/contract';
import { virtualClock } from '../../../support/engine/clock';

const STEP_MS = 15_000;
const START = Math.ceil(Date.UTC(2030, 0, 31, 9) / STEP_MS) * STEP_MS;
const FIRST = START / STEP_MS;

const beats = (...steps: number[]) => steps.map((step) => `alive ${FIRST + step}`);

/** Ends the executions of a test. */
let ended = new AbortController();
beforeEach(() => void (ended = new AbortController()));
afterEach(() => ended.abort());

/** The row of a node, in which each process beats from the same time on. */
function sharedRow() {
	const clock = virtualClock(undefined, START);
	const keys = new Set<string>();
	let isBroken = false;
	let setBackMs = 0;

	/** A process that runs an execution of the node. */
	const startProcess = (random = 0) => {
		const unneededKeys = new Set<string>();
		const state = { lastBeat: undefined, isListening: false };
		const note: Journal['note'] = async (asked) => {
			if (isBroken) throw new Error('database is locked');
			const before = asked.filter((key) => keys.has(key));
			for (const key of asked) keys.add(key);
			return await Promise.resolve(new Set(before));
		};
		/** Another execution of the same process. */
		const startExecution = () => {
			const execution = createHeartbeat(
				state,
				{ note, erase: (...erased) => erased.forEach((key) => unneededKeys.add(key)) },
				{ ...clock, now: () => clock.now() - setBackMs, random: () => random },
				ended.signal,
			);
			void execution.keepBeating().catch(() => undefined);
			return execution;
		};
		const { isAlone, end } = startExecution();
		/** The answer of one that listens, if it has one within a minute. */
		const listen = async () =>
			await Promise.race([isAlone(), clock.sleep(60_000).then(() => 'it still listens')]);
		return { listen, end, startExecution, unneededKeys };
	};
	return {
		clock,
		keys,
		startProcess,
		setBroken: (broken: boolean) => void (isBroken = broken),
		setClockBack: (ms: number) => void (setBackMs = ms),
	};
}

test('a process beats once in each step, and only its last beat stays', async () => {
	const { clock, keys, startProcess } = sharedRow();
	const { startExecution, unneededKeys, end } = startProcess();
	startExecution();

	await clock.sleep(2 * STEP_MS - 1);
	expect([...keys]).toEqual(beats(0, 1));
	expect([...unneededKeys]).toEqual(beats(0));

	end();
	expect([...unneededKeys]).toEqual(beats(0, 1));
});

test('a beat that the database did not take is made as soon as it does', async () => {
	const { clock, keys, startProcess, setBroken } = sharedRow();
	startProcess();
	setBroken(true);
	await clock.sleep(6_000);
	setBroken(false);

	await clock.sleep(5_000);

	expect([...keys]).toEqual(beats(0));
});

describe('a process that listens', () => {
	test('is alone if nobody beats in the next step, and leaves nothing else in the row', async () => {
		const { clock, keys, startProcess } = sharedRow();
		const { listen, unneededKeys } = startProcess();
		await clock.sleep(6_000);

		expect(await listen()).toBe(true);

		expect(clock.skippedMs).toBe(2 * STEP_MS + 2_000);
		expect([...keys].filter((key) => !unneededKeys.has(key))).toEqual(beats(2));
	});

	test('hears another process', async () => {
		const { startProcess } = sharedRow();
		const { listen, unneededKeys } = startProcess();
		startProcess();

		expect(await listen()).toBe(false);
		// It is the beat of the other.
		expect([...unneededKeys]).toEqual([]);
	});

	test('hears one that has begun only just before the end', async () => {
		const { clock, startProcess } = sharedRow();
		const { listen } = startProcess();
		const heard = listen();
		await clock.sleep(2 * STEP_MS - 4_000);
		startProcess();

		expect(await heard).toBe(false);
	});

	test('hears one that listens as well, and goes on after it', async () => {
		const { startProcess } = sharedRow();
		const [one, other] = [startProcess(0), startProcess(0.5)];

		expect(await Promise.all([one.listen(), other.listen()])).toEqual([true, false]);
	});

	test('does not count as alone if it stands still until others have removed their beats', async () => {
		const { clock, keys, startProcess, setClockBack } = sharedRow();
		const { listen } = startProcess();
		const other = startProcess();
		const heard = listen();
		await clock.sleep(2 * STEP_MS + 1_000);
		setClockBack(-2 * STEP_MS);
		for (const key of other.unneededKeys) keys.delete(key);

		expect(await heard).toBe(false);
	});
});
