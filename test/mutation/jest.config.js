const { projects } = require('../../jest.config');

const [unit] = projects;

/** One project, as mutation testing needs it, of the tests that run the code; those of documents and tables do not. */
module.exports = {
	...unit,
	displayName: 'mutation',
	rootDir: '../..',
	testSequencer: '<rootDir>/test/mutation/sequencer.js',
	testMatch: ['<rootDir>/test/{unit,engine}/**/*.test.ts'],
	testPathIgnorePatterns: [
		'<rootDir>/test/unit/docs/',
		'<rootDir>/test/unit/(readme|schemas|words|workflows|contract|agreement)\\.test\\.ts$',
		'<rootDir>/test/engine/answers/',
	],
};
