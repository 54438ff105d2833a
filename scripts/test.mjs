// Everything this repository checks, on a machine that has only Node: prints one line of totals at the end.
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
	(projects, ...flags) =>
	async () => {
		const report = join(results, `${projects.join('-')}.json`);
		const bin = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
		const code = await run(process.execPath, [
			bin,
			'--selectProjects',
			...projects,
			...flags,
			'--json',
			`--outputFile=${report}`,
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

async function runAll() {
	if (!(await step('Dependencies', uncounted(ensureDependencies)))) return;
	const hasN8n = await step('n8n', uncounted(installN8n));
	const isBuilt = await step(
		'Build',
		check(async () => await run(npm, ['run', 'build'])),
	);
	await step(
		'Lint',
		check(async () => await run(npm, ['run', 'lint'])),
	);
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
}

process.on('exit', () => rmSync(results, { recursive: true, force: true }));
endChildrenOnSignal();
await runAll();
for (const line of leftOut) console.log(`\n=== ${line}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.tests === 0 ? 1 : 0;
