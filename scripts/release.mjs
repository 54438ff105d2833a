// Makes a release: `npm run release -- 0.2.0`, or `major`, `minor`, `patch`. The CHANGELOG's "Unreleased" becomes the
// version's section, and the commit gets the tag that .github/workflows/publish.yml publishes.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gt, inc, valid } from 'semver';

const changelog = 'CHANGELOG.md';
const heading = '## Unreleased\n';
/** Names the version that it installs. */
const compose = 'docs/scaling/compose.yaml';

function fail(why) {
	console.error(`No release: ${why}.`);
	process.exit(1);
}

/** Runs a command to its end and returns its output; nothing is released when it fails. */
function run(command, args, { stdio = ['ignore', 'pipe', 'inherit'] } = {}) {
	const { status, stdout } = spawnSync(command, args, {
		encoding: 'utf8',
		stdio,
		shell: command === 'npm' && process.platform === 'win32',
	});
	if (status !== 0) fail(`\`${[command, ...args].join(' ')}\` failed`);
	return stdout;
}

/** The version to release. */
function versionAfter(current, wanted = '') {
	const version = valid(wanted) ?? inc(current, wanted);
	if (!version) fail('say which version, such as `npm run release -- 0.2.0`');
	if (!gt(version, current)) fail(`${version} is not higher than ${current}`);
	return version;
}

/** The CHANGELOG with what was unreleased as the section of this version. */
function withSection(text, version) {
	const start = text.indexOf(heading);
	if (start < 0) fail(`${changelog} has no section "Unreleased", which tells users what is new`);
	const [news] = text.slice(start + heading.length).split(/^## /m);
	if (news.trim() === '') fail(`the section "Unreleased" of ${changelog} is empty`);
	const date = new Date().toISOString().slice(0, 10);
	return text.replace(heading, `## ${version} (${date})\n`);
}

const current = JSON.parse(readFileSync('package.json', 'utf8')).version;
const version = versionAfter(current, process.argv[2]);
const news = withSection(readFileSync(changelog, 'utf8'), version);
if (run('git', ['branch', '--show-current']).trim() !== 'main') fail('this is not the branch main');
if (run('git', ['status', '--porcelain'])) fail('there are changes that are not committed');
if (run('git', ['tag', '--list', `v${version}`])) fail(`the tag v${version} exists already`);
const fixtures = `test/e2e/upgrade/${version}`;
if (!existsSync(fixtures)) fail(`${fixtures} is missing; \`npm run fixtures -- ${version}\` writes it`);
run('npm', ['run', 'test:all'], { stdio: 'inherit' });

writeFileSync(changelog, news);
const pinned = readFileSync(compose, 'utf8').replace(`"version": "${current}"`, `"version": "${version}"`);
writeFileSync(compose, pinned);
run('npm', ['version', version, '--no-git-tag-version']);
run('git', [
	'commit',
	'--quiet',
	'--message',
	`Version ${version}`,
	changelog,
	compose,
	'package.json',
	'package-lock.json',
]);
run('git', ['tag', '--annotate', `v${version}`, '--message', `Version ${version}`]);
console.log(`Version ${version} is ready. \`git push --atomic --follow-tags\` publishes it.`);
