/** Settings of a partitioned run. */
export interface PartitionOptions<T, R> {
	/** The maximum number of tasks in flight, asked before each start. At least 1. */
	concurrency: () => number;
	/** The partition of each task. Those with the same key run one at a time, in order; a task without a key can run at any time. */
	keys?: ReadonlyArray<string | undefined>;
	/**
	 * Runs a task.
	 *
	 * @param stop ends the run: tasks in flight still finish; no other task starts
	 */
	run: (task: T, stop: () => void) => Promise<R>;
}

/**
 * Runs tasks in parallel. Tasks with the same partition key run in order.
 *
 * @returns the results in the order of the tasks; undefined for a task that did not start
 */
export async function runPartitioned<T, R>(
	tasks: readonly T[],
	{ concurrency, keys = [], run }: PartitionOptions<T, R>,
): Promise<Array<R | undefined>> {
	const results = tasks.map((): R | undefined => undefined);
	const busyKeys = new Set<string | undefined>();
	/** Indexes of the tasks that wait for their partition, by partition key. */
	const waitingByKey = new Map<string | undefined, number[]>();
	const readyIndexes: number[] = [];
	let nextIndex = 0;
	let isStopped = false;

	/** The index of the next task whose partition is free. */
	const takeNext = (): number | undefined => {
		const released = readyIndexes.shift();
		if (released !== undefined) return released;
		while (nextIndex < tasks.length) {
			const index = nextIndex++;
			const key = keys[index];
			if (key === undefined || !busyKeys.has(key)) return index;
			const waiting = waitingByKey.get(key);
			if (waiting) waiting.push(index);
			else waitingByKey.set(key, [index]);
		}
		return undefined;
	};

	const release = (key: string | undefined): void => {
		const waiting = waitingByKey.get(key)?.shift();
		if (waiting === undefined) busyKeys.delete(key);
		else readyIndexes.push(waiting);
	};

	const runAt = async (index: number, key: string | undefined): Promise<void> => {
		results[index] = await run(tasks[index] as T, () => void (isStopped = true));
		release(key);
	};

	await new Promise<void>((resolve, reject) => {
		let running = 0;
		const startMore = (): void => {
			while (!isStopped && (readyIndexes.length > 0 || nextIndex < tasks.length) && running < concurrency()) {
				const index = takeNext();
				if (index === undefined) break;
				const key = keys[index];
				busyKeys.add(key);
				running++;
				runAt(index, key).then(() => {
					running--;
					startMore();
				}, reject);
			}
			if (running === 0) resolve();
		};
		startMore();
	});
	return results;
}
