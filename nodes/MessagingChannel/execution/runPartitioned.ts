/** Settings of a partitioned run. */
export interface PartitionOptions<T, R> {
	/** The maximum number of tasks in flight, asked before each start. At least 1. */
	concurrency: () => number;
	/** Tasks with the same key run one at a time, in order. A task without a key can run at any time; without this, all can. */
	partitionKeyOf?: (task: T) => string | undefined;
	run: (task: T) => Promise<R>;
	/** Whether a result stops the run; without it, none does. Tasks in flight still finish; no other task starts. */
	shouldStop?: (result: R) => boolean;
}

/**
 * Runs tasks in parallel. Tasks with the same partition key run in order.
 *
 * @returns the results in the order of the tasks; undefined for a task that did not start
 */
export async function runPartitioned<T, R>(
	tasks: readonly T[],
	{ concurrency, partitionKeyOf, run, shouldStop }: PartitionOptions<T, R>,
): Promise<Array<R | undefined>> {
	const results = tasks.map((): R | undefined => undefined);
	const busyKeys = new Set<string | undefined>();
	/** Indexes of the tasks that wait for their partition, by partition key. */
	const waitingByKey = new Map<string | undefined, number[]>();
	const readyIndexes: number[] = [];
	let nextIndex = 0;
	let isStopped = false;

	const hasNext = () => readyIndexes.length > 0 || nextIndex < tasks.length;

	/** The index of the next task whose partition is free. */
	const takeNext = (): number | undefined => {
		const released = readyIndexes.shift();
		if (released !== undefined) return released;
		while (nextIndex < tasks.length) {
			const index = nextIndex++;
			const key = partitionKeyOf?.(tasks[index] as T);
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
		const result = await run(tasks[index] as T);
		results[index] = result;
		if (shouldStop?.(result)) isStopped = true;
		release(key);
	};

	await new Promise<void>((resolve, reject) => {
		let running = 0;
		const startMore = (): void => {
			while (!isStopped && hasNext() && running < concurrency()) {
				const index = takeNext();
				if (index === undefined) break;
				const key = partitionKeyOf?.(tasks[index] as T);
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
