// Jest's own functions, for files of tests that run in this process instead of Jest's.
const { jestExpect: expect } = require('@jest/expect');
const { ModernFakeTimers } = require('@jest/fake-timers');
const circus = require('jest-circus');
const { ModuleMocker } = require('jest-mock');
const { sep } = require('node:path');

require('tsx/cjs/api').register();
// Beside the code of a node lies JSON of the same name, and Node tries the endings in this order.
const { '.json': loadJson } = require.extensions;
delete require.extensions['.json'];
require.extensions['.json'] = loadJson;

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = circus;
const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });
const jest = new Proxy(mocker, {
	get(_, name) {
		const owner = name in mocker ? mocker : timers;
		return owner[name].bind(owner);
	},
});
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, test, expect, jest });

/** Runs a file of tests; it and all of ours that it needs are loaded as if for the first time. */
exports.run = async (file, longestTestMs) => {
	for (const path of Object.keys(require.cache)) {
		if (!path.includes(`${sep}node_modules${sep}`) && path !== __filename) delete require.cache[path];
	}
	circus.resetState();
	circus.getState().testTimeout = longestTestMs;
	try {
		require(file);
		await circus.run();
	} finally {
		mocker.restoreAllMocks();
		timers.useRealTimers();
	}
};

exports.circus = circus;
