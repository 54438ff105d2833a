import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startN8n, type N8nOptions } from '../../support/n8n/instance';
import { answerOfPreload } from '../support/preload';
import { interleaved, rowsOf, type Suite } from '../support/suite';

const SETTLE_MS = 10_000;

const NODE_OPTIONS = `--expose-gc --require=${join(__dirname, '..', 'support', 'memoryUse.cjs')}`;

const WITH = 'n8n with this package';
const CONTESTANTS = new Map<string, N8nOptions>([
	[WITH, {}],
	['n8n without it', { tarball: false }],
]);

async function memoryOf(options: N8nOptions, settleMs: number): Promise<number> {
	const folder = await mkdtemp(join(tmpdir(), 'idle-'));
	const file = join(folder, 'memory.json');
	const n8n = await startN8n({ ...options, env: { NODE_OPTIONS, MEMORY_TO: file } });
	try {
		await sleep(settleMs);
		return (await answerOfPreload<{ megabytes: number }>(n8n.pid, file)).megabytes;
	} finally {
		await n8n.stop();
		await rm(folder, { recursive: true });
	}
}

/** How much memory an idle n8n needs with this package. */
export const idleMemory: Suite = {
	name: 'idleMemory',
	title: 'An idle n8n',
	how: 'n8n with and without the package, one after the other; what each holds ten seconds after its start, once its garbage is collected.',
	async run({ isTiny, rounds }) {
		const measures = [...CONTESTANTS].map(([name, options]): [string, () => Promise<number>] => [
			name,
			async () => await memoryOf(options, isTiny ? 0 : SETTLE_MS),
		]);
		return rowsOf('memory', 'MB', await interleaved(rounds, new Map(measures)), WITH);
	},
};
