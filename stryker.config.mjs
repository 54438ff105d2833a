const folder = 'coverage/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['nodes/MessagingChannel/{api,operation,trigger}/**/*.ts', 'credentials/**/*.ts'],
	testRunner: 'jest',
	jest: { configFile: 'test/mutation/jest.config.js' },
	coverageAnalysis: 'perTest',
	incremental: true,
	incrementalFile: `${folder}/incremental.json`,
	tempDirName: `${folder}/sandbox`,
	ignorePatterns: ['.n8n', 'coverage', 'dist', 'docs', 'examples'],
	ignoreStatic: true,
	dryRunTimeoutMinutes: 60,
	// The machine may be busy with something else.
	timeoutMS: 30_000,
	reporters: ['clear-text', 'json'],
	jsonReporter: { fileName: `${folder}/mutation.json` },
	thresholds: { high: 95, low: 90, break: 90 },
};
