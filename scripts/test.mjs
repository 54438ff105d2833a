// Everything this repository checks, on a machine that has only Node: prints one line of totals at the end. With the
// version of another n8n, all end-to-end tests in that one instead.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** What can be had of every operation, a trigger and a question in a minute or two. */
const SAMPLE = ['test/e2e/package.test.ts', 'test/e2e/upgrade.test.ts'];

const leftOut = [];
const totals = { passed: 0, failed: 0, tests: 0 };
const results = mkdtempSync(join(tmpdir(), 'test-results-'));

/** Announces a step, runs it and says how it went. `work` resolves to what it counts for. */
async function step(name, work) {
	console.log(`\n=== ${name}`);
	const started = Date.now();
	let outcome;
	try {
		outcome = await work();
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		outcome = { passed: 0, failed: 1 };
	}
	totals.passed += outcome.passed;
	totals.failed += outcome.failed;
	console.log(`=== ${name}: ${outcome.failed === 0 ? 'ok' : 'FAILED'} in ${seconds(started)}`);
	return outcome.failed === 0;
}

/** A step that passes or fails as a whole. */
const check = (command) => async () =>
	(await command()) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

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
		const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
			readFileSync(report, 'utf8'),
		);
		totals.tests += numPassedTests + numFailedTests;
		const failed = numFailedTests + numRuntimeErrorTestSuites;
		// Jest can fail for reasons no test shows, such as finding no tests.
		return { passed: numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed };
	};

/** A step that counts only when it fails. */
const uncounted = (work) => async () => {
	await work();
	return { passed: 0, failed: 0 };
};

/** What must hold before this can be published, each printed as the command that runs it alone. */
async function gates() {
	console.log('$ npx jest --selectProjects package');
	const outcome = await jest(['package'], '--verbose')();
	for (const gate of ['knip', 'publint --strict']) {
		console.log(`$ npx ${gate}`);
		const code = await run(npm, ['exec', '--no', '--', ...gate.split(' ')]);
		outcome[code === 0 ? 'passed' : 'failed'] += 1;
	}
	return outcome;
}

async function installN8n() {
	if ((await runTypeScript('scripts/install-n8n.ts')) !== 0) throw new Error('n8n could not be installed');
}

const notRun = (why) => async () => {
	throw new Error(why);
};

/** A step that needs programs of this machine; without them it is left out, and says so again at the end. */
async function stepIfPossible(project, name, work) {
	if ((await runTypeScript('scripts/machine.ts', [project])) === 0) return await step(name, work);
	leftOut.push(`${name}: LEFT OUT, as this machine lacks what they need`);
	return true;
}

/** End-to-end tests in another n8n than the usual one: those in the files named, or all. */
async function runEndToEnd(version, isBuilt, files = []) {
	process.env.N8N_VERSION = version;
	const hasN8n = await step(`n8n ${version}`, uncounted(installN8n));
	const tests = jest(['e2e'], '--runInBand', '--', ...files);
	const name = `${files.length > 0 ? 'A sample of the end-to-end' : 'End-to-end'} tests in n8n ${version}`;
	await step(name, hasN8n && isBuilt ? tests : notRun('They need the build and n8n'));
}

const build = async () =>
	await step(
		'Build',
		check(async () => await run(npm, ['run', 'build'])),
	);

async function runAll() {
	const hasN8n = await step('n8n', uncounted(installN8n));
	const isBuilt = await build();
	await step(
		'Lint',
		check(async () => await run(npm, ['run', 'lint'])),
	);
	await step('Gates', isBuilt ? gates : notRun('They need the build'));
	await stepIfPossible('release', 'Tests of the release script', jest(['release']));
	await step('Unit, engine, service and soak tests', jest(['unit', 'engine', 'service', 'soak']));
	await step(
		'Mutation testing, a sample',
		check(async () => await run(npm, ['exec', '--', 'stryker', 'run', 'test/mutation/sample.config.mjs'])),
	);
	const inN8n = (project) =>
		hasN8n && isBuilt ? jest([project], '--runInBand') : notRun('They need the build and n8n');
	await step('End-to-end tests in n8n', inN8n('e2e'));
	await stepIfPossible('browser', 'Tests in the editor, in a browser', inN8n('browser'));
	// A sample; `npm run test:queue` takes the full numbers.
	process.env.QUEUE_EVENTS ??= '200';
	process.env.QUEUE_SENDS ??= '400';
	await stepIfPossible('queue', 'Tests in queue mode', inN8n('queue'));
	await step(
		'Benchmarks, at a tiny size',
		hasN8n && isBuilt
			? check(async () => await run(npm, ['run', 'bench', '--', '--tiny']))
			: notRun('They need the build and n8n'),
	);
	// `npm run test:e2e:1x` runs them all.
	await runEndToEnd(OLD_N8N, isBuilt, SAMPLE);
}

process.on('exit', () => rmSync(results, { recursive: true, force: true }));
endChildrenOnSignal();
const [version] = process.argv.slice(2);
if (await step('Dependencies', uncounted(ensureDependencies))) {
	if (version) await runEndToEnd(version, await build());
	else await runAll();
}
for (const line of leftOut) console.log(`\n=== ${line}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.tests === 0 ? 1 : 0;
