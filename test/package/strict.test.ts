import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';
import { copyOfSources, runScript } from './folders';

const shipped = ['package.json', 'eslint.config.mjs', 'tsconfig.json', 'nodes', 'credentials', 'icons'];

/** What switches a rule of the linter or the compiler off, for a line or a file. */
const suppression =
	/eslint-(disable|enable)|\/\*\s*(eslint|globals?|exported)\s|@ts-(ignore|expect-error|nocheck)/;

const n8nNode = join(repository, 'node_modules', '@n8n', 'node-cli', 'bin', 'n8n-node.mjs');

const lint = async (folder: string) => await runScript(n8nNode, ['lint'], folder);

test.each(['nodes', 'credentials'])('nothing in %s switches a rule off', async (folder) => {
	const files = (await readdir(join(repository, folder), { recursive: true })).filter((file) =>
		file.endsWith('.ts'),
	);
	const texts = await Promise.all(
		files.map(async (file) => await readFile(join(repository, folder, file), 'utf8')),
	);
	expect(files).not.toEqual([]);
	expect(files.filter((_file, index) => suppression.test(texts[index] ?? ''))).toEqual([]);
});

describe('`n8n-node lint`, which in strict mode accepts only its own rules', () => {
	test('finds nothing in what is shipped', async () => {
		expect(await lint(await copyOfSources(shipped))).not.toContain('warning');
	});

	test('finds a change to the rules', async () => {
		const copy = await copyOfSources(shipped);
		await appendFile(join(copy, 'eslint.config.mjs'), '// changed\n');
		await expect(lint(copy)).rejects.toThrow('Strict mode violation');
	});
});
