import { join } from 'node:path';
import { commandEnvironment } from './environment';
import { withLock } from './lock';
import { repository, workshop, type N8nInstall } from './paths';
import { run } from './run';
import { ensureTemplate } from './template';
import { n8nVersion } from './version';

let asked: Promise<N8nInstall> | undefined;

/** Makes sure that the program of `N8N_COMMAND` runs, and that a migrated database waits for its instances. */
export async function ensureOutsideN8n(command: string, log: (line: string) => void): Promise<N8nInstall> {
	return await (asked ??= prepare(command, log));
}

async function prepare(command: string, log: (line: string) => void): Promise<N8nInstall> {
	// An image may have to be fetched first.
	const printed = await run(command, ['--version'], {
		cwd: repository,
		env: commandEnvironment(),
		onLine: (line) => /^\d/.test(line) || log(line),
	});
	const version = printed.trim().split('\n').at(-1) ?? '';
	if (version !== n8nVersion)
		throw new Error(
			`N8N_COMMAND starts n8n ${version}, and N8N_VERSION says ${n8nVersion}: set N8N_VERSION=${version}`,
		);
	const directory = join(workshop, `outside-${version}`);
	const install = { version, directory, node: process.execPath, bin: command, isFromOutside: true };
	await withLock(
		`${directory}.lock`,
		async () => await ensureTemplate(install, log),
		(pid) => log(`Waiting for process ${pid}, which is preparing a database already …`),
	);
	return install;
}
