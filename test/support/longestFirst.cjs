const Sequencer = require('@jest/test-sequencer').default;

/**
 * Files that take minutes, roughly the longest first. Beside two that mostly wait, as those with `missed` do, others run that
 * do not: `npm test` runs four at a time.
 * Until Jest has timed files on a machine, it starts with the largest.
 */
const LONGEST = [
	'queue/missed',
	'e2e/trigger.missedNight',
	'queue/sending',
	'queue/killing',
	'e2e/trigger.soak',
	'e2e/examples',
	'queue/deliveries',
	'e2e/requestIds',
	'queue/workers',
	'browser/examples',
	'browser/running',
	'e2e/trigger.publishing',
	'e2e/sending',
	'e2e/trigger.deliveries',
	'e2e/connections',
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
