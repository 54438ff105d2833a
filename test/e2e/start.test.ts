// cspell:words qefc
import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ensureInstalledN8n } from '../support/n8n/install';
import { installPackage, packTarball } from '../support/n8n/package';
import { repository } from '../support/n8n/paths';
import { poll } from '../support/poll';

/** Gives a program a terminal of its own, as Linux has it. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** The npm that somebody calls has it where Node.js can have one. */
const npmsCache = 'enableCompileCache' in nodeModule ? 'node-compile-cache' : undefined;

(hasTerminal ? test : test.skip).each(['Starting n8n', 'Ctrl-C stops'])(
	'Ctrl-C in a terminal at "%s" leaves nothing in the temporary folder',
	async (moment) => {
		const folder = await mkdtemp(join(tmpdir(), 'start-'));
		const terminal = spawn('script', ['-qefc', 'npm start', '/dev/null'], {
			cwd: repository,
			env: { ...process.env, TMPDIR: folder },
		});
		let printed = '';
		let isInterrupted = false;
		terminal.stdout.on('data', (text: Buffer) => {
			printed += text.toString();
			if (isInterrupted || !printed.includes(moment)) return;
			isInterrupted = true;
			// When n8n has begun to write.
			setTimeout(() => terminal.stdin.write('\x03'), 3_000);
		});
		let isClosed = false;
		terminal.once('close', () => (isClosed = true));
		await poll(async () => await Promise.resolve(isClosed), {
			timeoutMs: 540_000,
			failure: () => `npm start did not end: ${printed.slice(-2_000)}`,
		}).finally(() => terminal.kill());
		expect(printed).toContain(moment);
		expect(printed).toContain('Stopping');
		expect((await readdir(folder)).filter((name) => name !== npmsCache)).toEqual([]);
		await rm(folder, { recursive: true });
	},
);

test('the first start installs the package, and leaves nothing of npm in the temporary folder', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'start-'));
	const temporary = await mkdtemp(join(folder, 'tmp-'));
	// A file of its own is not installed yet.
	const tarball = join(folder, 'package.tgz');
	await copyFile(await packTarball(), tarball);
	const env = jest.replaceProperty(process, 'env', { ...process.env, TMPDIR: temporary });
	await installPackage(await ensureInstalledN8n(), folder, tarball).finally(() => env.restore());
	expect(await readdir(temporary)).toEqual([]);
	await rm(folder, { recursive: true });
});
