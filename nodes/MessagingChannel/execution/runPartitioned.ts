/** How tasks run side by side. */
export interface Partitioning<T, R> {
	/** How many run at the same time. */
	concurrency: number;
	/** Tasks with the same key run one at a time, in their order; a task without one runs freely. */
	partitionKeyOf: (task: T) => string | undefined;
	run: (task: T) => Promise<R>;
	/** Once a result is such a one, the tasks in flight are finished and no other starts. */
	isLast: (result: R) => boolean;
}

/**
 * Runs tasks side by side, those of a partition in their order.
 *
 * @returns the results in the order of the tasks; undefined for a task that did not start
 */
export async function runPartitioned<T, R>(
	tasks: readonly T[],
	{ concurrency, partitionKeyOf, run, isLast }: Partitioning<T, R>,
): Promise<Array<R | undefined>> {
	const results = tasks.map((): R | undefined => undefined);
	const busy = new Set<string>();
	/** Tasks whose partition was busy when their turn came, by its key. */
	const held = new Map<string, number[]>();
	const ready: number[] = [];
	let position = 0;
	let isOver = false;

	/** The position of the next task whose partition is free. */
	const next = (): number | undefined => {
		const freed = ready.shift();
		if (freed !== undefined) return freed;
		while (position < tasks.length) {
			const index = position++;
			const key = partitionKeyOf(tasks[index] as T);
			if (key === undefined || !busy.has(key)) return index;
			const waiting = held.get(key);
			if (waiting) waiting.push(index);
			else held.set(key, [index]);
		}
		return undefined;
	};

	const release = (key: string): void => {
		const waiting = held.get(key)?.shift();
		if (waiting === undefined) busy.delete(key);
		else ready.push(waiting);
	};

	const work = async (): Promise<void> => {
		while (!isOver) {
			const index = next();
			if (index === undefined) return;
			const task = tasks[index] as T;
			const key = partitionKeyOf(task);
			if (key !== undefined) busy.add(key);
			const result = await run(task);
			results[index] = result;
			isOver ||= isLast(result);
			if (key !== undefined) release(key);
		}
	};

	await Promise.all(Array.from({ length: concurrency }, work));
	return results;
}
