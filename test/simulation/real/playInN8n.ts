import type { N8nOptions } from '../../support/n8n/instance';
import { mismatches, type Outcome } from './compare';
import { startSharedN8n, type SharedN8n } from './sharedN8n';

/** How a world is played in both. */
interface Players<Script> {
	inN8n: (shared: SharedN8n, script: Script) => Promise<Outcome>;
	simulate: (script: Script, numbers: readonly number[]) => Promise<Outcome>;
}

/**
 * Plays scripts in a real n8n, all at the same time.
 *
 * @returns a description of each of which the simulation does not allow what happened
 */
export async function playInN8n<Script>(
	scripts: Script[],
	{ inN8n, simulate }: Players<Script>,
	options?: N8nOptions,
): Promise<string[]> {
	const shared = await startSharedN8n(scripts.length, options);
	try {
		const played = await Promise.all(
			scripts.map(async (script) => ({
				script,
				outcome: await shared.play(async () => await inN8n(shared, script)),
			})),
		);
		return await mismatches(played, simulate);
	} finally {
		await shared.stop();
	}
}
