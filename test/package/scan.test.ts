import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

import { copyOfSources, runScript, unpackedPackage } from './folders';

/** Runs n8n's scanner on the files of a folder, those of the sources unless told otherwise. Throws what it finds. */
async function scan(folder: string, ...patterns: string[]): Promise<void> {
	await runScript(join(__dirname, 'scan.mjs'), [folder, ...patterns], folder);
}

test("n8n's scanner finds nothing in the sources, but would", async () => {
	const copy = await copyOfSources(['package.json', 'nodes', 'credentials', 'icons']);
	await scan(copy);
	const node = 'nodes/MessagingChannel/MessagingChannel.node.ts';
	await appendFile(
		join(copy, node),
		'\n// eslint-disable-next-line\nexport const home = process.env.HOME;\n',
	);
	await expect(scan(copy, node)).rejects.toThrow('no-restricted-globals');
});

test("n8n's scanner finds nothing in the packed package, but would", async () => {
	const folder = await unpackedPackage();
	await scan(folder, '**/*.js', 'package.json');
	const node = 'dist/nodes/MessagingChannel/MessagingChannel.node.js';
	await appendFile(join(folder, node), "require('fs');\n");
	await expect(scan(folder, node)).rejects.toThrow('no-restricted-imports');
});
