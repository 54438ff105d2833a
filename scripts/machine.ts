/** Tells whether this machine has what some tests need: `tsx scripts/machine.ts browser`, `queue` or `release`. */
import { execFileSync } from 'node:child_process';

import { installedChromium } from '../test/support/browser/chromium';
import { program, serverPrograms } from '../test/support/cluster/server';

const needs: Record<string, () => void> = {
	browser: () => void installedChromium(),
	queue: () => serverPrograms.forEach((name) => program(name)),
	release: () => void execFileSync('git', ['--version']),
};

try {
	needs[process.argv[2] ?? '']?.();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
