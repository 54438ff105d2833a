const Sequencer = require('@jest/test-sequencer').default;

/**
 * Files that take minutes, roughly the longest first. Beside those with `missed`, which mostly wait, others run that do not.
 * Until Jest has timed files on a machine, it starts with the largest.
 */
const LONGEST = [
	'queue/cluster',
	'browser/editor',
	'e2e/trigger.missedNight',
	'e2e/examples',
	'queue/missed',
	'queue/killing',
	'e2e/sending',
	'e2e/trigger.soak',
	'e2e/sendAndWait',
	'e2e/agent',
].map((name) => `/test/${name}.test.ts`);

module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests);
		const placeOf = ({ path }) => LONGEST.findIndex((name) => path.endsWith(name));
		const long = sorted.filter((test) => placeOf(test) >= 0);
		const others = sorted.filter((test) => placeOf(test) < 0);
		return [...long.sort((one, other) => placeOf(one) - placeOf(other)), ...others];
	}
};
