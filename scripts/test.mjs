// What a contributor runs, on a machine that has only Node: `all` for every check of this repository, or the version of an
// n8n for all end-to-end tests in that one. Ends with one line of totals.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
	endChildrenOnSignal,
	ensureDependencies,
	npm,
	repository,
	run,
	runTypeScript,
	seconds,
} from './install.mjs';

/** The last n8n 1.x. */
const OLD_N8N = '1.123.81';

/** Installing, publishing, receiving, sending, media, questions and saved workflows, in half a minute. */
const MAIN_PATHS = ['test/e2e/mainPaths.test.ts'];

/** More at a time than two processors: these tests spend a part of their time waiting. */
const FOUR_AT_A_TIME = ['--maxWorkers', '4'];
const THREE_AT_A_TIME = ['--maxWorkers', '3'];

const leftOut = [];
/** The names of the steps that failed. */
const failed = new Set();
/** What the tests that failed said, to be read again at the end of a long output. */
const failures = [];
const totals = { passed: 0, failed: 0, tests: 0 };
const results = mkdtempSync(join(tmpdir(), 'test-results-'));

/** Tells whether this machine has what tests need, and remembers which were left out. */
async function isPossible(name, programs) {
	if (!programs || (await runTypeScript('scripts/machine.ts', [programs])) === 0) return true;
	leftOut.push(`${name}: LEFT OUT, as this machine lacks what they need`);
	return false;
}

/** Announces a step, runs it and prints how it went. `work` resolves to what it counts for. */
async function runStep({ name, needs = [], programs, work }) {
	if (!(await isPossible(name, programs))) return;
	console.log(`\n=== ${name}`);
	const started = Date.now();
	let outcome;
	try {
		const missing = needs.filter((need) => failed.has(need));
		if (missing.length > 0) throw new Error(`This step needs: ${missing.join(', ')}`);
		outcome = await work();
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		outcome = { passed: 0, failed: 1 };
	}
	totals.passed += outcome.passed;
	totals.failed += outcome.failed;
	if (outcome.failed > 0) failed.add(name);
	console.log(`=== ${name}: ${outcome.failed === 0 ? 'ok' : 'FAILED'} in ${seconds(started)}`);
}

/** A command of npm, which passes or fails as a whole. */
const command =
	(...args) =>
	async () =>
		(await run(npm, args)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** Steps at the same time, for those that use one processor each. */
const together =
	(...works) =>
	async () => {
		const outcomes = await Promise.all(works.map(async (work) => await work()));
		const sum = (of) => outcomes.reduce((total, outcome) => total + outcome[of], 0);
		return { passed: sum('passed'), failed: sum('failed') };
	};

/** The failures in a file of tests, each with the start of its message; of a file that could not run, the file's. */
function failuresOf({ name, message, status, assertionResults }) {
	const file = relative(repository, name);
	const ofTests = assertionResults
		.filter((test) => test.status === 'failed')
		.map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join('\n')}`);
	const all = status === 'failed' && ofTests.length === 0 ? [`${file}\n${message}`] : ofTests;
	return all.map((failure) => failure.slice(0, 2_000));
}

/** A step of tests, each counted; a suite that could not run counts as one failed test. */
const jest =
	(projects, ...args) =>
	async () => {
		const report = join(mkdtempSync(join(results, 'step-')), 'report.json');
		const bin = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
		const code = await run(process.execPath, [
			bin,
			'--selectProjects',
			...projects,
			'--json',
			`--outputFile=${report}`,
			...args,
		]);
		const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
			readFileSync(report, 'utf8'),
		);
		failures.push(...testResults.flatMap(failuresOf));
		totals.tests += numPassedTests + numFailedTests;
		const numFailed = numFailedTests + numRuntimeErrorTestSuites;
		// Jest can fail for reasons no test shows, such as finding no tests.
		return { passed: numPassedTests, failed: code !== 0 && numFailed === 0 ? 1 : numFailed };
	};

/** A step that counts only when it fails. */
const uncounted = (work) => async () => {
	await work();
	return { passed: 0, failed: 0 };
};

/** All tests that start an n8n, in one run: while some in queue mode wait, others work. */
async function testsInN8n() {
	const projects = ['e2e'];
	if (await isPossible('Tests in the editor, in a browser', 'browser')) projects.push('browser');
	if (await isPossible('Tests in queue mode', 'queue')) projects.push('queue');
	return await jest(projects, ...FOUR_AT_A_TIME)();
}

async function installN8n() {
	if ((await runTypeScript('scripts/machine.ts', ['n8n'])) !== 0)
		throw new Error('n8n could not be installed');
}

const DEPENDENCIES = { name: 'Dependencies', work: uncounted(ensureDependencies) };

const BUILD = { name: 'Build', work: command('run', 'build') };

/** End-to-end tests in another n8n than the usual one: those in the files named, or all. */
function endToEndIn(version, files = []) {
	const install = {
		name: `n8n ${version}`,
		work: uncounted(async () => {
			process.env.N8N_VERSION = version;
			await installN8n();
		}),
	};
	const tests = {
		name: `${files.length > 0 ? 'A sample of the end-to-end' : 'End-to-end'} tests in n8n ${version}`,
		needs: [BUILD.name, install.name],
		work: jest(['e2e'], ...FOUR_AT_A_TIME, '--', ...files),
	};
	return [install, tests];
}

/** Installs n8n while other steps run; the step that needs it waits for it. */
function installing() {
	let installed;
	return {
		// A failure is told by the step that waits.
		begin: uncounted(async () => void (installed = installN8n()).catch(() => {})),
		wait: uncounted(async () => await installed),
	};
}

const LINT = {
	name: 'Lint',
	work: together(command('run', 'eslint'), command('run', 'lint:rest')),
};

const GATES = { name: 'Gates', needs: [BUILD.name], work: command('run', 'gates') };

const histories = (count) => ({
	name: `${count.toLocaleString('en')} simulated histories`,
	work: command('exec', '--', 'tsx', 'test/simulation/main.ts', '--histories', `${count}`, '--seed', '1'),
});

/** What a contributor runs: all that needs no other server or browser, and the main paths in a real n8n. */
function quickSteps() {
	const { begin, wait } = installing();
	return [
		DEPENDENCIES,
		{ name: 'n8n, in the background', work: begin },
		BUILD,
		LINT,
		{ name: 'Unit and engine tests', work: jest(['unit', 'engine'], ...THREE_AT_A_TIME) },
		GATES,
		histories(2_000),
		{ name: 'n8n', work: wait },
		{
			name: 'The main paths in n8n',
			needs: [BUILD.name, 'n8n'],
			work: jest(['e2e'], '--', ...MAIN_PATHS),
		},
	];
}

/** Every check. */
function everyStep() {
	const { begin, wait } = installing();
	const inN8n = { needs: [BUILD.name, 'n8n'] };
	// `npm run test:e2e`, `npm run test:browser` and `npm run test:queue` run all, as every night.
	process.env.SAMPLE ??= '1';
	return [
		DEPENDENCIES,
		{ name: 'n8n, in the background', work: begin },
		BUILD,
		LINT,
		GATES,
		{ name: 'Tests of the release script', programs: 'release', work: jest(['release']) },
		{
			name: 'Unit, engine, service and soak tests',
			work: jest(['unit', 'engine', 'service', 'soak'], ...THREE_AT_A_TIME),
		},
		{ name: 'Tests of the simulation', work: jest(['simulation']) },
		histories(20_000),
		{
			name: 'Mutation testing, a sample',
			work: command('exec', '--', 'stryker', 'run', 'test/mutation/sample.config.mjs'),
		},
		{ name: 'n8n', work: wait },
		{
			name: 'Tests in n8n: end to end, in the editor and in queue mode',
			...inN8n,
			work: testsInN8n,
		},
		{
			name: 'Benchmarks, at a tiny size',
			...inN8n,
			work: command('run', 'bench', '--', '--tiny'),
		},
		// `npm run test:e2e:1x` runs them all.
		...endToEndIn(OLD_N8N, MAIN_PATHS),
	];
}

/** Every end-to-end test in one n8n. */
const everyTestIn = (version) => [DEPENDENCIES, BUILD, ...endToEndIn(version)];

/** How many minutes it takes on two cores that do nothing else. */
const MINUTES = { quick: 5, all: 20, version: 14 };

process.on('exit', () => rmSync(results, { recursive: true, force: true }));
endChildrenOnSignal();
const [what] = process.argv.slice(2);
const kind = what === undefined ? 'quick' : what === 'all' ? 'all' : 'version';
const steps = { quick: quickSteps, all: everyStep, version: () => everyTestIn(what) }[kind]();
const isFirst = !existsSync(join(repository, '.n8n', OLD_N8N));
const more = isFirst ? ', and a few more to install n8n' : '';
console.log(`This takes about ${MINUTES[kind]} minutes on two cores${more}.`);
for (const step of steps) {
	await runStep(step);
	// Nothing runs without them.
	if (failed.has(DEPENDENCIES.name)) break;
}
for (const line of leftOut) console.log(`\n=== ${line}`);
for (const name of failed) console.log(`\n=== FAILED: ${name}`);
for (const failure of failures) console.log(`\n${failure}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.tests === 0 ? 1 : 0;
