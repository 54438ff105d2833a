import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { repository } from '../support/n8n/paths';

const changelog = '# Changelog\n\n## Unreleased\n\n- A new thing.\n\n## 0.1.0\n\nThe first release.\n';

const COMPOSE = `image: n8n:2.41.1\nPACKAGES: '[{ "name": "released", "version": "0.1.0" }]'\n`;

const env = { ...process.env, GIT_CONFIG_GLOBAL: '' };
for (const who of ['AUTHOR', 'COMMITTER'])
	Object.assign(env, { [`GIT_${who}_NAME`]: 'A Maintainer', [`GIT_${who}_EMAIL`]: 'maintainer@example.com' });

let folder: string;

const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => {
	mkdirSync(dirname(join(folder, file)), { recursive: true });
	writeFileSync(join(folder, file), text);
};

/** Writes files, checks included, and commits them. */
function commit({ news = changelog, checks = 'node --version' } = {}): void {
	const manifest = { name: 'released', version: '0.1.0', scripts: { 'test:all': checks } };
	write('CHANGELOG.md', news);
	write('docs/scaling/compose.yaml', COMPOSE);
	write('test/e2e/upgrade/0.2.0/saved.json', '{}');
	write('package.json', JSON.stringify(manifest));
	write('package-lock.json', JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { '': manifest } }));
	git('add', '--all');
	git('commit', '--quiet', '--message', 'Work', '--allow-empty');
}

/** Runs a script of the release in the folder. */
function run(script: string, ...args: string[]): { status: number | null; output: string } {
	const command = [join(repository, 'scripts', script), ...args];
	const { status, stdout, stderr } = spawnSync(process.execPath, command, {
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

test('`npm run release -- minor` makes the version with its section and its tag', () => {
	expect(run('release.mjs', 'minor')).toMatchObject({ status: 0 });
	const today = new Date().toISOString().slice(0, 10);
	expect(read('CHANGELOG.md')).toBe(changelog.replace('## Unreleased', `## 0.2.0 (${today})`));
	for (const file of ['package.json', 'package-lock.json'])
		expect(JSON.parse(read(file))).toMatchObject({ version: '0.2.0' });
	expect(read('docs/scaling/compose.yaml')).toBe(COMPOSE.replace('0.1.0', '0.2.0'));
	expect(git('describe', '--exact-match')).toBe('v0.2.0');
	expect([git('status', '--porcelain'), git('rev-list', '--count', 'HEAD')]).toEqual(['', '2']);
});

const nothing = () => undefined;

test.each<[string, string, () => void, string]>([
	['of a lower version', '0.0.9', nothing, '0.0.9 is not higher than 0.1.0'],
	['of a version that has a tag', '0.2.0', () => git('tag', 'v0.2.0'), 'the tag v0.2.0 exists already'],
	['without news', '0.2.0', () => commit({ news: changelog.replace('Unreleased', '0.1.1') }), 'no section'],
	['with uncommitted changes', '0.2.0', () => write('new.txt', ''), 'not committed'],
	['on another branch', '0.2.0', () => git('switch', '--quiet', '--create', 'work'), 'not the branch main'],
	['without its fixtures', '0.3.0', nothing, '`npm run fixtures -- 0.3.0` writes it'],
	[
		'when a check fails',
		'0.2.0',
		() => commit({ checks: 'node --no-such-flag' }),
		'`npm run test:all` failed',
	],
])('there is no release %s', (_when, version, prepare, why) => {
	prepare();
	const state = () => [
		git('rev-parse', 'HEAD'),
		git('tag'),
		git('status', '--porcelain'),
		read('CHANGELOG.md'),
	];
	const before = state();
	const { status, output } = run('release.mjs', version);
	expect(output).toContain(why);
	expect([status, ...state()]).toEqual([1, ...before]);
});

test.each([
	['lovelace', 'ada@lovelace.org', []],
	[
		'messaging-channel',
		'maintainers@messaging-channel.example',
		['author.email', 'repository.url', 'homepage', 'bugs.url'],
	],
])('of a package of %s, the placeholders are refused, each by its name', (owner, email, refused) => {
	const page = `https://github.com/${owner}/n8n-nodes-messaging-channel`;
	const repositoryOf = { repository: { url: `git+${page}.git` }, homepage: `${page}#readme` };
	write(
		'package.json',
		JSON.stringify({ author: { email }, ...repositoryOf, bugs: { url: `${page}/issues` } }),
	);
	const { status, output } = run('publishable.mjs');
	expect(status).toBe(refused.length > 0 ? 1 : 0);
	expect([...output.matchAll(/Not published: (\S+) is/g)].map(([, field]) => field)).toEqual(refused);
});
