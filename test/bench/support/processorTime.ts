import { readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

/** Processor time that processes have used so far, in milliseconds. Linux only. */
export async function processorTime(pids: number[]): Promise<number> {
	const times = await Promise.all(
		pids.map(async (pid) => {
			const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
			const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
		}),
	);
	return times.reduce((sum, time) => sum + time, 0);
}
