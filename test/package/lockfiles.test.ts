import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { repository } from '../support/n8n/paths';

interface Entry {
	integrity?: string;
	resolved?: string;
	tarball?: string;
}

const textOf = (...path: string[]) => readFileSync(join(repository, ...path), 'utf8');

const isUnsafe = ({ integrity = '', resolved, tarball }: Entry): boolean =>
	!integrity.startsWith('sha512-') || resolved !== undefined || tarball !== undefined;

test('package-lock.json has a hash of every package, and no address of a registry', () => {
	const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Entry> };
	const entries = Object.entries(packages).filter(([path]) => path !== '');
	expect(entries.length).toBeGreaterThan(1_000);
	expect(entries.filter(([, entry]) => isUnsafe(entry))).toEqual([]);
});

const versions = ['test', 'support', 'n8n', 'versions'];

// That it is of the package.json beside it, and has every package, pnpm sees when it installs n8n.
test.each(readdirSync(join(repository, ...versions)))(
	'pnpm-lock.yaml of n8n %s has a hash of every package, and no address of a registry',
	(version) => {
		const lock = parse(textOf(...versions, version, 'pnpm-lock.yaml')) as {
			packages: Record<string, { resolution: Entry }>;
		};
		expect(Object.keys(lock.packages).length).toBeGreaterThan(1_000);
		expect(Object.entries(lock.packages).filter(([, { resolution }]) => isUnsafe(resolution))).toEqual([]);
	},
);
