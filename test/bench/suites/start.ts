import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { ensureN8n } from '../../support/n8n/install';
import type { N8nInstall } from '../../support/n8n/paths';
import { installPackage, packTarball } from '../../support/n8n/package';
import { run } from '../../support/n8n/run';
import { median } from '../support/median';
import { installedPeers } from '../support/peers';
import { rowsOf, type Row, type Suite } from '../support/suite';

const OURS = 'this package';
const MOST_MS = 15;
const MOST_MB = 1;
const LARGEST_KB = 150;

/** What loading took. */
interface Loaded {
	ms: number;
	megabytes: number;
	nodes: number;
}

async function load(install: N8nInstall, directory: string): Promise<Loaded> {
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
	const loaded = JSON.parse(/^LOADED (.*)$/m.exec(output)?.[1] ?? '{}') as Loaded;
	if (!(loaded.nodes > 0)) throw new Error(`No node was loaded from ${directory}`);
	return loaded;
}

/** The time and memory that a package takes when n8n starts. */
export const start: Suite = {
	name: 'start',
	title: 'Start of n8n',
	how: "n8n's own loader in a fresh process, n8n-core and n8n-workflow loaded before. Memory is the heap after garbage collection. This package brings the metadata that lets n8n load its code with the first use of a node; the others do not.",
	async run({ rounds }) {
		const install = await ensureN8n();
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		try {
			await installPackage(install, folder, await packTarball());
			const ours = join(folder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-channel');
			const packages = new Map([[OURS, ours]]);
			for (const { title, directory } of await installedPeers()) packages.set(title, directory);
			const loads = new Map<string, Loaded[]>();
			for (let round = 0; round < rounds; round++)
				for (const [name, directory] of packages)
					loads.set(name, [...(loads.get(name) ?? []), await load(install, directory)]);
			const figures = (value: (loaded: Loaded) => number) =>
				new Map([...loads].map(([name, all]) => [name, all.map(value)]));
			const limit = (what: string, unit: Row['unit'], theirs: number, value: (loaded: Loaded) => number) => ({
				what,
				unit,
				ours: median((loads.get(OURS) ?? []).map(value)),
				against: 'the limit',
				theirs,
				reach: { atMost: 1 },
			});
			const less = Object.fromEntries([...packages.keys()].map((name) => [name, { atMost: 1 }]));
			return [
				limit('loading: time', 'ms', MOST_MS, ({ ms }) => ms),
				...rowsOf(
					'loading: time',
					'ms',
					figures(({ ms }) => ms),
					OURS,
					less,
				),
				limit('loading: memory', 'MB', MOST_MB, ({ megabytes }) => megabytes),
				...rowsOf(
					'loading: memory',
					'MB',
					figures(({ megabytes }) => megabytes),
					OURS,
					less,
				),
			];
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
};

/** What a user downloads. */
export const size: Suite = {
	name: 'size',
	title: 'Size',
	how: 'The packed tarball, and the packages that are installed with it.',
	async run() {
		const { size: bytes } = await stat(await packTarball());
		const { dependencies = {} } = JSON.parse(
			await readFile(join(__dirname, '..', '..', '..', 'package.json'), 'utf8'),
		) as { dependencies?: object };
		return [
			{
				what: 'tarball',
				unit: 'kB',
				ours: bytes / 1000,
				against: 'the limit',
				theirs: LARGEST_KB,
				reach: { atMost: 1 },
			},
			{
				what: 'runtime dependencies',
				unit: 'items',
				ours: Object.keys(dependencies).length,
				against: 'none',
				theirs: 0,
				reach: { atMost: 1 },
			},
		];
	},
};
