import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks an n8n that has one of the preloads here, and reads the JSON that it writes to the file; a minute at most. */
export async function answerOfPreload<T>(pid: number, file: string): Promise<T> {
	process.kill(pid, 'SIGUSR2');
	for (let look = 0; look < 600; look++) {
		const text = await readFile(file, 'utf8').catch(() => '');
		if (text.endsWith('}')) return JSON.parse(text) as T;
		await sleep(100);
	}
	throw new Error(`n8n did not write ${file}`);
}
