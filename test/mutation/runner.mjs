// Runs tests for Stryker in its own process. Stryker's runner for Jest loads every file of tests for every mutant, which
// takes seconds each time; this one loads only the files that reach the mutant, and n8n's engine once for all.
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';

const require = createRequire(import.meta.url);

/** Tests that run the code; the others test documents and tables, take values by chance, or measure the machine. */
const FOLDERS = [
	...['actions', 'api', 'credentials', 'fields', 'operation', 'trigger', 'waiting'].map(
		(name) => `test/unit/${name}`,
	),
	'test/engine',
];
const LEFT_OUT = /engine\/(answers\/|lanes|properties)/;

const testFiles = () =>
	FOLDERS.flatMap((folder) =>
		readdirSync(folder, { recursive: true })
			.map((file) => join(folder, file))
			.filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
			.sort(),
	);

/** On a busy machine every test may take long. */
const LONGEST_TEST_MS = 2 ** 31 - 1;

/** A unit's test that waits for what a mutant never does fails before Stryker ends the process, whose start takes long. */
const LONGEST_UNIT_TEST_MS = 10_000;

class Runner {
	#jest;
	#stryker = (globalThis.__stryker__ ??= {});
	/** Each test's file, by its id. */
	#fileOf = new Map();
	/** The run under way. */
	#wanted;
	#bails = false;
	#results = [];

	capabilities() {
		return { reloadEnvironment: true };
	}

	async init() {
		process.env.NODE_ENV = 'test';
		this.#jest = require(resolve('test/mutation/jestGlobals.cjs'));
		this.#jest.circus.addEventHandler((event, state) => this.#observe(event, state));
		// A promise that nobody waits for must not end the process; it fails the test that is under way.
		const fail = (error) => this.#jest.circus.getState().currentlyRunningTest?.errors.push([error, error]);
		process.on('unhandledRejection', fail);
		process.on('uncaughtException', fail);
	}

	async dryRun({ testFiles: given }) {
		this.#stryker.mutantCoverage = { static: {}, perTest: {} };
		this.#bails = false;
		const error = await this.#run(given?.map((file) => relative('.', file)) ?? testFiles());
		const { mutantCoverage } = this.#stryker;
		this.#stryker.mutantCoverage = undefined;
		if (error) return { status: DryRunStatus.Error, errorMessage: error.stack };
		return { status: DryRunStatus.Complete, tests: this.#results, mutantCoverage };
	}

	async mutantRun({ activeMutant, testFilter, disableBail, hitLimit }) {
		Object.assign(this.#stryker, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 });
		this.#wanted = testFilter && new Set(testFilter);
		this.#bails = !disableBail;
		const files = testFilter ? new Set(testFilter.map((id) => id.split('#')[0])) : testFiles();
		const error = await this.#run([...files].sort(byCost));
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
		const hasMutant = this.#stryker.activeMutant !== undefined;
		for (const file of files) {
			try {
				this.#file = file;
				this.#jest.load(resolve(file), hasMutant && !isEngine(file) ? LONGEST_UNIT_TEST_MS : LONGEST_TEST_MS);
				await this.#jest.circus.run();
			} catch (error) {
				return error instanceof Error ? error : new Error(String(error));
			} finally {
				this.#jest.restore();
			}
			if (this.#hasFailed()) return undefined;
		}
		return undefined;
	}

	#file = '';

	#hasFailed() {
		return this.#bails && this.#results.some(({ status }) => status === TestStatus.Failed);
	}

	#observe({ name, test }, { rootDescribeBlock }) {
		if (name === 'run_start') this.#identify(rootDescribeBlock, '', new Map());
		if (name === 'test_start') {
			if (this.#hasFailed()) test.mode = 'skip';
			this.#stryker.currentTestId = test.strykerId;
		}
		if (name === 'test_done' && test.mode !== 'skip') {
			this.#stryker.currentTestId = undefined;
			this.#results.push(resultOf(test, this.#file));
		}
	}

	/** Gives every test an id, and leaves out those that are not wanted. */
	#identify({ children }, path, seen) {
		for (const child of children) {
			const name = `${path} ${child.name}`.trim();
			if (child.type === 'describeBlock') this.#identify(child, name, seen);
			else {
				const times = (seen.get(name) ?? 0) + 1;
				seen.set(name, times);
				child.strykerId = `${this.#file}#${name}${times > 1 ? ` (${times})` : ''}`;
				if (this.#wanted && !this.#wanted.has(child.strykerId)) child.mode = 'skip';
			}
		}
	}
}

const isEngine = (file) => file.includes('/engine/');

/** A test of a unit costs next to nothing. */
function byCost(one, other) {
	return Number(isEngine(one)) - Number(isEngine(other)) || one.localeCompare(other);
}

function resultOf({ strykerId: id, errors, duration }, fileName) {
	const result = { id, name: id, fileName: resolve(fileName), timeSpentMs: duration ?? 0 };
	if (errors.length === 0) return { ...result, status: TestStatus.Success };
	const [error] = errors.flat();
	return { ...result, status: TestStatus.Failed, failureMessage: String(error?.stack ?? error) };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', () => new Runner())];
