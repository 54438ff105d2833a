import type { Engine } from './engine';
import type { KeyRow } from './keyRow';
import { stored, type Run, type RunOptions } from './run';

/**
 * Returns a function that does "Retry execution" of this execution in n8n's list. Only the row knows what earlier retries of
 * it have sent.
 */
export function retriedFromList(
	engine: Engine,
): (original: Pick<Run, 'execution'>, row: KeyRow, options: RunOptions) => Promise<Run> {
	let retries = 0;
	return async ({ execution }, row, options) =>
		await engine.run({
			...options,
			mode: 'retry',
			execution: stored(execution),
			executionId: `retry ${++retries}`,
			row,
		});
}
