// Jest's own test functions, for tests that run in this process instead of Jest's.
const { readFileSync } = require('node:fs');
const { sep } = require('node:path');
const { jestExpect: expect } = require('@jest/expect');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { transformSync } = require('@swc/core');
const circus = require('jest-circus');
const { ModuleMocker } = require('jest-mock');

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = circus;
const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

const jest = {
	fn: mocker.fn.bind(mocker),
	spyOn: mocker.spyOn.bind(mocker),
	restoreAllMocks: () => mocker.restoreAllMocks(),
	useFakeTimers: (options) => timers.useFakeTimers(options),
	useRealTimers: () => timers.useRealTimers(),
	advanceTimersByTimeAsync: async (ms) => await timers.advanceTimersByTimeAsync(ms),
	setTimeout: () => {},
};

Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, test, expect, jest });

const swc = {
	jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
	module: { type: 'commonjs' },
	sourceMaps: false,
};
const compiled = new Map();

function loadTypeScript(module, filename) {
	if (!compiled.has(filename)) {
		compiled.set(filename, transformSync(readFileSync(filename, 'utf8'), { ...swc, filename }).code);
	}
	module._compile(compiled.get(filename), filename);
}

// Code goes before data of the same name, as Node looks in this order.
const { '.json': loadJson } = require.extensions;
delete require.extensions['.json'];
Object.assign(require.extensions, { '.ts': loadTypeScript, '.json': loadJson });

/** Loads a file of tests, and all of ours that it needs, as if for the first time. */
exports.load = (file, longestTestMs) => {
	for (const path of Object.keys(require.cache)) {
		if (!path.includes(`${sep}node_modules${sep}`) && path !== __filename) delete require.cache[path];
	}
	circus.resetState();
	circus.getState().testTimeout = longestTestMs;
	require(file);
};

/** Puts back what tests have changed of this process. */
exports.restore = () => {
	mocker.restoreAllMocks();
	timers.useRealTimers();
};

exports.circus = circus;
