import { setTimeout as sleep } from 'node:timers/promises';

import { isSettled } from '../support/n8n/execution';
import { eventually } from '../support/poll';
import type { Reading } from './gauge';
import { playRound } from './round';
import { startControl, startOurs, type Subject } from './subject';

/** How long a run is, in milliseconds. */
export interface Length {
	/** The load, after a round that warms up. */
	load: number;
	/** The pause before the load, after which sockets and timers are counted. */
	quiet: number;
}

/** A reading, and when it was taken in milliseconds since the load began. */
export type TimedReading = Reading & { at: number };

/** What one n8n went through. */
export interface Course {
	name: string;
	/** Before the load, after a pause. */
	before: Reading;
	/** After each round. */
	during: TimedReading[];
	/** After the load, as soon as sockets and timers were as few as before, or after two minutes. */
	after: Reading;
	/** Rounds played, the one that warms up included. */
	rounds: number;
	done: Done;
}

/** What came of the rounds. */
export interface Done {
	/** That ended well. */
	executions: number;
	/** Executions that did not. */
	failures: number;
	/** Messages that the service took. */
	sends: number;
}

/** Both at the same time, so that what else the machine does falls on both. */
export async function longRun(length: Length, log: (line: string) => void): Promise<Course[]> {
	const started = await Promise.allSettled([startOurs(), startControl()]);
	const subjects = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
	try {
		const failed = started.find((one) => one.status === 'rejected');
		if (failed) throw failed.reason;
		return await load(subjects, length, log);
	} finally {
		await Promise.all(subjects.map(async ({ stop }) => await stop()));
	}
}

async function load(subjects: Subject[], length: Length, log: (line: string) => void): Promise<Course[]> {
	const together = async <T>(work: (subject: Subject) => Promise<T>) => await Promise.all(subjects.map(work));
	await together(async (subject) => await playRound(subject, 0));
	await sleep(length.quiet);
	const before = await together(async ({ gauge }) => await gauge.read());

	const during = subjects.map((): TimedReading[] => []);
	const begun = Date.now();
	let rounds = 1;
	for (; Date.now() < begun + length.load; rounds++) {
		await together(async (subject) => await playRound(subject, rounds));
		const readings = await together(async ({ gauge }) => await gauge.read());
		const at = Date.now() - begun;
		readings.forEach((reading, index) => during[index]?.push({ ...reading, at }));
		log(
			`${(at / 60_000).toFixed(1)} min, heap ${readings.map(({ heapUsed }) => megabytes(heapUsed)).join(' and ')}`,
		);
	}
	return await Promise.all(
		subjects.map(async (subject, index): Promise<Course> => {
			const start = before[index] as Reading;
			const after = await settled(subject, start);
			const done = await countDone(subject);
			return { name: subject.name, before: start, during: during[index] ?? [], after, rounds, done };
		}),
	);
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;

/** What is left open returns to what it was in a moment, or never; timers of n8n's own come and go. */
async function settled({ gauge }: Subject, before: Reading): Promise<Reading> {
	const deadline = Date.now() + 120_000;
	for (;;) {
		const now = await gauge.read();
		const isSettled = now.sockets <= before.sockets && now.timers <= before.timers;
		if (isSettled || Date.now() > deadline) return now;
		await sleep(500);
	}
}

/** Executions that ended well, others, and messages that the service took. */
async function countDone({ n8n, service }: Subject): Promise<Done> {
	const all = await eventually(n8n.api.executions, (found) => found.every(isSettled));
	const statuses = all.map(({ status }) => status);
	const executions = statuses.filter((status) => status === 'success').length;
	const sends = (await service.control.accepted()).length;
	return { executions, failures: statuses.length - executions, sends };
}
