/**
 * Shows that the harness works: `npx tsx test/support/n8n/smoke.ts`. Installs n8n when needed, boots it, runs a workflow and,
 * when `dist` is built, loads this package into it. Prints what each part costs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureN8n } from './install';
import { startN8n, type N8n, type N8nOptions } from './instance';
import { packTarball } from './package';
import { repository } from './paths';
import { itemsNode, manualTrigger, workflow } from './workflow';

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
	const started = performance.now();
	const result = await work();
	console.log(`${what}: ${Math.round(performance.now() - started)} ms`);
	return result;
}

async function withN8n(what: string, options: N8nOptions, use: (n8n: N8n) => Promise<void>): Promise<void> {
	const n8n = await timed(`${what}: started`, async () => await startN8n(options));
	try {
		await use(n8n);
	} finally {
		await timed(`${what}: stopped`, async () => await n8n.stop());
	}
}

/** Resident memory in MB, as the system counts it. */
const memory = (pid: number) =>
	Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);

async function runWorkflow({ api }: N8n): Promise<void> {
	const steps = [manualTrigger(), itemsNode([{ greeting: 'hello' }, { greeting: 'again' }])];
	const { id } = await api.createWorkflow(workflow('Smoke', steps));
	const execution = await timed('One run', async () => await api.run(id));
	console.log(execution.status, JSON.stringify(execution.items('Items').map(({ json }) => json)));
	await api.deleteWorkflow(id);
}

async function listNodeTypes({ api, logs }: N8n): Promise<void> {
	const ours = (await api.nodeTypes()).filter(({ name }) => name.startsWith('n8n-nodes-messaging-channel.'));
	for (const { name, displayName, properties } of ours)
		console.log(`  ${name} (${displayName}), ${properties.length} properties`);
	if (ours.length === 0) console.log(`  n8n loaded none of our nodes:\n${logs()}`);
}

async function main(): Promise<void> {
	await timed('Install', async () => await ensureN8n());
	await withN8n('n8n alone', { tarball: false }, async (n8n) => {
		await runWorkflow(n8n);
		await runWorkflow(n8n);
		console.log(`Memory: ${memory(n8n.pid)} MB`);
		await timed('Restart', async () => await n8n.restart());
		await n8n.kill();
		await timed('Restart after a crash', async () => await n8n.restart());
	});
	if (!existsSync(join(repository, 'dist'))) return console.log('No dist folder: not trying our own package');
	const tarball = await timed('Packed', packTarball);
	await withN8n('n8n with our package and the editor', { tarball, editor: true }, listNodeTypes);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
