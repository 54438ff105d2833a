import { spawn } from 'node:child_process';

interface RunOptions {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	/** Called with every line of its output. */
	onLine?: (line: string) => void;
	timeoutMs?: number;
}

/** Runs a command to its end and returns its standard output; a failure carries the last lines of everything it printed. */
export async function run(command: string, args: string[], options: RunOptions): Promise<string> {
	const child = spawn(command, args, {
		cwd: options.cwd,
		env: options.env,
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: options.timeoutMs ?? 15 * 60_000,
		shell: process.platform === 'win32',
	});
	const lines: string[] = [];
	let stdout = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
	for (const stream of [child.stdout, child.stderr]) {
		let rest = '';
		stream.setEncoding('utf8').on('data', (text: string) => {
			const parts = (rest + text).split('\n');
			rest = parts.pop() ?? '';
			for (const line of parts) {
				lines.push(line);
				options.onLine?.(line);
			}
		});
		stream.on('end', () => rest && lines.push(rest));
	}
	const outcome = await new Promise<string | undefined>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code, signal) =>
			resolve(code === 0 ? undefined : `${signal ?? `exit code ${code}`}`),
		);
	});
	if (outcome === undefined) return stdout;
	throw new Error(`${command} ${args.join(' ')} failed (${outcome}):\n${lines.slice(-40).join('\n')}`);
}
