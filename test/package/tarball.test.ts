import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { LazyPackageDirectoryLoader, PackageDirectoryLoader } from 'n8n-core';

import manifest from '../../package.json';
import { npm, packTarball } from '../support/n8n/package';
import { repository } from '../support/n8n/paths';
import { run } from '../support/n8n/run';
import { copyOfSources, runScript, temporaryFolder, unpackedPackage } from './folders';

/** Of it, the first digits of all countries' numbers take 10 kB. */
const largest = 185_000;

/** The SHA-256 of what `npm pack` makes of a folder. */
async function packedHash(folder: string): Promise<string> {
	const destination = await temporaryFolder();
	await run(npm, ['pack', '--ignore-scripts', '--pack-destination', destination], { cwd: folder });
	const [tarball = ''] = readdirSync(destination);
	return createHash('sha256')
		.update(readFileSync(join(destination, tarball)))
		.digest('hex');
}

describe('the package', () => {
	test('holds what n8n needs and nothing else, in strict mode', async () => {
		const folder = await unpackedPackage();
		const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
		expect(readdirSync(folder)).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
		const names = files.map(({ name }) => name);
		expect(names.filter((name) => !/\.(js|json|svg|md)$|^LICENSE$/.test(name))).toEqual([]);
		const code = files.filter(({ name }) => name.endsWith('.js'));
		expect(code.map(({ name }) => name)).toContain('bundle.js');
		for (const { parentPath, name } of code)
			expect(readFileSync(join(parentPath, name), 'utf8')).toMatch(/^['"]use strict['"];/);
	});

	test(`is at most ${largest / 1000} kB`, async () => {
		expect(statSync(await packTarball()).size).toBeLessThanOrEqual(largest);
	});

	test('depends on nothing at run time but n8n', () => {
		const { peerDependencies, peerDependenciesMeta } = manifest;
		for (const field of ['dependencies', 'optionalDependencies']) expect(manifest).not.toHaveProperty(field);
		expect(peerDependencies).toEqual({ '@n8n/ai-node-sdk': '*', 'n8n-workflow': '*' });
		// npm would install it beside n8n's own, and an older n8n does not have it.
		expect(peerDependenciesMeta).toEqual({ '@n8n/ai-node-sdk': { optional: true } });
	});

	test('is published with a statement of where it was built, or after a build and the gates', () => {
		expect(manifest.publishConfig.provenance).toBe(true);
		expect(manifest.scripts.prepublishOnly).toBe('npm run build && npm run gates');
	});

	test('tells n8n at its start what its code says', async () => {
		const atStart = new LazyPackageDirectoryLoader(repository);
		await atStart.loadAll();
		expect(atStart.isLazyLoaded).toBe(true);
		const fromCode = new PackageDirectoryLoader(repository);
		await fromCode.loadAll();
		const told = ({ known, types }: PackageDirectoryLoader) =>
			// The list of methods is only for whoever makes the metadata.
			JSON.parse(
				JSON.stringify({ known, types }, (key, value: unknown) =>
					key === '__loadOptionsMethods' ? undefined : value,
				),
			) as unknown;
		expect(told(atStart)).toEqual(told(fromCode));
	});

	test('lets n8n start, which loads the credential, without the code of the nodes', async () => {
		const script = `require('./${manifest.n8n.credentials.join()}'); console.log(Object.keys(require.cache).join());`;
		const loaded = await runScript('--eval', [script], repository);
		expect(loaded).toContain('MessagingChannelApi.credentials.js');
		expect(loaded).not.toContain('bundle.js');
	});

	test('is the same to the byte when it is built again, somewhere else', async () => {
		const copy = await copyOfSources();
		const gulp = join(repository, 'node_modules', 'gulp', 'bin', 'gulp.js');
		await runScript(gulp, ['build'], copy);
		expect(await packedHash(copy)).toBe(await packedHash(repository));
	});
});
