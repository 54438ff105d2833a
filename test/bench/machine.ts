import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

import { ensureN8n } from '../support/n8n/install';
import { run } from '../support/n8n/run';

/** What a benchmark ran on, in one line. */
export async function machine(): Promise<string> {
	const { node, version } = await ensureN8n();
	const nodeVersion = (await run(node, ['--version'], { cwd: process.cwd() })).trim();
	const system = /PRETTY_NAME="(.*)"/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux';
	const gigabytes = Math.round(totalmem() / 1024 ** 3);
	return `n8n ${version} on Node ${nodeVersion}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${gigabytes} GB, ${system}`;
}
