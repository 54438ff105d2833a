import chunk from 'lodash/chunk';

import type { N8nOptions } from '../../support/n8n/instance';
import { mismatches, type Outcome, type Played } from './compare';
import { startSharedN8n, type SharedN8n } from './sharedN8n';

/** How a world is played in both. */
interface Players<Script> {
	inN8n: (shared: SharedN8n, script: Script) => Promise<Outcome>;
	simulate: (script: Script, numbers: readonly number[]) => Promise<Outcome>;
}

/** More at once make n8n slower than the simulated one ever is. */
const AT_ONCE = 9;

/**
 * Plays scripts in a real n8n, some at the same time.
 *
 * @returns a description of each of which the simulation does not allow what happened
 */
export async function playInN8n<Script>(
	scripts: Script[],
	{ inN8n, simulate }: Players<Script>,
	options?: N8nOptions,
): Promise<string[]> {
	const played: Array<Played<Script>> = [];
	for (const some of chunk(scripts, AT_ONCE)) {
		const shared = await startSharedN8n(some.length, options);
		try {
			const playing = some.map(async (script) => ({
				script,
				outcome: await shared.play(async () => await inN8n(shared, script)),
			}));
			played.push(...(await Promise.all(playing)));
		} finally {
			await shared.stop();
		}
	}
	return await mismatches(played, simulate);
}
