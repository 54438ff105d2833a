/** Something that will happen at a moment of the simulated time. */
interface Happening {
	at: number;
	/** Earlier ones go first when the moment is the same. */
	order: number;
	run: () => void;
	/** Asked when it is due: what belongs to a dead process does not happen. */
	isFenced: () => boolean;
}

/** More steps than any history needs: it goes round in circles. */
const MOST_STEPS = 20_000;

/** The time is asked for more often in one step than any code needs: it goes round in circles without a pause. */
const MOST_QUESTIONS = 100_000;

/** So many steps share a turn of the event loop at the most. */
const STEPS_PER_TURN = 64;

/**
 * Takes one step after the other until one returns false, and lets all promises that are due settle before each: Node does
 * that before each callback of `setImmediate`, of which one turn of the event loop calls many. A turn takes microseconds.
 */
async function takeSteps(step: () => boolean): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		let isOver = false;
		const take = (): void => {
			if (isOver) return;
			try {
				isOver = !step();
				if (isOver) resolve();
			} catch (error) {
				isOver = true;
				reject(error as Error);
			}
		};
		// Most runs are short.
		const turn = (steps: number): void => {
			if (isOver) return;
			for (let count = 0; count < steps; count++) setImmediate(take);
			setImmediate(turn, Math.min(2 * steps, STEPS_PER_TURN));
		};
		turn(2);
	});
}

/** The time of a simulated world, and all that waits in it. */
export type Scheduler = ReturnType<typeof createScheduler>;

/** @param startsAt Unix time in milliseconds */
export function createScheduler(startsAt: number) {
	let now = startsAt;
	let order = 0;
	let questions = 0;
	let lastId = 0;
	/** A binary heap, the next on top. */
	const heap: Happening[] = [];

	const isBefore = (one: Happening, other: Happening) =>
		one.at < other.at || (one.at === other.at && one.order < other.order);

	const push = (happening: Happening): void => {
		let at = heap.push(happening) - 1;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (!isBefore(heap[at] as Happening, heap[parent] as Happening)) return;
			[heap[at], heap[parent]] = [heap[parent] as Happening, heap[at] as Happening];
			at = parent;
		}
	};

	const pop = (): Happening => {
		const [top] = heap as [Happening];
		const last = heap.pop() as Happening;
		if (heap.length === 0) return top;
		heap[0] = last;
		for (let at = 0; ;) {
			const [left, right] = [2 * at + 1, 2 * at + 2];
			let least = at;
			if (left < heap.length && isBefore(heap[left] as Happening, heap[least] as Happening)) least = left;
			if (right < heap.length && isBefore(heap[right] as Happening, heap[least] as Happening)) least = right;
			if (least === at) return top;
			[heap[at], heap[least]] = [heap[least] as Happening, heap[at] as Happening];
			at = least;
		}
	};

	const endless = () => new Error('The history does not come to an end');

	return {
		/** Counts from 1, in every history anew. */
		nextId: () => ++lastId,
		/**
		 * Unix time in milliseconds.
		 *
		 * @throws Error when code that never waits keeps asking, so that its loop ends
		 */
		now(): number {
			if (++questions > MOST_QUESTIONS) throw endless();
			return now;
		},
		/** Lets something happen so many milliseconds later, unless it is fenced off by then. */
		after(ms: number, run: () => void, isFenced = () => false): void {
			push({ at: now + Math.max(ms, 0), order: order++, run, isFenced });
		},
		/**
		 * Lets everything happen until nothing is left, or nothing before a moment.
		 *
		 * @throws Error when it does not come to an end
		 */
		async run(until = Infinity): Promise<void> {
			let steps = 0;
			await takeSteps(() => {
				// Throws again what the code in a loop may have caught.
				if (questions > MOST_QUESTIONS) throw endless();
				questions = 0;
				// What is fenced off takes no step.
				while (heap.length > 0 && (heap[0] as Happening).at <= until) {
					if (steps++ > MOST_STEPS) throw endless();
					const { at, run, isFenced } = pop();
					if (isFenced()) continue;
					now = at;
					run();
					return true;
				}
				return false;
			});
			if (until !== Infinity) now = Math.max(now, until);
		},
	};
}
