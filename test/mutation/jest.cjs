// Jest's own functions, for files of tests that run in this process instead of Jest's.
const { jestExpect: expect } = require('@jest/expect');
const circus = require('jest-circus');
const { isOurs, jest, undoMocks } = require('../support/onceLoaded.cjs');

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = circus;
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, test, expect, jest });

/** So many files of tests stay loaded; all of them would take too much memory. */
const MOST_LOADED = 30;

/** The files of tests that are loaded, the last used at the end: Jest's state, and what of ours the file needs. */
const loaded = new Map();
let current;

function putAway() {
	const paths = Object.keys(require.cache).filter((path) => isOurs(path) && path !== __filename);
	if (current) current.modules = paths.map((path) => [path, require.cache[path]]);
	for (const path of paths) delete require.cache[path];
	current = undefined;
}

function load(file, longestTestMs) {
	putAway();
	circus.resetState();
	circus.getState().testTimeout = longestTestMs;
	require(file);
	const state = circus.getState();
	current = {
		state,
		settings: testsIn(state.rootDescribeBlock).map((test) => [test, test.mode, test.timeout]),
	};
}

function reuse(entry) {
	putAway();
	for (const [path, module] of entry.modules) require.cache[path] = module;
	current = entry;
	circus.setState(entry.state);
	Object.assign(entry.state, { hasStarted: false, unhandledErrors: [], currentlyRunningTest: null });
	for (const [test, mode, timeout] of entry.settings) {
		Object.assign(test, { mode, timeout, errors: [], invocations: 0, status: null, duration: null });
	}
}

const testsIn = ({ children }) =>
	children.flatMap((child) => (child.type === 'describeBlock' ? testsIn(child) : [child]));

/**
 * Runs a file of tests.
 *
 * @param isFresh whether it and all of ours that it needs are loaded as if for the first time
 * @param begin called when it is loaded
 */
exports.run = async (file, longestTestMs, isFresh, begin) => {
	const entry = loaded.get(file);
	if (entry && !isFresh) reuse(entry);
	else load(file, longestTestMs);
	loaded.delete(file);
	loaded.set(file, current);
	if (loaded.size > MOST_LOADED) loaded.delete(loaded.keys().next().value);
	try {
		begin();
		await circus.run();
	} finally {
		undoMocks();
	}
};

exports.circus = circus;
