import { sortedLastIndexBy } from 'lodash';

/** Something that will happen at a moment of the simulated time. */
interface Happening {
	at: number;
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
	let questions = 0;
	let lastId = 0;
	/** The next first. */
	const queue: Happening[] = [];

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
			const happening = { at: now + Math.max(ms, 0), run, isFenced };
			// Behind what will happen at the same moment.
			queue.splice(
				sortedLastIndexBy(queue, happening, ({ at }) => at),
				0,
				happening,
			);
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
				for (let next = queue[0]; next && next.at <= until; next = queue[0]) {
					queue.shift();
					if (steps++ > MOST_STEPS) throw endless();
					if (next.isFenced()) continue;
					now = next.at;
					next.run();
					return true;
				}
				return false;
			});
			if (until !== Infinity) now = Math.max(now, until);
		},
	};
}
