const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs the tests of units first, as a mutant that one of them catches costs no start of n8n's engine. */
module.exports = class extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => Number(path.includes('/test/engine/'));
		return [...tests].sort((one, other) => rank(one) - rank(other) || one.path.localeCompare(other.path));
	}
};
