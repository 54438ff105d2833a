// Runs the tests for Stryker, all in one process: a mutant costs the files of tests that reach it, and n8n's engine is
// loaded once for all. Stryker's own runner for Jest loads every file of tests that imports the mutated file, each with
// the engine, for every mutant. That takes more than ten times as long.
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';

const require = createRequire(import.meta.url);

/** A test that waits for what a mutant never does fails before Stryker ends the process, whose start takes long. */
const LONGEST_TEST_MS = 20_000;

class Runner {
	#jest;
	#stryker = (globalThis.__stryker__ ??= {});
	#file = '';
	/** The tests that reach the mutant, by their ids. */
	#wanted;
	#bails = false;
	#results = [];
	/** The files of tests that caught changes of each mutated file, the latest last. */
	#catchers = new Map();

	capabilities() {
		return { reloadEnvironment: true };
	}

	async init() {
		process.env.NODE_ENV = 'test';
		this.#jest = require(resolve('test/mutation/jest.cjs'));
		// Stryker removes its sandbox at the end, with what tests have left there.
		process.env.TMPDIR = process.cwd();
		this.#jest.circus.addEventHandler((event, state) => this.#observe(event, state));
		// A promise that nobody waits for must not end the process; it fails the test that is running.
		const fail = (error) => this.#jest.circus.getState().currentlyRunningTest?.errors.push([error, error]);
		process.on('unhandledRejection', fail);
		process.on('uncaughtException', fail);
	}

	async dryRun({ testFiles }) {
		this.#stryker.mutantCoverage = { static: {}, perTest: {} };
		this.#bails = false;
		const error = await this.#run(testFiles.map((file) => relative('.', file)));
		const { mutantCoverage } = this.#stryker;
		this.#stryker.mutantCoverage = undefined;
		if (error) return { status: DryRunStatus.Error, errorMessage: error.stack };
		return { status: DryRunStatus.Complete, tests: this.#results, mutantCoverage };
	}

	async mutantRun({ activeMutant, testFilter, disableBail, hitLimit }) {
		Object.assign(this.#stryker, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 });
		this.#wanted = new Set(testFilter);
		this.#bails = !disableBail;
		const files = new Set(testFilter.map((id) => id.split('#')[0]));
		const catchers = this.#catchers.get(activeMutant.fileName) ?? [];
		const error = await this.#run([...files].sort(byCostAndChance(catchers)));
		if (this.#isOver())
			this.#catchers.set(activeMutant.fileName, [...without(catchers, this.#file), this.#file]);
		const endless = determineHitLimitReached(this.#stryker.hitCount, hitLimit);
		Object.assign(this.#stryker, { activeMutant: undefined, hitLimit: undefined, hitCount: undefined });
		this.#wanted = undefined;
		if (endless) return endless;
		if (error) return { status: 'error', errorMessage: error.stack };
		return toMutantRunResult({ status: DryRunStatus.Complete, tests: this.#results }, disableBail);
	}

	/** @returns what kept a file from being run, if anything did */
	async #run(files) {
		this.#results = [];
		for (const file of files) {
			this.#file = file;
			try {
				// Without a mutant, only a busy machine makes a test wait.
				await this.#jest.run(resolve(file), this.#wanted ? LONGEST_TEST_MS : 60 * LONGEST_TEST_MS);
			} catch (error) {
				return error instanceof Error ? error : new Error(String(error));
			}
			if (this.#isOver()) return undefined;
		}
		return undefined;
	}

	#isOver() {
		return this.#bails && this.#results.some(({ status }) => status === TestStatus.Failed);
	}

	#observe({ name, test }, { rootDescribeBlock }) {
		if (name === 'run_start') {
			for (const each of testsIn(rootDescribeBlock))
				if (this.#wanted && !this.#wanted.has(this.#idOf(each))) each.mode = 'skip';
		}
		if (name === 'test_start') {
			if (this.#isOver()) test.mode = 'skip';
			this.#stryker.currentTestId = this.#idOf(test);
		}
		if (name === 'test_done' && test.mode !== 'skip') {
			this.#stryker.currentTestId = undefined;
			this.#results.push(this.#resultOf(test));
		}
	}

	#idOf(test) {
		const names = [];
		for (let part = test; part.parent; part = part.parent) names.unshift(part.name);
		return `${this.#file}#${names.join(' ')}`;
	}

	#resultOf(test) {
		const id = this.#idOf(test);
		const result = { id, name: id, fileName: resolve(this.#file), timeSpentMs: test.duration ?? 0 };
		if (test.errors.length === 0) return { ...result, status: TestStatus.Success };
		const [error] = test.errors.flat();
		return { ...result, status: TestStatus.Failed, failureMessage: String(error?.stack ?? error) };
	}
}

const testsIn = ({ children }) =>
	children.flatMap((child) => (child.type === 'describeBlock' ? testsIn(child) : [child]));

const without = (files, file) => files.filter((each) => each !== file);

/** A test of a unit costs next to nothing, and what caught the last change of a file is likely to catch the next. */
function byCostAndChance(catchers) {
	const isEngine = (file) => file.startsWith('test/engine/');
	return (one, other) =>
		Number(isEngine(one)) - Number(isEngine(other)) ||
		catchers.indexOf(other) - catchers.indexOf(one) ||
		one.localeCompare(other);
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', () => new Runner())];
