const folder = 'coverage/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['{credentials,nodes}/**/*.ts'],
	// Tests that run the code. The others test documents and tables, take values by chance, or measure the machine.
	testFiles: [
		'test/unit/{actions,api,checkSetup,credentials,execution,fields,memory,n8n,operation,recipients,sendAndWait,trigger,webhook}/**/*.test.ts',
		'test/engine/**/!(badResponses|ssrf).test.ts',
		// Some code is there only to be quick.
		'test/soak/longTexts.test.ts',
	],
	plugins: ['./test/mutation/runner.mjs'],
	testRunner: 'in-process',
	coverageAnalysis: 'perTest',
	incremental: true,
	incrementalFile: `${folder}/incremental.json`,
	tempDirName: `${folder}/sandbox`,
	ignorePatterns: ['.n8n', 'coverage', 'dist', 'docs', 'examples'],
	ignoreStatic: true,
	dryRunTimeoutMinutes: 60,
	// The machine may be busy with something else.
	timeoutMS: 15_000,
	reporters: ['clear-text', 'json', 'progress-append-only'],
	clearTextReporter: { logTests: false, reportTests: false },
	jsonReporter: { fileName: `${folder}/mutation.json` },
	thresholds: { high: 95, low: 90, break: 90 },
};
