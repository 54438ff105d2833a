import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { repository } from '../support/n8n/paths';

const changelog = '# Changelog\n\n## Unreleased\n\n- A new thing.\n\n## 0.1.0\n\nThe first release.\n';

const COMPOSE = `image: n8n:2.41.1\nPACKAGES: '[{ "name": "released", "version": "0.1.0" }]'\n`;

const someone = { NAME: 'A Maintainer', EMAIL: 'maintainer@example.com' };

const env = {
	...process.env,
	...Object.fromEntries(
		Object.entries(someone).flatMap(([key, value]) => [
			[`GIT_AUTHOR_${key}`, value],
			[`GIT_COMMITTER_${key}`, value],
		]),
	),
	GIT_CONFIG_GLOBAL: '',
};

let folder: string;

const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => {
	mkdirSync(dirname(join(folder, file)), { recursive: true });
	writeFileSync(join(folder, file), text);
};
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;

/** Writes files, checks included, and commits them. */
function commit({ news = changelog, checks = 'node --version' } = {}): void {
	const manifest = { name: 'released', version: '0.1.0', scripts: { 'test:all': checks } };
	write('CHANGELOG.md', news);
	write('docs/scaling/compose.yaml', COMPOSE);
	for (const version of ['0.1.1', '0.2.0']) write(`test/e2e/upgrade/${version}/saved.json`, '{}');
	write('package.json', JSON.stringify(manifest));
	const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
	write('package-lock.json', JSON.stringify(lock));
	git('add', '--all');
	git('commit', '--quiet', '--message', 'Work', '--allow-empty');
}

function release(...args: string[]): { status: number | null; output: string } {
	const script = join(repository, 'scripts', 'release.mjs');
	const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
		cwd: folder,
		env,
		encoding: 'utf8',
	});
	return { status, output: stdout + stderr };
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'release-'));
	git('init', '--quiet', '--initial-branch', 'main');
	commit();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
	['0.2.0', '0.2.0'],
	['patch', '0.1.1'],
])('`npm run release -- %s` makes version %s with its section and its tag', (wanted, version) => {
	expect(release(wanted)).toMatchObject({ status: 0 });
	const today = new Date().toISOString().slice(0, 10);
	expect(read('CHANGELOG.md')).toBe(changelog.replace('## Unreleased', `## ${version} (${today})`));
	expect([versionIn('package.json'), versionIn('package-lock.json')]).toEqual([version, version]);
	expect(read('docs/scaling/compose.yaml')).toBe(COMPOSE.replace('0.1.0', version));
	expect(git('describe', '--exact-match')).toBe(`v${version}`);
	expect(git('status', '--porcelain')).toBe('');
	expect(git('rev-list', '--count', 'HEAD')).toBe('2');
});

test.each<[string, string[], () => void, string]>([
	['without a version', [], () => undefined, 'say which version'],
	['of a lower version', ['0.0.9'], () => undefined, '0.0.9 is not higher than 0.1.0'],
	['of a version that has a tag', ['0.2.0'], () => git('tag', 'v0.2.0'), 'the tag v0.2.0 exists already'],
	['without news', ['0.2.0'], () => commit({ news: changelog.replace('Unreleased', '0.1.1') }), 'no section'],
	['with uncommitted changes', ['0.2.0'], () => write('new.txt', ''), 'not committed'],
	['on another branch', ['0.2.0'], () => git('switch', '--quiet', '--create', 'work'), 'not the branch main'],
	['without its fixtures', ['0.3.0'], () => undefined, '`npm run fixtures -- 0.3.0` writes it'],
	[
		'when a check fails',
		['0.2.0'],
		() => commit({ checks: 'node --no-such-flag' }),
		'`npm run test:all` failed',
	],
])('there is no release %s', (_when, args, prepare, why) => {
	prepare();
	const before = [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain'), read('CHANGELOG.md')];
	const { status, output } = release(...args);
	expect(output).toContain(why);
	expect(status).toBe(1);
	const after = [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain'), read('CHANGELOG.md')];
	expect(after).toEqual(before);
});
