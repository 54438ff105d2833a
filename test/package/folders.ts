import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { packTarball } from '../support/n8n/package';
import { repository } from '../support/n8n/paths';
import { run } from '../support/n8n/run';

const folders: string[] = [];

afterAll(async () => {
	await Promise.all(folders.map(async (folder) => await rm(folder, { recursive: true, force: true })));
});

/** A new folder, gone when the tests of this file have ended. */
export async function temporaryFolder(): Promise<string> {
	const folder = await realpath(await mkdtemp(join(tmpdir(), 'package-')));
	folders.push(folder);
	return folder;
}

/** What a checkout does not hold. */
const notChecked = new Set(['node_modules', 'dist', 'coverage', '.git', '.n8n']);

/** A copy of the named files and folders, or of all a checkout holds, with the dependencies of this one. */
export async function copyOfSources(names?: string[]): Promise<string> {
	const copy = await temporaryFolder();
	const filter = (file: string) => !notChecked.has(relative(repository, file));
	if (!names) await cp(repository, copy, { recursive: true, filter });
	for (const name of names ?? []) await cp(join(repository, name), join(copy, name), { recursive: true });
	await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'), 'junction');
	return copy;
}

/** The package as users get it, unpacked. */
export async function unpackedPackage(): Promise<string> {
	const folder = await temporaryFolder();
	execFileSync('tar', ['-xzf', await packTarball(), '-C', folder, '--strip-components=1']);
	return folder;
}

/** Runs a script of Node in a folder and returns what it prints. Throws the last it printed when it fails. */
export async function runScript(script: string, args: string[], cwd: string): Promise<string> {
	// n8n's rules take every file for a node when NODE_ENV is what Jest sets it to.
	const env = { ...process.env, NODE_ENV: undefined, TMPDIR: await temporaryFolder() };
	return await run(process.execPath, [script, ...args], { cwd, env });
}
