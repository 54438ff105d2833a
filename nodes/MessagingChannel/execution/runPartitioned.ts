/** A piece of work that must not run beside others of its lane. */
export interface LaneTask {
	/** Tasks of the same lane run one at a time, in their order; a task without one runs freely. */
	lane?: string;
	run: () => Promise<void>;
}

/**
 * Runs tasks side by side, in lanes.
 *
 * @param concurrency how many run at the same time
 * @param goesOn asked before each task starts; once it says no, those under way are finished and no other starts
 */
export async function runInLanes(
	tasks: Iterable<LaneTask>,
	concurrency: number,
	goesOn: () => boolean,
): Promise<void> {
	const busy = new Set<LaneTask['lane']>();
	const held = new Map<LaneTask['lane'], LaneTask[]>();
	const source = tasks[Symbol.iterator]();
	const ready: LaneTask[] = [];

	/** The next task whose lane is free. Those whose lane is busy are set aside for when it ends. */
	const next = (): LaneTask | undefined => {
		const freed = ready.shift();
		if (freed) return freed;
		for (let { value, done } = source.next(); !done; { value, done } = source.next()) {
			const task = value as LaneTask;
			if (task.lane === undefined || !busy.has(task.lane)) return task;
			const waiting = held.get(task.lane);
			if (waiting) waiting.push(task);
			else held.set(task.lane, [task]);
		}
		return undefined;
	};

	const release = (lane: LaneTask['lane']): void => {
		const waiting = held.get(lane)?.shift();
		if (waiting) ready.push(waiting);
		else busy.delete(lane);
	};

	const work = async (): Promise<void> => {
		while (goesOn()) {
			const task = next();
			if (!task) return;
			const { lane } = task;
			busy.add(lane);
			await task.run();
			release(lane);
		}
	};

	await Promise.all(Array.from({ length: concurrency }, work));
}
