import { copyFile, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { npm } from '../support/n8n/package';
import { repository } from '../support/n8n/paths';
import { run } from '../support/n8n/run';
import { temporaryFolder } from './folders';

interface Entry {
	integrity?: string;
	resolved?: string;
}

const textOf = (...path: string[]) => readFileSync(join(repository, ...path), 'utf8');

const hasNoHash = ({ integrity = '' }: Entry) => !integrity.startsWith('sha512-');

interface NpmLock {
	packages: Record<string, Entry>;
}

const npmLock = () => JSON.parse(textOf('package-lock.json')) as NpmLock;

/** Lets npm judge whether a lockfile has all that package.json asks for, on every platform. Throws what is missing. */
async function install(lock: NpmLock): Promise<void> {
	const folder = await temporaryFolder();
	for (const file of ['package.json', '.npmrc']) await copyFile(join(repository, file), join(folder, file));
	await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
	await run(npm, ['ci', '--dry-run', '--offline', '--loglevel', 'error'], { cwd: folder });
}

describe('package-lock.json', () => {
	test('has a hash of every package, and no address of a registry', () => {
		const entries = Object.entries(npmLock().packages).filter(([path]) => path !== '');
		expect(entries.length).toBeGreaterThan(1_000);
		expect(entries.filter(([, entry]) => hasNoHash(entry) || entry.resolved)).toEqual([]);
	});

	test('is all that `npm ci` needs', async () => {
		await install(npmLock());
	});

	test.each(['node_modules/typescript', 'node_modules/@swc/core-darwin-arm64'])(
		'would not do without %s',
		async (path) => {
			const { [path]: left, ...packages } = npmLock().packages;
			expect(left).toBeDefined();
			await expect(install({ ...npmLock(), packages })).rejects.toThrow('failed (exit code 1)');
		},
	);
});

interface Snapshot {
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

interface PnpmLock {
	importers: { '.': Record<keyof Snapshot, Record<string, { specifier: string; version: string }>> };
	packages: Record<string, { resolution: Entry & { tarball?: string } }>;
	snapshots: Record<string, Snapshot>;
}

const versions = readdirSync(join(repository, 'test', 'support', 'n8n', 'versions'));

describe.each(versions)('pnpm-lock.yaml of n8n %s', (version) => {
	const folder = ['test', 'support', 'n8n', 'versions', version];
	const { importers, packages, snapshots } = parse(textOf(...folder, 'pnpm-lock.yaml')) as PnpmLock;
	const project = importers['.'];

	test('has a hash of every package, and no address of a registry', () => {
		const entries = Object.entries(packages);
		expect(entries.length).toBeGreaterThan(1_000);
		expect(entries.filter(([, { resolution }]) => hasNoHash(resolution) || resolution.tarball)).toEqual([]);
	});

	test('is of the package.json beside it', () => {
		const manifest = JSON.parse(textOf(...folder, 'package.json')) as Snapshot;
		for (const kind of ['dependencies', 'optionalDependencies'] as const) {
			const locked = Object.entries(project[kind] ?? {}).map(([name, { specifier }]) => [name, specifier]);
			expect(Object.fromEntries(locked)).toEqual(manifest[kind] ?? {});
		}
	});

	test('has every package that another one asks for, on every platform', () => {
		const asked = Object.values(snapshots).flatMap((snapshot) =>
			Object.entries({ ...snapshot.dependencies, ...snapshot.optionalDependencies }),
		);
		const missing = asked.filter(([name, as]) => !(`${name}@${as}` in snapshots) && !(as in snapshots));
		expect(missing).toEqual([]);
	});
});
