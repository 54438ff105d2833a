import sortedLastIndexBy from 'lodash/sortedLastIndexBy';

import type { Timers } from './timers';

/** One queued send. */
export interface SendJob {
	id: string;
	/** Lower is sent earlier ("Messages"). */
	priority: number;
	/** Does the send; a rejection counts as failed. */
	run(): Promise<void>;
}

/**
 * Sends one job at a time with a pause before each ("What the service does 4").
 *
 * @param delay draws the pause, in milliseconds
 */
export function createSendQueue(timers: Timers, delay: () => number) {
	/** In the order in which they are sent. */
	const jobs: SendJob[] = [];
	let held = false;
	let pausing = false;
	let active = 0;
	let failed = 0;

	const sendNext = (): void => {
		pausing = false;
		const job = held ? undefined : jobs.shift();
		if (!job) return;
		active += 1;
		void job
			.run()
			.catch(() => {
				failed += 1;
			})
			.finally(() => {
				active -= 1;
				pump();
			});
	};

	const pump = (): void => {
		if (held || pausing || active > 0 || jobs.length === 0) return;
		pausing = true;
		timers.after(delay(), sendNext);
	};

	return {
		add: (job: SendJob) => {
			jobs.splice(sortedLastIndexBy(jobs, job, 'priority'), 0, job);
			pump();
		},
		/** Stops it before the next send. */
		hold: () => {
			held = true;
		},
		release: () => {
			held = false;
			pump();
		},
		/** As `GET /messages/queue` reports it. */
		status: () => {
			const delayed = pausing && !held ? 1 : 0;
			return { waiting: jobs.length - delayed, active, failed, delayed };
		},
	};
}
