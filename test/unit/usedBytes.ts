import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nobody uses any more. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** What this process holds in memory, in bytes. */
export function usedBytes(): number {
	collectGarbage();
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return heapUsed + arrayBuffers;
}
