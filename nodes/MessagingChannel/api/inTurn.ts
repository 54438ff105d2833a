/** Does one piece of work after the other, in the order in which they were asked for. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue for work that must not overlap. A piece that fails holds up none after it. */
export function createInTurn(): InTurn {
	let last: Promise<unknown> = Promise.resolve();
	return async (work) => {
		const result = last.then(work);
		last = result.catch(() => undefined);
		return await result;
	};
}
