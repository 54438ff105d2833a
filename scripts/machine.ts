/** Sees to it that this machine has what tests need: `tsx scripts/machine.ts n8n`, which is installed, `browser`, `queue` or `release`. */
import { execFileSync } from 'node:child_process';

import { installedChromium } from '../test/support/browser/chromium';
import { program, serverPrograms } from '../test/support/cluster/server';
import { ensureN8n } from '../test/support/n8n/install';

const needs: Record<string, () => unknown> = {
	n8n: ensureN8n,
	browser: installedChromium,
	queue: () => serverPrograms.forEach((name) => program(name)),
	release: () => execFileSync('git', ['--version']),
};

async function main(): Promise<void> {
	await needs[process.argv[2] ?? '']?.();
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
