// Runs files of tests in the realm of Jest's worker: what they need of node_modules, n8n's engine above all, is loaded once for
// all files of a worker. In realms of their own, each file loads it again, and that takes longer than most tests.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { dirname, join, sep } = require('node:path');
const { default: runCircus } = require('./circusRunner.cjs');

require('tsx/cjs/api').register();
// Beside the code of a node lies JSON of the same name, and Node tries the endings in this order.
const { '.json': loadJson } = require.extensions;
delete require.extensions['.json'];
require.extensions['.json'] = loadJson;

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

/** The `jest` of a file of tests. */
const jest = new Proxy(mocker, {
	get(_, name) {
		const owner = name in mocker ? mocker : timers;
		return owner[name].bind(owner);
	},
});

function undoMocks() {
	mocker.restoreAllMocks();
	timers.useRealTimers();
}

/** Holds the tests of the file that is being run. */
const CIRCUS = join(dirname(require.resolve('jest-circus')), 'jestAdapterInit.js');

/** The reference service and its helpers need nothing of nodes/, so one of each serves all files. */
const isOurs = (path) =>
	!path.includes(`${sep}node_modules${sep}`) && path !== __filename && !/test.support.(?!engine)/.test(path);

/** Each file begins with modules of ours that are loaded as if for the first time. */
function forgetOurs() {
	for (const path of Object.keys(require.cache))
		if (isOurs(path) || path === CIRCUS) delete require.cache[path];
}

/** What Jest's runner asks of a realm of its own. */
const RUNTIME = {
	requireInternalModule: require,
	requireModule: require,
	unstable_shouldLoadAsEsm: () => false,
	setGlobalsForRuntime: () => {},
	enterTestCode: () => {},
	leaveTestCode: () => {},
};

module.exports = async (globalConfig, config, environment, _, testPath, sendMessageToJest) => {
	const { console } = globalThis;
	Object.assign(globalThis, { jest, console: environment.global.console });
	forgetOurs();
	try {
		return await runCircus(
			globalConfig,
			config,
			{ global: globalThis },
			RUNTIME,
			testPath,
			sendMessageToJest,
		);
	} finally {
		globalThis.console = console;
		undoMocks();
	}
};

Object.assign(module.exports, { isOurs, jest, undoMocks });
