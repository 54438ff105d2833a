import fc from 'fast-check';

import { runPartitioned } from '../../../nodes/MessagingChannel/execution/runPartitioned';

/** Runs tasks with these keys, each taking so many rounds, and tells how they ran. */
async function observed(
	keys: Array<string | undefined>,
	concurrency: number,
	rounds: (task: number) => number,
) {
	const begun: number[] = [];
	const running = new Set<number>();
	let mostRunning = 0;
	let isKeyShared = false;
	const results = await runPartitioned([...keys.keys()], {
		concurrency: () => concurrency,
		keys,
		run: async (task) => {
			const key = keys[task];
			isKeyShared ||= [...running].some((other) => key !== undefined && keys[other] === key);
			begun.push(task);
			running.add(task);
			mostRunning = Math.max(mostRunning, running.size);
			for (let round = 0; round < rounds(task); round++) await Promise.resolve();
			running.delete(task);
			return `done ${task}`;
		},
	});
	return { results, begun, mostRunning, isKeyShared };
}

const key = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });

test('every task runs once, those of a partition in order and never together, and never more than allowed', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(key, { maxLength: 60 }),
			fc.integer({ min: 1, max: 10 }),
			fc.infiniteStream(fc.nat({ max: 9 })),
			async (keys, concurrency, lengths) => {
				const rounds = [...lengths.take(keys.length)];
				const { results, begun, mostRunning, isKeyShared } = await observed(
					keys,
					concurrency,
					(task) => rounds[task] ?? 0,
				);

				expect(results).toEqual(keys.map((_, task) => `done ${task}`));
				expect([...begun].sort((one, other) => one - other)).toEqual([...keys.keys()]);
				for (const name of ['a', 'b', 'c', 'd']) {
					const own = begun.filter((task) => keys[task] === name);
					expect(own).toEqual([...own].sort((one, other) => one - other));
				}
				expect(isKeyShared).toBe(false);
				expect(mostRunning).toBeLessThanOrEqual(concurrency);
			},
		),
	);
});

test('a long partition at the front does not block the others', async () => {
	const { begun } = await observed(['a', 'a', 'a', 'a', 'b'], 2, () => 10);
	expect(begun.indexOf(4)).toBe(1);
});

test('after a result that stops the run, tasks in flight finish and no other starts', async () => {
	const results = await runPartitioned([...Array(10).keys()], {
		concurrency: () => 3,
		run: async (task, stop) => {
			for (let round = 0; round < 5; round++) await Promise.resolve();
			if (task === 0) stop();
			return task;
		},
	});
	expect(results).toEqual([0, 1, 2, ...Array<undefined>(7).fill(undefined)]);
});
