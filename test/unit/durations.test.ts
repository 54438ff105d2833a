import { fields } from './panel';

/** Numbers of the panels that never become a time. Any other one becomes a timer or a date. */
const COUNTS = [
	'Context Window Length',
	'Limit',
	'Max Attempts',
	'Max Concurrency',
	'Max Events',
	'Pause When Queue Above',
	'Priority',
	'Split Long Text (Characters)',
];

/** Node.js fires a timer for more milliseconds at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const durations = fields.filter(
	({ what: { type, displayName } }) => type === 'number' && !COUNTS.includes(displayName),
);

test.each(durations)('$where has limits, and its default is within them', ({ what }) => {
	const { minValue = NaN, maxValue = NaN } = what.typeOptions ?? {};
	expect(minValue).toBeGreaterThanOrEqual(0);
	expect(maxValue).toBeLessThan(MAX_TIMER_MS);
	expect(what.default).toBeGreaterThanOrEqual(minValue);
	expect(what.default).toBeLessThanOrEqual(maxValue);
});
