// cspell:words npms
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const repository = dirname(dirname(fileURLToPath(import.meta.url)));

const lockfile = join(repository, 'package-lock.json');
const stamp = join(repository, 'node_modules', '.installed-lockfile');
// npm writes this file at the end of every install.
const npmsRecord = join(repository, 'node_modules', '.package-lock.json');

/** Installs the dependencies when node_modules is missing or is not what package-lock.json says. */
export async function ensureDependencies() {
	const wanted = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
	// Installed by hand after the lockfile was last changed: as good as ours.
	const isCurrent = existsSync(npmsRecord) && statSync(npmsRecord).mtimeMs >= statSync(lockfile).mtimeMs;
	if (!isCurrent) await install();
	writeFileSync(stamp, wanted);
}

async function install() {
	console.log('Installing the development packages, once: half a minute to five minutes');
	const command = (await acceptsLockfile()) ? ['ci'] : ['install', '--no-save'];
	const code = await run(npm, [...command, '--no-audit', '--no-fund', '--progress']);
	if (code !== 0) throw new Error(`npm ${command.join(' ')} failed (exit code ${code})`);
}

/**
 * `npm ci` refuses a lockfile that lacks a package some other platform would use, which a registry mirror can cause;
 * `npm install` installs exactly the same here.
 */
const acceptsLockfile = async () => (await run(npm, ['ci', '--dry-run'], { stdio: 'ignore' })) === 0;

/** How npm is called on this system. */
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** The time since `started`, for people. */
export const seconds = (started) => `${Math.round((Date.now() - started) / 1000)} s`;

const running = new Set();

/** Runs a command in the repository, with our input and output unless told otherwise; resolves to its exit code. */
export async function run(command, args, { stdio = 'inherit' } = {}) {
	const child = spawn(command, args, {
		cwd: repository,
		stdio,
		shell: process.platform === 'win32',
	});
	running.add(child);
	try {
		return await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', (code, signal) => resolve(signal ? 1 : code));
		});
	} finally {
		running.delete(child);
	}
}

/** Runs a TypeScript file of this repository. */
export const runTypeScript = async (file, args = []) =>
	await run(process.execPath, [join(repository, 'node_modules', 'tsx', 'dist', 'cli.mjs'), file, ...args]);

/**
 * Makes an interrupt end what runs now and then us; whatever does not end in time is ended by force.
 *
 * @returns what undoes this
 */
export function endChildrenOnSignal() {
	const codes = { SIGINT: 130, SIGTERM: 143 };
	const end = async (signal) => {
		const children = [...running];
		const force = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), 15_000);
		await Promise.all(
			children.map((child) => {
				child.kill(signal);
				return new Promise((resolve) => child.once('close', resolve));
			}),
		);
		clearTimeout(force);
		process.exit(codes[signal]);
	};
	for (const signal of Object.keys(codes)) process.on(signal, end);
	return () => Object.keys(codes).forEach((signal) => process.off(signal, end));
}
