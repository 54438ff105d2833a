import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { ensureInstalledN8n } from '../../support/n8n/install';
import { installPackage, packTarball } from '../../support/n8n/package';
import type { N8nInstall } from '../../support/n8n/paths';
import { run } from '../../support/n8n/run';
import { interleaved, type Suite } from '../support/suite';

/** Milliseconds and megabytes that n8n's loader takes for a package. */
async function load(install: N8nInstall, directory: string): Promise<{ ms: number; megabytes: number }> {
	const n8n = await realpath(install.bin);
	const paths = createRequire(n8n).resolve.paths('n8n-workflow') ?? [];
	const script = join(__dirname, '..', 'support', 'loadPackage.cjs');
	// The first package that a process loads pays for what n8n's loader itself needs.
	const warmUp = join(__dirname, '..', 'floor', 'n8n-nodes-floor');
	const output = await run(install.node, ['--expose-gc', script, n8n, warmUp, directory], {
		cwd: tmpdir(),
		// n8n lets packages find what it brings in the same way.
		env: { PATH: process.env.PATH, NODE_PATH: paths.join(delimiter) },
	});
	const loaded = JSON.parse(/^LOADED (.*)$/m.exec(output)?.[1] ?? '{}') as { [what: string]: number };
	if (!loaded.nodes) throw new Error(`No node was loaded from ${directory}`);
	return { ms: loaded.ms ?? NaN, megabytes: loaded.megabytes ?? NaN };
}

/** The time and memory that the package takes when n8n starts, and what a user downloads. */
export const start: Suite = {
	name: 'start',
	title: 'Start of n8n',
	how: "n8n's own loader in a fresh process, n8n-core and n8n-workflow loaded before. Memory is the heap after garbage collection.",
	async run(scale) {
		const install = await ensureInstalledN8n();
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		try {
			const tarball = await packTarball();
			await installPackage(install, folder, tarball);
			const directory = join(folder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-channel');
			const { ours } = await interleaved(scale, { ours: async () => await load(install, directory) }, 0);
			const limit = { against: 'the limit', reach: { atMost: 1 } };
			return [
				{ what: 'loading: time', unit: 'ms', ours: ours?.ms ?? NaN, theirs: 15, ...limit },
				{ what: 'loading: memory', unit: 'MB', ours: ours?.megabytes ?? NaN, theirs: 1, ...limit },
				{ what: 'tarball', unit: 'kB', ours: (await stat(tarball)).size / 1000, theirs: 166, ...limit },
			];
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
};
