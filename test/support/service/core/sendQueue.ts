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
	// One first-in-first-out line per priority: adding and taking stay cheap with thousands waiting.
	const lines = new Map<number, { jobs: SendJob[]; next: number }>();
	let size = 0;
	let held = false;
	let pausing = false;
	let active = 0;
	let failed = 0;

	const take = (): SendJob | undefined => {
		const priority = Math.min(...lines.keys());
		const line = lines.get(priority);
		const job = line?.jobs[line.next];
		if (!line || !job) return undefined;
		line.next += 1;
		size -= 1;
		if (line.next === line.jobs.length) lines.delete(priority);
		return job;
	};

	const sendNext = (): void => {
		pausing = false;
		const job = held ? undefined : take();
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
		if (held || pausing || active > 0 || size === 0) return;
		pausing = true;
		timers.after(delay(), sendNext);
	};

	return {
		add: (job: SendJob) => {
			const line = lines.get(job.priority);
			if (line) line.jobs.push(job);
			else lines.set(job.priority, { jobs: [job], next: 0 });
			size += 1;
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
			return { waiting: size - delayed, active, failed, delayed };
		},
	};
}
