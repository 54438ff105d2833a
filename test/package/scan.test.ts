import { join } from 'node:path';

import { copyOfSources, runScript, unpackedPackage } from './folders';

const SCAN = join(__dirname, 'scan.mjs');

test("n8n's scanner finds nothing in the sources", async () => {
	const copy = await copyOfSources(['package.json', 'nodes', 'credentials', 'icons']);
	await expect(runScript(SCAN, [copy], copy)).resolves.toBe('');
});

test("n8n's scanner finds nothing in the packed package", async () => {
	const folder = await unpackedPackage();
	await expect(runScript(SCAN, [folder, '**/*.js', 'package.json'], folder)).resolves.toBe('');
});
