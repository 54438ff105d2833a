import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 15 * 60_000;

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

async function take(file: string): Promise<boolean> {
	try {
		await writeFile(file, String(process.pid), { flag: 'wx' });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		return false;
	}
}

/** Runs `work` while no other process does; a lock left behind by a process that is gone does not count. */
export async function withLock<T>(
	file: string,
	work: () => Promise<T>,
	onWait: (pid: number) => void,
): Promise<T> {
	await mkdir(dirname(file), { recursive: true });
	const deadline = Date.now() + timeoutMs;
	let announced = false;
	while (!(await take(file))) {
		const holder = Number(await readFile(file, 'utf8').catch(() => ''));
		if (holder > 0 && !isRunning(holder)) {
			await rm(file, { force: true });
			continue;
		}
		if (Date.now() > deadline) throw new Error(`${file} is still held by process ${holder}`);
		if (holder > 0 && !announced) {
			announced = true;
			onWait(holder);
		}
		await sleep(250);
	}
	try {
		return await work();
	} finally {
		await rm(file, { force: true });
	}
}
