import type { Clock } from '../../api/clock';
import type { Row } from '../../n8n/journal/row';

/**
 * The row of messages that ran forgets the oldest when it is full. Marks among them tell how far back it remembers: each ten
 * minutes and each day in which something was recorded have one, recorded before anything else of that time. A mark that is
 * left proves that everything after it is left, too.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Where marks are looked for: closely as far back as an outage over a weekend, and as many days as can be caught up. */
const SPANS = [
	{ name: 'ten minutes', ms: 10 * MINUTE_MS, count: 3 * 24 * 6 },
	{ name: 'day', ms: DAY_MS, count: 31 },
];

/** The clocks of the processes may differ by so much. */
const CLOCK_MARGIN_MS = MINUTE_MS;

/** The mark of a row that has never forgotten anything. */
const BEGAN = 'began';

/**
 * Creates the access to a row whose marks are set in the same call as what comes after them. So no call that fails, and no process
 * that is killed, leaves anything that has no mark before it.
 */
export function createMarkedRow({ now }: Pick<Clock, 'now'>): (row: Row) => Row {
	/** The marks that this process has set last. */
	let set: string[] | undefined;
	return (row) => ({
		...row,
		async record(keys, max) {
			const marks = SPANS.map(({ name, ms }) => `${name} ${Math.floor(now() / ms)}`);
			const isEmpty = !set && (await row.count()) === 0;
			const due = marks.filter((mark) => !set?.includes(mark));
			const before = await row.record([...(isEmpty ? [BEGAN] : []), ...due, ...keys], max);
			set = marks;
			return isEmpty ? new Set([BEGAN, ...before]) : before;
		},
	});
}

/** The marks of earlier times. If one is left, all messages are known that came in after its time here, in Unix milliseconds. */
export function marksBefore(now: number): Map<string, number> {
	const earlier = SPANS.flatMap(({ name, ms, count }) =>
		Array.from({ length: count }, (_, index): [string, number] => {
			const ended = Math.floor(now / ms) - index;
			return [`${name} ${ended - 1}`, ended * ms + CLOCK_MARGIN_MS];
		}),
	);
	return new Map([[BEGAN, 0], ...earlier]);
}

/**
 * Since when all messages are known that ran, in Unix milliseconds.
 *
 * @param left which of the marks are left
 */
export function knownSince(left: ReadonlySet<string>, now: number): number {
	const times = [...marksBefore(now)].flatMap(([mark, since]) => (left.has(mark) ? [since] : []));
	return Math.min(now + CLOCK_MARGIN_MS, ...times);
}
