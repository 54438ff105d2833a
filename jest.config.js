const project = (name) => ({
	displayName: name,
	testEnvironment: 'node',
	testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }] },
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.n8n/', '<rootDir>/coverage/'],
});

module.exports = { projects: ['unit', 'engine', 'service', 'soak', 'e2e', 'browser', 'queue'].map(project) };
