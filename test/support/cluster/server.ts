// cspell:ignore setpriv reuid regid pdeathsig
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server of another project, running on this machine for the tests. */
export interface Server {
	readonly port: number;
	/** Ends it in an orderly way. */
	stop(): Promise<void>;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
	/** Starts it again on the same port, with what it had stored. */
	start(): Promise<void>;
}

/** What to run, and where it listens on 127.0.0.1. */
export interface ServerCommand {
	name: string;
	command: string;
	args: string[];
	port: number;
	/** The system's user it runs as, when it refuses to run as root. */
	user?: string;
	/** How it is asked to end; SIGTERM unless it then waits for its clients. */
	stopSignal?: NodeJS.Signals;
}

const startTimeout = 120_000;
const stopTimeout = 60_000;

/** Where Debian and other systems put programs that are not for users. */
const moreFolders = ['/usr/sbin', '/usr/local/sbin', ...postgresFolders()];

function postgresFolders(): string[] {
	const versions = '/usr/lib/postgresql';
	return existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
}

/** What must be installed for the tests in queue mode. */
export const serverPrograms = ['initdb', 'postgres', 'redis-server', 'nginx', 'setpriv'];

/** Where a program is. Throws when this machine does not have it. */
export function program(name: string): string {
	const folders = [...(process.env.PATH ?? '').split(delimiter), ...moreFolders];
	const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
	if (path) return path;
	throw new Error(
		`${name} is not installed. The tests in queue mode need PostgreSQL, Redis, nginx and setpriv ` +
			'(Debian/Ubuntu: apt-get install postgresql redis-server nginx-light util-linux).',
	);
}

/** The command that runs a program as another user of the system, and ends it when we end, however that happens. */
export function tied(command: string, args: string[], user?: string): [string, string[]] {
	const asUser = user ? [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];
	return [program('setpriv'), [...asUser, '--pdeathsig=KILL', '--', command, ...args]];
}

/** Starts a server and returns when its port answers. */
export async function startServer(server: ServerCommand): Promise<Server> {
	let end = await spawnServer(server);
	return {
		port: server.port,
		stop: async () => await end(server.stopSignal ?? 'SIGTERM'),
		kill: async () => await end('SIGKILL'),
		start: async () => {
			end = await spawnServer(server);
		},
	};
}

async function spawnServer({ name, command, args, port, user }: ServerCommand) {
	const child = spawn(...tied(command, args, user), { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
	const printed: string[] = [];
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
	let hasEnded = false;
	const ended = new Promise<void>((resolve) => {
		child.once('error', (error) => printed.push(error.message));
		child.once('close', () => {
			hasEnded = true;
			resolve();
		});
	});
	const end = async (signal: NodeJS.Signals) => {
		if (hasEnded) return;
		child.kill(signal);
		const force = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
		await ended;
		clearTimeout(force);
	};

	const deadline = Date.now() + startTimeout;
	while (!hasEnded && Date.now() < deadline) {
		if (await answers(port)) return end;
		await sleep(20);
	}
	await end('SIGKILL');
	throw new Error(`${name} did not start:\n${printed.join('').split('\n').slice(-20).join('\n')}`);
}

async function answers(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
