import { setTimeout as sleep } from 'node:timers/promises';

const patience = 120_000;

/** Looks again and again until it is so, for what n8n does only after it has shown that it is done. */
export async function until(what: string, look: () => Promise<boolean>): Promise<void> {
	for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
		if (await look()) return;
	}
	throw new Error(`Waited ${patience / 1000} s in vain until ${what}`);
}
