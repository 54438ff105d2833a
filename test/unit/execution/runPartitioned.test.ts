import fc from 'fast-check';

import { runInLanes, type LaneTask } from '../../../nodes/MessagingChannel/execution/runPartitioned';

/** Tasks that note when they begin and end, each taking so many turns. */
function noted(lanes: Array<string | undefined>, turns: (index: number) => number) {
	const begun: number[] = [];
	const running = new Set<number>();
	let mostRunning = 0;
	let laneShared = false;
	const tasks = lanes.map((lane, index): LaneTask => ({
		lane,
		run: async () => {
			laneShared ||= [...running].some((other) => lane !== undefined && lanes[other] === lane);
			begun.push(index);
			running.add(index);
			mostRunning = Math.max(mostRunning, running.size);
			for (let turn = 0; turn < turns(index); turn++) await Promise.resolve();
			running.delete(index);
		},
	}));
	return { tasks, begun, seen: () => ({ mostRunning, laneShared }) };
}

const lane = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });

test('every task runs once; those of a lane in order and never together; never more than allowed', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(lane, { maxLength: 60 }),
			fc.integer({ min: 1, max: 10 }),
			fc.infiniteStream(fc.nat({ max: 9 })),
			async (lanes, concurrency, lengths) => {
				const turns = [...lengths.take(lanes.length)];
				const { tasks, begun, seen } = noted(lanes, (index) => turns[index] ?? 0);

				await runInLanes(tasks, concurrency, () => true);

				expect([...begun].sort((one, other) => one - other)).toEqual(lanes.map((_, index) => index));
				for (const name of ['a', 'b', 'c', 'd']) {
					const own = begun.filter((index) => lanes[index] === name);
					expect(own).toEqual([...own].sort((one, other) => one - other));
				}
				expect(seen().laneShared).toBe(false);
				expect(seen().mostRunning).toBeLessThanOrEqual(concurrency);
			},
		),
	);
});

test('free tasks use all the room that there is', async () => {
	const { tasks, seen } = noted(
		Array.from({ length: 20 }, () => undefined),
		() => 5,
	);
	await runInLanes(tasks, 7, () => true);
	expect(seen().mostRunning).toBe(7);
});

test('a long lane at the front does not keep the others waiting', async () => {
	const { tasks, begun } = noted(['a', 'a', 'a', 'a', 'b'], () => 10);
	await runInLanes(tasks, 2, () => true);
	expect(begun.indexOf(4)).toBe(1);
});

test('when it is over, those under way are finished and no other begins', async () => {
	let finished = 0;
	const tasks = Array.from({ length: 10 }, (_, index): LaneTask => ({
		run: async () => {
			for (let turn = 0; turn < 5; turn++) await Promise.resolve();
			finished++;
			if (index === 0) finished += 100;
		},
	}));
	await runInLanes(tasks, 3, () => finished < 100);
	expect(finished).toBe(103);
});

test('no tasks are done at once', async () => {
	await expect(runInLanes([], 5, () => true)).resolves.toBeUndefined();
});
