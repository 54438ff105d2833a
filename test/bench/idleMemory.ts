/**
 * How much memory an idle n8n needs with this package, beside one without it: `npx tsx test/bench/idleMemory.ts`.
 * Both run at the same time, so that what else the machine does falls on both.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { startN8n, type N8n } from '../n8n/instance';
import { median } from './median';

const RUNS = Number(process.argv[2] ?? 3);
const SETTLE_MS = 10_000;

/** Without a limit, what n8n leaves behind at its start is collected in some runs and in others not: 180 MB. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256' };

/** Resident memory of an n8n in MB. */
function memoryOf({ pid }: N8n): number {
	const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
	return Number(kilobytes) / 1024;
}

async function measure(): Promise<{ without: number; with: number }> {
	const both = await Promise.all([
		startN8n({ tarball: false, env: SMALL_HEAP }),
		startN8n({ env: SMALL_HEAP }),
	]);
	try {
		await sleep(SETTLE_MS);
		const [without, withPackage] = both.map(memoryOf);
		return { without: without ?? NaN, with: withPackage ?? NaN };
	} finally {
		await Promise.all(both.map(async (n8n) => await n8n.stop()));
	}
}

async function main(): Promise<void> {
	const runs = [];
	for (let run = 0; run < RUNS; run++) {
		const memory = await measure();
		runs.push(memory);
		console.log(`without ${memory.without.toFixed(0)} MB, with ${memory.with.toFixed(0)} MB`);
	}
	const ratio = median(runs.map((run) => run.with / run.without));
	console.log(
		`n8n with the package needs ${ratio.toFixed(3)} times the memory of n8n without it (median of ${RUNS})`,
	);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
