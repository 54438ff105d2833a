import { createSendTimes } from '../../../../nodes/MessagingChannel/execution/sending/requestIds/sendTimes';
import type { RequestRow } from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestRow';
import { virtualClock } from '../../../support/engine/clock';

const STEP_MS = 10 * 60 * 1000;

/** The times of a node in whose row these are stored, in a process that has stored none. */
function timesWith(...stored: string[]) {
	const times = {
		ownSteps: new Set<number>(),
		earlierSteps: new Set<number>(),
		unneededKeys: new Set<string>(),
	};
	const row = {
		record: async (keys: string[]) =>
			await Promise.resolve(new Set(keys.filter((key) => stored.includes(key)))),
		removeUnneeded: async () => await Promise.resolve(),
	} as unknown as RequestRow;
	return createSendTimes(times, row, virtualClock(undefined, 100 * STEP_MS));
}

test.each([
	['the time of the latest that is stored', ['time 98', 'time 100'], undefined, 100 * STEP_MS],
	[
		'the time of its own batch, if another execution stored it before',
		['time 100'],
		['time 100'],
		100 * STEP_MS,
	],
	['no time, if only it has stored one', ['time 100'], [], undefined],
	['no time, if none is stored', [], undefined, undefined],
])('the latest earlier batch has %s', async (_, stored, before, expected) => {
	const times = timesWith(...stored);
	if (before) times.noteStored(100, new Set(before));

	expect(await times.readLatestEarlier()).toBe(expected);
});

test('a step that this process has stored again is still its own', async () => {
	const times = timesWith('time 100');
	times.noteStored(100, new Set());
	times.noteStored(100, new Set(['time 100']));

	expect(await times.readLatestEarlier()).toBeUndefined();
});
