// cspell:words qefc
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';

/** Gives a program a terminal of its own, as Linux has it. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

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
		await new Promise((resolve) => terminal.once('close', resolve));
		expect(printed).toContain(moment);
		expect(printed).toContain('Stopping');
		expect((await readdir(folder)).filter((name) => name.startsWith('n8n-'))).toEqual([]);
		await rm(folder, { recursive: true });
	},
);
