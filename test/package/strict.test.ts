import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';
import { copyOfSources, runScript } from './folders';

/** What switches a rule of the linter or the compiler off, for a line or a file. */
const suppression =
	/eslint-(disable|enable)|\/\*\s*(eslint|globals?|exported)\s|@ts-(ignore|expect-error|nocheck)/;

test.each(['nodes', 'credentials'])('nothing in %s switches a rule off', async (folder) => {
	const files = (await readdir(join(repository, folder), { recursive: true })).filter((file) =>
		file.endsWith('.ts'),
	);
	expect(files).not.toEqual([]);
	for (const file of files)
		expect([file, await readFile(join(repository, folder, file), 'utf8')]).toEqual([
			file,
			expect.not.stringMatching(suppression),
		]);
});

test('`n8n-node lint`, which in strict mode accepts only its own rules, finds nothing', async () => {
	const shipped = ['package.json', 'eslint.config.mjs', 'tsconfig.json', 'nodes', 'credentials', 'icons'];
	const n8nNode = join(repository, 'node_modules', '@n8n', 'node-cli', 'bin', 'n8n-node.mjs');
	expect(await runScript(n8nNode, ['lint'], await copyOfSources(shipped))).not.toContain('warning');
});
