// cspell:words nodedir
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hashOf } from './hash';
import { withLock } from './lock';
import { repository, workshop, type N8nInstall } from './paths';
import { run } from './run';
import { ensureTemplate } from './template';
import { ensureOutsideN8n } from './outside';
import { n8nCommand, n8nVersion as version, underTest } from './version';

type Log = (line: string) => void;

/** Makes sure that there is an n8n, and that a migrated database waits for its instances. */
export const ensureN8n = async ({ log = console.log }: { log?: Log } = {}): Promise<N8nInstall> =>
	n8nCommand ? await ensureOutsideN8n(n8nCommand, log) : await ensureInstalledN8n({ log });

/**
 * Makes sure that n8n is installed as its lockfile says. Does nothing when that is so already.
 *
 * @throws Error when `N8N_COMMAND` gives another n8n, of which the files are not known
 */
export async function ensureInstalledN8n({ log = console.log }: { log?: Log } = {}): Promise<N8nInstall> {
	if (n8nCommand) throw new Error('This needs the n8n that is installed here: run it without N8N_COMMAND');
	const source = join(repository, 'test', 'support', 'n8n', 'versions', version);
	const directory = join(workshop, version);
	// The owner is in the prepared database.
	const stamp = await hashOf(join(source, '..', '..'), [join('versions', version), 'owner.ts']);
	const isInstalled = async () =>
		existsSync(join(directory, 'template')) &&
		(await readFile(join(directory, '.stamp'), 'utf8').catch(() => '')) === stamp;

	if (!(await isInstalled())) {
		await withLock(
			join(workshop, `${version}.lock`),
			async () => {
				if (await isInstalled()) return;
				await installN8n(source, directory, log);
				await ensureTemplate(locate(directory), log);
				await writeFile(join(directory, '.stamp'), stamp);
			},
			(pid) => log(`Waiting for process ${pid}, which is installing n8n ${version} already …`),
		);
	}
	return locate(directory);
}

async function installN8n(source: string, directory: string, log: Log): Promise<void> {
	const started = Date.now();
	const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
	log(`Installing n8n ${version} into .n8n/${version}, once: 2 to 4 minutes and about 2 GB`);
	await mkdir(directory, { recursive: true });
	await rm(join(directory, 'template'), { recursive: true, force: true });
	for (const file of ['package.json', 'pnpm-lock.yaml'])
		await copyFile(join(source, file), join(directory, file));

	log('  1/3 fetching about 1,900 packages');
	await pnpm(directory, ['install', '--frozen-lockfile', '--ignore-scripts', '--prefer-offline'], {
		onLine: progress((line) => log(`      ${line}`)),
	});

	log(`  2/3 building the database driver, about a minute (${seconds()} so far)`);
	const beat = setInterval(() => log(`      still building (${seconds()} so far)`), 15_000);
	try {
		await buildNativeModules(directory);
	} finally {
		clearInterval(beat);
	}
	log(`  3/3 preparing a database (${seconds()} so far)`);
}

async function buildNativeModules(directory: string): Promise<void> {
	const install = locate(directory);
	if (loadsNativeModules(install)) return;
	const shipped = shippedNode(directory);
	try {
		await pnpm(directory, ['rebuild'], {
			env: {
				...process.env,
				// The build runs with the Node that n8n will run with, and finds that one's headers without a download.
				...(shipped && {
					PATH: [join(shipped, 'bin'), process.env.PATH].join(delimiter),
					npm_config_nodedir: shipped,
				}),
				CI: 'true',
			},
		});
	} catch (error) {
		throw withMissingTools(error as Error);
	}
	if (!loadsNativeModules(install))
		throw withMissingTools(new Error('n8n was built, but its database driver (sqlite3) does not load'));
}

/** n8n starts only when its database driver and its expression sandbox load in the Node that runs it. */
function loadsNativeModules(install: N8nInstall): boolean {
	const script = `
		const { realpathSync } = require('node:fs');
		const load = require('node:module').createRequire(realpathSync(process.argv[1]));
		['sqlite3', 'isolated-vm'].forEach(load);`;
	return spawnSync(install.node, ['--no-node-snapshot', '-e', script, install.bin]).status === 0;
}

function withMissingTools(error: Error): Error {
	const missing = ['python3', 'make', 'g++'].filter(
		(tool) => spawnSync(tool, ['--version']).error !== undefined,
	);
	if (missing.length === 0) return error;
	return new Error(
		`n8n's database driver is compiled on this machine and needs ${missing.join(', ')}. ` +
			'Install it (Debian/Ubuntu: apt install python3 make g++; macOS: xcode-select --install) and run this again.',
		{ cause: error },
	);
}

async function pnpm(
	directory: string,
	args: string[],
	{ env = { ...process.env, CI: 'true' }, onLine }: { env?: NodeJS.ProcessEnv; onLine?: Log },
): Promise<void> {
	const entry = join(repository, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
	// The folder is its own project, whatever the folders above it are.
	const flags = ['--ignore-workspace', '--reporter=append-only'];
	await run(process.execPath, [entry, ...args, ...flags], { cwd: directory, env, onLine });
}

function locate(directory: string): N8nInstall {
	return {
		version,
		directory,
		node: nodeFor(directory),
		bin: join(directory, 'node_modules', 'n8n', 'bin', 'n8n'),
		isFromOutside: false,
	};
}

function nodeFor(directory: string): string {
	const shipped = shippedNode(directory);
	if (shipped) return join(shipped, 'bin', 'node');
	const { node } = underTest;
	if (node.includes(Number(process.versions.node.split('.')[0]))) return process.execPath;
	throw new Error(
		`n8n ${version} needs Node ${node.join(' or ')}; this is ${process.version} and no package brings one for ` +
			`${process.platform} ${process.arch}. Run this with Node ${node.at(-1)}.`,
	);
}

/** The folder of the Node that was installed beside n8n for this platform, with its binary and headers. */
function shippedNode(directory: string): string | undefined {
	const modules = join(directory, 'node_modules');
	if (!existsSync(modules)) return undefined;
	return readdirSync(modules)
		.filter((name) => name.startsWith('node-'))
		.map((name) => join(modules, name))
		.find((folder) => existsSync(join(folder, 'bin', 'node')));
}

/** Passes on one of pnpm's many progress lines every three seconds, and the last. */
function progress(log: Log): Log {
	let last = 0;
	return (line) => {
		if (!line.startsWith('Progress') || (Date.now() - last < 3_000 && !line.endsWith('done'))) return;
		last = Date.now();
		log(line);
	};
}
