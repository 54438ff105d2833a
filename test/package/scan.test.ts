import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { copyOfSources, runScript, unpackedPackage } from './folders';

const shipped = ['package.json', 'nodes', 'credentials', 'icons'];

/** Runs n8n's scanner on the files of a folder, those of the sources unless told otherwise. Throws what it finds. */
async function scan(folder: string, ...patterns: string[]): Promise<void> {
	await runScript(join(__dirname, 'scan.mjs'), [folder, ...patterns], folder);
}

describe("n8n's scanner", () => {
	test('finds nothing in the sources', async () => {
		await scan(await copyOfSources(shipped));
	});

	test('finds nothing in the packed package', async () => {
		await scan(await unpackedPackage(), '**/*.js', 'package.json');
	});

	const node = 'nodes/MessagingChannel/MessagingChannel.node.ts';

	test.each([
		['a log line whose rule is switched off', '// eslint-disable-next-line\nconsole.log(1);', 'no-console'],
		['an import of a module of Node', "import 'node:fs';", 'no-restricted-imports'],
		['the environment', 'export const home = process.env.HOME;', 'no-restricted-globals'],
	])('finds %s in a source', async (_what, line, rule) => {
		const copy = await copyOfSources(shipped);
		await appendFile(join(copy, node), `\n${line}\n`);
		await expect(scan(copy, node)).rejects.toThrow(rule);
	});

	test('finds a module of Node in the packed code', async () => {
		const folder = await unpackedPackage();
		const compiled = `dist/${node.replace('.ts', '.js')}`;
		await appendFile(join(folder, compiled), "require('fs');\n");
		await expect(scan(folder, compiled)).rejects.toThrow('no-restricted-imports');
	});

	test('finds a dependency in the packed manifest', async () => {
		const manifest = join(await unpackedPackage(), 'package.json');
		const contents = JSON.parse(await readFile(manifest, 'utf8')) as object;
		await writeFile(manifest, JSON.stringify({ ...contents, dependencies: { lodash: '4.17.21' } }));
		await expect(scan(join(manifest, '..'), 'package.json')).rejects.toThrow('no-runtime-dependencies');
	});
});
