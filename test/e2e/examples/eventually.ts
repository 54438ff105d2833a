import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 20_000;

/** Looks again and again until there is something to return. */
export async function eventually<T>(
	what: string,
	look: () => Promise<T | undefined | null | false>,
): Promise<T> {
	for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
		const found = await look();
		if (found) return found;
	}
	throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
}
