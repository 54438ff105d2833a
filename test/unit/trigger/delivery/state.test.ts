import type { INode, Logger } from 'n8n-workflow';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import {
	flushGroups,
	releaseStates,
	stateOf,
} from '../../../../nodes/MessagingChannel/trigger/delivery/state';

beforeEach(() => {
	jest.useFakeTimers();
	jest.spyOn(clock, 'elapsed').mockImplementation(() => performance.now());
});
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

let workflows = 0;

/** A place where a trigger of a workflow of its own runs, which logs to this list. */
function caller(warnings: string[] = []): Parameters<typeof stateOf>[0] {
	const id = `workflow-${++workflows}`;
	return {
		node: { id: 'node', name: 'Listens' } as INode,
		workflow: { id },
		key: `${id} node`,
		isTest: false,
		logger: { warn: (line: string) => void warnings.push(line) } as unknown as Logger,
	};
}

const claim = (trigger: ReturnType<typeof caller>, retentionMs?: number) => {
	const claimed = stateOf(trigger).inFlight.claim(['id 1'], retentionMs);
	if (!claimed.isNew) throw new Error('It is known already');
	return claimed.settle;
};

const DAY = 24 * 60 * 60_000;

/** Nobody asks for a trigger for so long. */
const pass = (ms: number) => void jest.advanceTimersByTime(ms);

/** Begins to wait for something. Returns what ends that before another day has passed. */
type Wait = (trigger: ReturnType<typeof caller>) => () => void;

test.each<[string, Wait, number]>([
	['nothing', () => () => {}, DAY - 1],
	[
		'a copy of an event',
		(trigger) => {
			claim(trigger, DAY)(true);
			return () => {};
		},
		DAY,
	],
	[
		'n8n',
		(trigger) => {
			const settle = claim(trigger);
			return () => settle(false);
		},
		2 * DAY,
	],
])('a trigger that waits for %s is kept, and released a day later', (_, wait, keptMs) => {
	const trigger = caller();
	const end = wait(trigger);
	const state = stateOf(trigger);
	pass(keptMs);
	releaseStates();
	expect(stateOf(trigger)).toBe(state);
	end();
	pass(DAY);
	releaseStates();
	expect(stateOf(trigger)).not.toBe(state);
});

test('a test run claims no event of the published trigger', () => {
	const trigger = caller();
	claim(trigger);
	const test = { ...trigger, isTest: true };
	expect(claim(test)).toBeDefined();
	expect(() => claim(test)).toThrow('It is known already');
	expect(() => claim(trigger)).toThrow('It is known already');
});

test('what is logged names the trigger and its workflow', async () => {
	const warnings: string[] = [];
	const trigger = caller(warnings);
	const { id } = trigger.workflow;
	const { processed } = stateOf(trigger);
	const fail = async () => await Promise.reject(new Error('database is locked'));
	const row = { record: fail, remove: fail, count: fail };
	await processed.begin(['id 1'], row, { isShared: false, doneWithinMs: 0, recordAfterMs: 0 });
	expect(warnings).toEqual([
		`Listens in workflow ${id}: The database could not be checked for duplicates of an event, so the event counts as new`,
	]);
});

test('what is logged names the trigger as it is called now', () => {
	const warnings: string[] = [];
	const trigger = caller(warnings);
	const { log } = stateOf(trigger);
	stateOf({ ...trigger, node: { ...trigger.node, name: 'Renamed' } });
	log('one');
	expect(warnings).toEqual([`Renamed in workflow ${trigger.workflow.id}: one`]);
});

test('the same line is logged once a minute, with how often it was left out', () => {
	const warnings: string[] = [];
	const { log } = stateOf(caller(warnings));
	['one', 'one', 'two', 'one'].forEach(log);
	pass(60_000);
	log('one');
	const [name] = warnings[0]?.split(': ') ?? [];
	expect(warnings).toEqual(
		['one', 'two', 'one (2 times more since this was logged last)'].map((line) => `${name}: ${line}`),
	);
});

test('another trigger releases those that ended, as a webhook processor is not told what was unpublished', () => {
	const trigger = caller();
	const state = stateOf(trigger);
	pass(DAY);
	stateOf(caller());
	expect(stateOf(trigger)).not.toBe(state);
});

test('what waits goes when its trigger is unpublished, and what waits for a test or another trigger stays', async () => {
	const [trigger, other] = [caller(), caller()];
	const test = { ...trigger, isTest: true };
	const gone: string[] = [];
	const wait = (name: string, place: typeof trigger) => {
		claim(place);
		const event = { item: { json: {} }, isWanted: true, bytes: 1, settle: () => undefined };
		const limits = { silenceMs: 3_000, maxWaitMs: 14_000 };
		void stateOf(place)
			.combiner.perChat('chat', event, limits)
			.then(() => gone.push(name));
	};
	wait('published', trigger);
	wait('test', test);
	wait('another', other);

	flushGroups(trigger);

	await jest.advanceTimersByTimeAsync(0);
	expect(gone).toEqual(['published']);
	expect(() => flushGroups(caller())).not.toThrow();
});
