import { readFileSync, writeFileSync } from 'node:fs';

const statusOf = (pid: number, field: 'VmRSS' | 'VmHWM') =>
	Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Memory of a process that is in RAM now, in MB. Linux only. */
export const residentMemory = (pid: number): number => statusOf(pid, 'VmRSS');

/** How far the memory of a process rises while `work` runs, in MB, above what it had before. */
export async function peakGrowth(pid: number, work: () => Promise<unknown>): Promise<number> {
	// Makes the kernel forget the peak so far.
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	const before = residentMemory(pid);
	await work();
	return statusOf(pid, 'VmHWM') - before;
}
