// Runs the tests for Stryker, all in one process: a mutant costs the tests that reach it, and their files and n8n's engine
// are loaded once for many mutants. Stryker's own runner for Jest loads every file of tests that imports the mutated file,
// each with the engine, for every mutant. That takes more than ten times as long.
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';

const require = createRequire(import.meta.url);

/** A test that waits for what a mutant never does fails before Stryker ends the process, whose start takes long. */
const LONGEST_TEST_MS = 20_000;

/** Less for a test that is quick without a mutant: it takes at most this, and a multiple of its usual time. */
const SPARE_TEST_MS = 4_000;
const SPARE_FACTOR = 5;

/** What the best tests do not catch in this time counts as not caught: the others would take minutes for each such mutant. */
const LONGEST_MUTANT_MS = 60_000;

/** What it takes about to load a file of tests and what it needs. */
const LOAD_MS = 300;

/** In Stryker's sandbox, for its other processes: how long each test took without a mutant. */
const DURATIONS = 'durations.json';

class Runner {
	#jest;
	#stryker = (globalThis.__stryker__ ??= {});
	#file = '';
	/** The tests that reach the mutant, by their ids. */
	#wanted;
	#bails = false;
	#results = [];
	/** By the id of a test, in milliseconds. */
	#durations;
	/** How often each file of tests was run for changes of each mutated file, and how often it caught one. */
	#trials = new Map();

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
		const durations = this.#results.map(({ id, timeSpentMs }) => [id, timeSpentMs]);
		writeFileSync(DURATIONS, JSON.stringify(Object.fromEntries(durations)));
		return { status: DryRunStatus.Complete, tests: this.#results, mutantCoverage };
	}

	async mutantRun({ activeMutant, testFilter, disableBail, hitLimit }) {
		Object.assign(this.#stryker, { hitLimit, hitCount: hitLimit && 0 });
		this.#wanted = new Set(testFilter);
		this.#bails = !disableBail;
		const error = await this.#run(this.#bestFirst(testFilter, activeMutant.fileName), activeMutant);
		const endless = determineHitLimitReached(this.#stryker.hitCount, hitLimit);
		Object.assign(this.#stryker, { hitLimit: undefined, hitCount: undefined });
		this.#wanted = undefined;
		if (endless) return endless;
		if (error) return { status: 'error', errorMessage: error.stack };
		return toMutantRunResult({ status: DryRunStatus.Complete, tests: this.#results }, disableBail);
	}

	/** How long a test took without a mutant. */
	#usualMs(id) {
		this.#durations ??= JSON.parse(readFileSync(DURATIONS, 'utf8'));
		return this.#durations[id] ?? LONGEST_TEST_MS;
	}

	/** The files of tests that reach a mutant: first the one with the best chance to catch it for its time. */
	#bestFirst(testFilter, mutatedFile) {
		const costs = new Map();
		for (const id of testFilter) {
			const file = fileOf(id);
			costs.set(file, (costs.get(file) ?? LOAD_MS) + this.#usualMs(id));
		}
		const valueOf = (file) => {
			const { runs, catches } = this.#trialsOf(mutatedFile, file);
			// As if one of two runs before had caught a mutant: what was never run gets its chance.
			return (catches + 1) / (runs + 2) / costs.get(file);
		};
		return [...costs.keys()].sort((one, other) => valueOf(other) - valueOf(one));
	}

	#trialsOf(mutatedFile, file) {
		const key = `${mutatedFile} ${file}`;
		if (!this.#trials.has(key)) this.#trials.set(key, { runs: 0, catches: 0 });
		return this.#trials.get(key);
	}

	/** @returns what kept a file from being run, if anything did */
	async #run(files, mutant) {
		this.#results = [];
		const startedAt = Date.now();
		for (const file of files) {
			if (mutant && Date.now() - startedAt > LONGEST_MUTANT_MS) break;
			try {
				if (mutant) await this.#runWith(mutant, file);
				// Without a mutant, only a busy machine makes a test wait.
				else await this.#runFile(file, 60 * LONGEST_TEST_MS, true);
			} catch (error) {
				return error instanceof Error ? error : new Error(String(error));
			}
			const trials = this.#trialsOf(mutant?.fileName, file);
			trials.runs += 1;
			if (this.#isOver()) {
				trials.catches += 1;
				return undefined;
			}
		}
		return undefined;
	}

	/** A failure counts if the test passes without the mutant. If not, earlier mutants have left something in the loaded file. */
	async #runWith({ id }, file) {
		const earlier = [...this.#results];
		await this.#runFile(file, LONGEST_TEST_MS, false, id);
		if (!this.#isOver()) return;
		const [results, wanted] = [this.#results, this.#wanted];
		this.#wanted = new Set(
			results.filter(({ status }) => status === TestStatus.Failed).map((result) => result.id),
		);
		this.#results = [];
		await this.#runFile(file, LONGEST_TEST_MS, false);
		const isConfirmed = !this.#isOver();
		this.#wanted = wanted;
		this.#results = isConfirmed ? results : earlier;
		if (!isConfirmed) await this.#runFile(file, LONGEST_TEST_MS, true, id);
	}

	async #runFile(file, longestTestMs, isFresh, mutantId) {
		this.#file = file;
		// What is computed when a file is loaded serves other mutants, too.
		await this.#jest.run(
			resolve(file),
			longestTestMs,
			isFresh,
			() => (this.#stryker.activeMutant = mutantId),
		);
		this.#stryker.activeMutant = undefined;
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
			const id = this.#idOf(test);
			this.#stryker.currentTestId = id;
			if (this.#wanted)
				test.timeout = Math.min(LONGEST_TEST_MS, SPARE_TEST_MS + SPARE_FACTOR * this.#usualMs(id));
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

const fileOf = (id) => id.split('#')[0];

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', () => new Runner())];
