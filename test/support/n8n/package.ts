import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { eventually, poll } from '../poll';
import { hashOf } from './hash';
import { withLock } from './lock';
import { repository, workshop, type N8nInstall } from './paths';
import { run } from './run';

/** How npm is called on this system. */
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const contents = ['dist', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'LICENSE.md'];

/** Packs this package as it would be published and returns the tarball; the same contents are packed once. */
export async function packTarball(): Promise<string> {
	const failure = 'There is no dist folder: run `npm run build` first';
	// A build replaces it.
	await poll(async () => await Promise.resolve(existsSync(join(repository, 'dist'))), {
		timeoutMs: 60_000,
		failure,
	});
	const pack = async () => await packUnchanged().catch(ifReplaced);
	return String(await eventually(pack, (tarball) => tarball !== undefined));
}

/** A file that was listed is gone. */
function ifReplaced(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}

/** Packs the contents of a moment. Returns undefined if a build replaced them meanwhile. */
async function packUnchanged(): Promise<string | undefined> {
	const hash = await hashOf(repository, contents);
	const directory = join(workshop, 'packages', hash);
	await withLock(
		`${directory}.lock`,
		async () => {
			if (existsSync(directory)) return;
			const temporary = `${directory}.tmp`;
			await rm(temporary, { recursive: true, force: true });
			await mkdir(temporary, { recursive: true });
			await run(npm, ['pack', '--ignore-scripts', '--pack-destination', temporary], { cwd: repository });
			if ((await hashOf(repository, contents)) === hash) await rename(temporary, directory);
		},
		() => undefined,
	);
	if (!existsSync(directory)) return undefined;
	const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz'));
	if (!tarball) throw new Error(`npm pack left no tarball in ${directory}`);
	return join(directory, tarball);
}

/**
 * Installs a packed package into a user folder with n8n's own npm command. npm runs once per tarball: its result, the
 * folder `nodes`, is kept beside the tarball and copied.
 */
export async function installPackage(
	install: N8nInstall,
	userFolder: string,
	tarball: string,
): Promise<void> {
	const installed = join(dirname(tarball), `${basename(tarball, '.tgz')}.nodes`);
	await withLock(
		`${installed}.lock`,
		async () => {
			if (existsSync(installed)) return;
			const temporary = `${installed}.tmp`;
			await rm(temporary, { recursive: true, force: true });
			await mkdir(temporary, { recursive: true });
			await writeFile(
				join(temporary, 'package.json'),
				JSON.stringify({ name: 'installed-nodes', private: true }),
			);
			await run(
				npm,
				['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', tarball],
				{
					cwd: temporary,
					env: {
						...process.env,
						PATH: [dirname(install.node), process.env.PATH].join(delimiter),
						// npm's cache would stay in the temporary folder.
						NODE_DISABLE_COMPILE_CACHE: '1',
					},
				},
			);
			await rename(temporary, installed);
		},
		() => undefined,
	);
	const nodes = join(userFolder, '.n8n', 'nodes');
	await rm(nodes, { recursive: true, force: true });
	await cp(installed, nodes, { recursive: true });
}
