import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandEnvironment } from './environment';
import type { N8nInstall } from './paths';

/** What an n8n process is: a whole n8n, or one of the parts that queue mode adds to it. */
export type N8nCommand = 'start' | 'webhook' | 'worker';

/** A running n8n process. */
export interface N8nProcess {
	command: N8nCommand;
	/** Missing when `N8N_COMMAND` starts it: what that program runs can be in a container. */
	pid?: number;
	/** Everything it printed so far. */
	logs(): string;
	/** How it ended; undefined while it runs. */
	ended(): string | undefined;
	/** Asks it to end and waits; ends it by force when it does not. */
	terminate(): Promise<void>;
	/** Ends it by force, as a crash would. */
	kill(): Promise<void>;
}

const readyTimeout = 300_000;
// n8n gives running executions N8N_GRACEFUL_SHUTDOWN_TIMEOUT seconds, then needs a moment to close its database.
const terminateTimeout = 60_000;

/** Its last line before it is ready: a port can answer for another process, and it answers before workflows are active. */
const readyLine: Record<N8nCommand, string> = {
	start: 'Editor is now accessible via',
	webhook: 'Webhook listener waiting for requests',
	worker: 'n8n worker is now ready',
};

const preloaded = (...files: string[]) => files.flatMap((file) => ['--require', join(__dirname, file)]);

function spawnWith(install: N8nInstall, args: string[], env: Record<string, string>): ChildProcess {
	const cwd = env.N8N_USER_FOLDER;
	// A group of its own, so that Ctrl-C in a terminal reaches us alone, who end it in order.
	const detached = process.platform !== 'win32';
	if (install.isFromOutside)
		return spawn(install.bin, args, {
			env: { ...env, ...commandEnvironment() },
			cwd,
			detached,
			stdio: 'pipe',
		});
	const preload = preloaded('end-with-parent.cjs', 'own-modules-only.cjs');
	const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'pipe'];
	return spawn(install.node, [...preload, install.bin, ...args], { env, cwd, detached, stdio });
}

/** Starts n8n with this environment; its end is tied to ours. */
export function spawnN8n(
	install: N8nInstall,
	env: Record<string, string>,
	{
		log,
		command = 'start',
		options = [],
	}: { log?: (line: string) => void; command?: N8nCommand; options?: string[] } = {},
): N8nProcess {
	const child = spawnWith(install, [command, ...options], env);
	const printed: string[] = [];
	let ended: string | undefined;
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8');
		stream?.on('data', (text: string) => {
			printed.push(text);
			if (log) for (const line of text.split('\n').filter(Boolean)) log(line);
		});
	}
	// Before its temporary folder is removed, where it would write on.
	const killNow = () => child.kill('SIGKILL');
	if (env.REMOVE_WHEN_ORPHANED) process.prependOnceListener('exit', killNow);
	const end = new Promise<void>((resolve) => {
		child.once('error', (error) => {
			ended ??= error.message;
			resolve();
		});
		child.once('close', (code, signal) => {
			process.off('exit', killNow);
			ended ??= signal ? `ended by ${signal}` : `exit code ${code}`;
			resolve();
		});
	});

	const kill = async () => {
		if (ended === undefined) child.kill('SIGKILL');
		await end;
	};
	return {
		command,
		pid: install.isFromOutside ? undefined : child.pid,
		logs: () => printed.join(''),
		ended: () => ended,
		kill,
		terminate: async () => {
			if (ended === undefined) child.kill('SIGTERM');
			const waiting = new AbortController();
			await Promise.race([
				end,
				sleep(terminateTimeout, undefined, { signal: waiting.signal }).catch(() => undefined),
			]);
			waiting.abort();
			await kill();
		},
	};
}

/** Waits until n8n answers and has activated its workflows; an n8n that cannot start is reported with its last words. */
export async function untilReady(n8n: N8nProcess, url: string): Promise<void> {
	const deadline = Date.now() + readyTimeout;
	while (Date.now() < deadline) {
		const ended = n8n.ended();
		if (ended !== undefined) throw new Error(`n8n did not start (${ended}):\n${lastLines(n8n)}`);
		if ((await isReady(url)) && saysReady(n8n)) return;
		await sleep(50);
	}
	await n8n.kill();
	throw new Error(`n8n was not ready after ${readyTimeout / 1000} s:\n${lastLines(n8n)}`);
}

const saysReady = (n8n: N8nProcess) => n8n.logs().includes(readyLine[n8n.command]);

const isReady = (url: string) =>
	fetch(`${url}/healthz/readiness`, { signal: AbortSignal.timeout(20_000) }).then(
		async (response) => {
			await response.arrayBuffer();
			return response.status === 200;
		},
		() => false,
	);

const lastLines = (n8n: N8nProcess) => n8n.logs().trimEnd().split('\n').slice(-40).join('\n');
