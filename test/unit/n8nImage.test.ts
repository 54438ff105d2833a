import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';
import { poll } from '../support/poll';

const program = join(repository, 'scripts', 'n8n-image.mjs');

/** Stands in for Docker: notes its arguments; runs until it is told to end, as n8n does, or prints a version. */
const ENGINE = `#!/bin/sh
if [ "$1" = version ]; then exit "\${ENGINE_FAILS:-0}"; fi
if [ "$1" = kill ]; then kill -9 "$(cat container)"; echo "$@" > killed; exit; fi
for argument in "$@"; do last=$argument; echo "$argument"; done > arguments
if [ "$last" = --version ]; then echo 9.9.9; exit; fi
trap 'echo stopped > stopped; exit 0' TERM
echo $$ > container
while :; do sleep 0.02; done
`;

let folder: string;
let running: ChildProcess | undefined;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'n8n-image-'));
	symlinkSync(process.execPath, join(folder, 'node'));
	for (const name of ['sh', 'cat', 'sleep', 'kill'])
		if (existsSync(`/bin/${name}`)) symlinkSync(`/bin/${name}`, join(folder, name));
});

afterEach(() => {
	running?.kill('SIGKILL');
	running = undefined;
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function install(engine: string): void {
	writeFileSync(join(folder, engine), ENGINE);
	chmodSync(join(folder, engine), 0o755);
}

const environment = (more: Record<string, string> = {}) => ({ PATH: folder, HOME: '/home/me', ...more });

/** Runs to the end with n8n's argument `--version`, and returns what the engine was told. */
function argumentsFor(env: Record<string, string>): string[] {
	const { status, stdout } = spawnSync(program, ['--version'], {
		cwd: folder,
		env: environment(env),
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	expect([status, String(stdout)]).toEqual([0, '9.9.9\n']);
	return readFileSync(join(folder, 'arguments'), 'utf8').trim().split('\n');
}

const untilThere = async (name: string) =>
	await poll(async () => existsSync(join(folder, name)), { timeoutMs: 60_000, failure: `no file ${name}` });

/** Starts n8n's image and waits until it runs. */
async function start(): Promise<ChildProcess> {
	install('docker');
	running = spawn(program, ['start'], { cwd: folder, env: environment(), stdio: 'pipe' });
	await untilThere('container');
	return running;
}

/** How a program ended: after everything that it started. */
const endOf = async (child: ChildProcess) =>
	await new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));

const { uid, gid } = userInfo();
const IMAGE = 'docker.n8n.io/n8nio/n8n';

// Elsewhere, a container has a network of its own.
(process.platform === 'linux' ? describe : describe.skip)("n8n's image", () => {
	test('n8n gets this network, its user folder, its environment by name, and its arguments', () => {
		install('docker');
		const n8n = { N8N_VERSION: '2.0.0', N8N_USER_FOLDER: '/data', N8N_ENCRYPTION_KEY: 'secret' };
		expect(argumentsFor({ ...n8n, DOCKER_HOST: 'unix:///docker.sock', XDG_RUNTIME_DIR: '/run/me' })).toEqual([
			...['run', '--rm', '--name', expect.stringMatching(/^n8n-\d+$/), '--network', 'host'],
			...['--user', `${uid}:${gid}`, '--security-opt', 'label=disable', '--volume', '/data:/data'],
			...['--env', 'N8N_VERSION', '--env', 'N8N_USER_FOLDER', '--env', 'N8N_ENCRYPTION_KEY'],
			...['--env', 'HOME=/data', `${IMAGE}:2.0.0`, '--version'],
		]);
	});

	describe('the container ends with it', () => {
		test.each([
			['asked to end', (child: ChildProcess) => child.kill('SIGTERM'), 0, 'stopped'],
			['left by who started it', (child: ChildProcess) => child.stdin?.end(), 0, 'stopped'],
			['killed', (child: ChildProcess) => child.kill('SIGKILL'), 'SIGKILL', 'killed'],
		])('when it is %s', async (_, end, expected, trace) => {
			const child = await start();
			const ended = endOf(child);
			end(child);
			expect(await ended).toBe(expected);
			await untilThere(trace);
		});
	});
});
