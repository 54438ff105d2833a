const Sequencer = require('@jest/test-sequencer').default;

/** Small files that take minutes. Until Jest has timed the files on a machine, it starts with the largest. */
const LONG =
	/(soak\/sending|engine\/answers\/answers|e2e\/(examples|connections|requestIds|trigger\.(soak|sharing\.soak|missed|missedNight))|browser\/examples|queue\/(killing|requestIds))\.test\.ts$/;

module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests);
		const isLong = ({ path }) => LONG.test(path);
		return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
	}
};
