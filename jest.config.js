const project = (name, folder = name) => ({
	displayName: name,
	testEnvironment: 'node',
	testRunner: `<rootDir>/test/support/${name === 'engine' ? 'onceLoaded' : 'circusRunner'}.cjs`,
	testMatch: [`<rootDir>/test/${folder}/**/*.test.ts`],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }] },
	...(name === 'unit' && {
		moduleNameMapper: { '^n8n-workflow$': '<rootDir>/test/support/n8nWorkflow.cjs' },
	}),
	modulePathIgnorePatterns: [
		'<rootDir>/dist/',
		'<rootDir>/.build/',
		'<rootDir>/.n8n/',
		'<rootDir>/test/support/n8n/versions/',
		'<rootDir>/coverage/',
	],
});

module.exports = {
	// Only for a test that waits in vain: on a busy machine every other may take long.
	testTimeout: 600_000,
	// Jest leaves one core unused, which is half of two.
	maxWorkers: '100%',
	testSequencer: '<rootDir>/test/support/longestFirst.cjs',
	projects: [
		...['unit', 'engine', 'service', 'soak', 'e2e', 'browser', 'queue', 'package', 'release'].map((name) =>
			project(name),
		),
		{ ...project('simulation'), testPathIgnorePatterns: ['<rootDir>/test/simulation/real/'] },
		project('reality', 'simulation/real'),
	],
};
