import { readFileSync, writeFileSync } from 'node:fs';

import { messages } from './senders';
import type { Sink } from './sink';
import { createRun, runStep, startBenchWorld, type StepOf } from './world';

const statusOf = (pid: number, field: 'VmRSS' | 'VmHWM') =>
	Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Memory of a process that is in RAM now, in MB. Linux only. */
const residentMemory = (pid: number): number => statusOf(pid, 'VmRSS');

/** How far the memory of a process rises while `work` runs, in MB, above what it had before. */
export async function peakGrowth(pid: number, work: () => Promise<unknown>): Promise<number> {
	// Makes the kernel forget the peak so far.
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	const before = residentMemory(pid);
	await work();
	return statusOf(pid, 'VmHWM') - before;
}

/** How far a fresh n8n's memory rises while a step takes so many messages, in MB. */
export async function peakOfMessages(count: number, step: StepOf, sink: Sink): Promise<number> {
	const world = await startBenchWorld({ sink });
	try {
		const id = await createRun(world, messages(count), step(world));
		return await peakGrowth(world.n8n.pid, async () => await runStep(world, id));
	} finally {
		await world.stop();
	}
}
