import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '..');

const read = (...path: string[]) => JSON.parse(readFileSync(join(repository, ...path), 'utf8')) as unknown;

/** A package of the development tools, and the licence it states. */
export interface Licensed {
	/** Where it is installed. */
	path: string;
	licence: string;
}

/** Lets everybody use a tool for any purpose. */
const PERMISSIVE = [
	...['0BSD', 'AFL-2.1', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC-BY-4.0'],
	...['CC0-1.0', 'ISC', 'MIT', 'Python-2.0', 'Unlicense'],
];

/** n8n's own. Its packages are what we build against and test with; nothing of them is shipped. */
const OF_N8N = ['SEE LICENSE IN LICENSE.md', 'LicenseRef-n8n-enterprise'];

/** All packages that package-lock.json names, for every platform. */
export function licensedPackages(): Licensed[] {
	const { packages } = read('package-lock.json') as { packages: Record<string, { license?: string }> };
	return Object.entries(packages)
		.filter(([path]) => path !== '')
		.map(([path, { license }]) => ({ path, licence: license ?? olderStatement(path) }));
}

/** The licence as old packages state it, which npm does not take into the lockfile. */
function olderStatement(path: string): string {
	const { licenses = [] } = read(path, 'package.json') as { licenses?: Array<{ type: string }> };
	return licenses.map(({ type }) => type).join(' AND ') || 'none';
}

/** Whether a package may be used here: its licence is permissive, or it is n8n's own package with n8n's licence. */
export function isAccepted({ path, licence }: Licensed): boolean {
	if (OF_N8N.includes(licence)) return /^(n8n-|@n8n\/|@n8n_io\/)/.test(nameOf(path));
	return licence.split(/ AND | OR |[()]/).every((one) => one === '' || PERMISSIVE.includes(one));
}

const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

/** How many packages have each licence. */
export function licenceCounts(packages: Licensed[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { licence } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1);
	return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** The page that lists them. It has no counts, which would change with every update. */
export function licencePage(packages: Licensed[]): string {
	const { devDependencies } = read('package.json') as { devDependencies: Record<string, string> };
	const direct = Object.keys(devDependencies).map((name) => {
		const found = packages.find(({ path }) => path === `node_modules/${name}`);
		return `- ${name}: ${found?.licence ?? 'none'}`;
	});
	const all = [...licenceCounts(packages).keys()].sort().map((licence) => `- ${licence}`);
	return `# Licences of the development tools

Written by \`npm run docs\`. None of these packages is part of what users install: the package has no dependencies.
"SEE LICENSE IN LICENSE.md" and "LicenseRef-n8n-enterprise" are n8n's own licences, and stand on n8n's own packages only.

## What package.json names

${direct.join('\n')}

## Every licence among these and all they need

${all.join('\n')}
`;
}
