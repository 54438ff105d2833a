import { arch, cpus, platform, totalmem } from 'node:os';

import { growthOf, type Growth, type Sample } from './growth';
import type { Course, TimedReading } from './run';
import { WORK } from './round';

const HOUR_MS = 3_600_000;
const MB = 2 ** 20;

/** What is measured of memory, and how much faster than in the control it may grow, in MB per hour. */
const MEASURES = [
	{ name: 'JavaScript heap', of: ({ heapUsed }: TimedReading) => heapUsed, tolerance: 2 },
	{ name: 'Held outside the heap', of: ({ external }: TimedReading) => external, tolerance: 2 },
	{ name: 'Whole process (RSS)', of: ({ rss }: TimedReading) => rss, tolerance: 20 },
];

/** The first third is left out: caches fill in it, and the trigger remembers events for ten minutes. */
const settledPart = ({ during }: Course) => during.slice(Math.floor(during.length / 3));

const samplesOf = (course: Course, of: (reading: TimedReading) => number): Sample[] =>
	settledPart(course).map((reading) => ({ hours: reading.at / HOUR_MS, value: of(reading) / MB }));

/** What is wrong with the first course, beside the control; nothing when it is as it should be. */
export function problemsOf([ours, control]: Course[]): string[] {
	if (!ours || !control) return ['There is nothing to compare'];
	const growing = MEASURES.filter(({ of, tolerance }) =>
		isFaster(growthOf(samplesOf(ours, of)), growthOf(samplesOf(control, of)), tolerance),
	);
	const left = (['sockets', 'timers'] as const).filter((what) => ours.after[what] > ours.before[what]);
	return [
		...wrongDone(ours),
		...growing.map(({ name }) => `${name} grows`),
		...left.map((what) => `${what} were left: ${ours.before[what]} before, ${ours.after[what]} after`),
		...ours.after.mishaps,
	];
}

/** Whether a run has too few rounds for a line through them. */
export const isTooShort = (courses: Course[]) =>
	courses.some((course) => Number.isNaN(growthOf(samplesOf(course, ({ rss }) => rss)).perHour));

/** Everything has to be done, and nothing twice. */
function wrongDone({ done, rounds }: Course): string[] {
	const expected = { executions: rounds * WORK.executions, failures: 0, sends: rounds * WORK.sends };
	return (['executions', 'failures', 'sends'] as const)
		.filter((what) => done[what] !== expected[what])
		.map((what) => `${done[what]} ${what} instead of ${expected[what]}`);
}

/** Whether it certainly grows, and certainly faster than the other by more than the tolerance. */
function isFaster(one: Growth, other: Growth, tolerance: number): boolean {
	return one.perHour - one.plusMinus > Math.max(0, other.perHour + other.plusMinus) + tolerance;
}

/** The courses side by side, as a page in Markdown. */
export function pageOf(courses: Course[]): string {
	const minutes = ((courses[0]?.during.at(-1)?.at ?? 0) / 60_000).toFixed(1);
	const row = (name: string, cell: (course: Course) => string | number) =>
		`| ${[name, ...courses.map(cell)].join(' | ')} |`;
	const rows = [
		row('', ({ name }) => name),
		row('---', () => '---'),
		row('Rounds', ({ rounds }) => rounds),
		row('Events, each with a download', ({ rounds }) => rounds * WORK.events),
		row('Messages sent', ({ done }) => done.sends),
		row('Executions', ({ done }) => done.executions),
		row('Executions that failed', ({ done }) => done.failures),
		...MEASURES.flatMap(({ name, of }) => [
			row(`${name}, MB`, (course) => fromTo(samplesOf(course, of))),
			row(`${name}, growth in MB per hour`, (course) => shown(growthOf(samplesOf(course, of)))),
		]),
		...(['sockets', 'timers'] as const).map((what) =>
			row(`Open ${what} before and after`, ({ before, after }) => `${before[what]} → ${after[what]}`),
		),
		row('Unhandled rejections and the like', ({ after }) => after.mishaps.length),
	];
	const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${arch()}`;
	return `# A long run

${minutes} minutes of mixed work in a real n8n, beside the same work with n8n's own nodes in another one, both at the same time.
Written by \`npm run test:long\`; [how it works](README.md).

${rows.join('\n')}

Machine: ${machine}.
`;
}

const fromTo = (samples: Sample[]) => `${samples[0]?.value.toFixed(1)} → ${samples.at(-1)?.value.toFixed(1)}`;

const shown = ({ perHour, plusMinus }: Growth) =>
	Number.isNaN(perHour) ? 'too short to say' : `${rounded(perHour)} ± ${rounded(plusMinus)}`;

/** Without the sign of a zero. */
const rounded = (value: number) => (Math.round(value * 10) / 10 + 0).toFixed(1);
