#!/usr/bin/env node
// For N8N_COMMAND: n8n in its official image. Takes n8n's arguments and environment. The container has this machine's network
// and n8n's user folder, and ends when this program does, however that ends.
import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { userInfo } from 'node:os';
import { containerEngine } from './containerEngine.mjs';

const { N8N_IMAGE, N8N_VERSION = 'latest', N8N_USER_FOLDER: folder, NODE_EXTRA_CA_CERTS } = process.env;
const image = N8N_IMAGE ?? `docker.n8n.io/n8nio/n8n:${N8N_VERSION}`;
/** What belongs to this machine; all else is for n8n. */
const OF_THIS_MACHINE = /^(PATH|HOME|PWD|SHLVL|_|NODE_COMPILE_CACHE|(XDG|DOCKER|CONTAINER)_\w+)$/;

const engine = containerEngine();
if (!engine) {
	console.error("n8n's image needs Docker or Podman on Linux, started and usable by this user");
	process.exit(1);
}
const { uid, gid } = userInfo();
const name = `n8n-${process.pid}`;
const mounts = [
	folder && `${folder}:${folder}`,
	NODE_EXTRA_CA_CERTS && `${NODE_EXTRA_CA_CERTS}:${NODE_EXTRA_CA_CERTS}:ro`,
];
const names = Object.keys(process.env).filter((variable) => !OF_THIS_MACHINE.test(variable));
const options = [
	['--rm', '--name', name, '--network', 'host', '--user', `${uid}:${gid}`],
	// Without root, Podman gives the files to another user unless told otherwise.
	engine === 'podman' && uid !== 0 ? ['--userns', 'keep-id'] : [],
	// A user folder needs no label of SELinux to be read.
	['--security-opt', 'label=disable'],
	mounts.filter(Boolean).flatMap((mount) => ['--volume', mount]),
	// Values stay out of the list of processes.
	names.flatMap((variable) => ['--env', variable]),
	folder ? ['--env', `HOME=${folder}`] : [],
];

// A watcher outlives this program: its standard input ends when this one is gone, even when it was killed.
const KILL = `
	const { spawnSync } = require('node:child_process');
	process.stdin.resume().once('end', () => spawnSync(process.argv[1], ['kill', process.argv[2]], { stdio: 'ignore' }));`;
const watcher = spawn(process.execPath, ['-e', KILL, engine, name], {
	stdio: ['pipe', 'ignore', 'ignore'],
	detached: true,
});

let container;
const end = () => container?.kill('SIGTERM');
process.once('SIGTERM', end);
process.once('SIGINT', end);
container = spawn(engine, ['run', ...options.flat(), image, ...process.argv.slice(2)], {
	stdio: ['ignore', 'inherit', 'inherit'],
	// Signals of a terminal reach it through this program alone.
	detached: true,
});
// Whoever starts this holds the other end.
if (fstatSync(0).isSocket() || fstatSync(0).isFIFO()) process.stdin.resume().once('end', end);
container.once('error', (error) => {
	console.error(error.message);
	process.exit(1);
});
container.once('close', (code) => {
	watcher.kill('SIGKILL');
	process.exit(code ?? 1);
});
