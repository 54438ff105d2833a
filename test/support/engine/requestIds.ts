import { toEach, type Engine } from './engine';
import type { KeyRow } from './keyRow';
import type { Run, RunOptions } from './run';

/** Each message has the number of its row as its request ID. */
export const ID = { requestId: '={{ $json.row }}-march' };

/** One text to each of so many people, with the numbers of their rows. */
export const rows = (count: number, first = 0, text = 'm') =>
	toEach(count + first, text)
		.map((item, row) => ({ ...item, row }))
		.slice(first);

/** Returns a function that runs the node in an n8n that has been started anew: only the row is left. */
export function startedAnew(engine: Engine): (row: KeyRow, options: RunOptions) => Promise<Run> {
	let processes = 0;
	return async (row, options) => {
		const name = `started anew ${++processes}`;
		return await engine.run({
			options: ID,
			executionId: name,
			...options,
			row,
			isStartedAnew: true,
			node: { id: name, ...options.node },
		});
	};
}
