import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretWatch } from '../secrets/watch';
import { connect, type N8nApi } from './api';
import { environment, withEditor, withWebhookUrl } from './environment';
import { ensureN8n } from './install';
import { installPackage, packTarball } from './package';
import type { N8nInstall } from './paths';
import { freePort } from './ports';
import { spawnN8n, untilReady, type N8nProcess } from './process';
import { seedUserFolder } from './template';

/** How to start an n8n; everything has a default. */
export interface N8nOptions {
	/** Where it keeps its data, filled with a prepared database when empty. Default: a temporary copy, removed at stop. */
	userFolder?: string;
	/** The package to install first. Default: this repository's, packed from `dist`; `false` installs none. */
	tarball?: string | false;
	/** Folders whose packages are installed beside it, as they are. */
	modules?: string[];
	/** Also serve the editor and run Code nodes. Off by default: it takes two seconds and 350 MB more. */
	editor?: boolean;
	/** Wins over everything the harness sets. */
	env?: Record<string, string>;
	/** Default: a free one. */
	port?: number;
	/** Called with every line n8n prints. */
	log?: (line: string) => void;
	/** What n8n tells services to call, when that is not its own address. */
	webhookUrl?: string;
	/** Looks at everything it leaves behind. */
	watch?: SecretWatch;
}

/** A running n8n. */
export interface N8n {
	/** Its address, without a trailing slash; stays the same over restarts. */
	readonly url: string;
	readonly api: N8nApi;
	/** Missing when `N8N_COMMAND` starts it. */
	readonly pid?: number;
	readonly userFolder: string;
	readonly databasePath: string;
	/** Everything it printed, restarts included. */
	logs(): string;
	/** Ends it and removes its temporary folder. */
	stop(): Promise<void>;
	/** Ends it as a crash would; `restart` brings it back with its data, `stop` cleans up. */
	kill(): Promise<void>;
	/** Ends it if it runs and starts it again with the same data, address and package. */
	restart(changes?: { env?: Record<string, string> }): Promise<void>;
}

/** Starts a real n8n with this package installed and returns when it is ready. */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const install = await ensureN8n();
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-')));
	const removal = { recursive: true, force: true, maxRetries: 5 };
	const removeNow = () => rmSync(userFolder, removal);
	const removeFolder = async () => {
		if (options.userFolder !== undefined) return;
		await rm(userFolder, removal);
		process.off('exit', removeNow);
	};
	if (options.userFolder === undefined) process.once('exit', removeNow);
	try {
		await mkdir(userFolder, { recursive: true });
		await seedUserFolder(install, userFolder);
		if (options.tarball !== false)
			await installPackage(install, userFolder, options.tarball ?? (await packTarball()));
		for (const folder of options.modules ?? [])
			await cp(folder, join(userFolder, '.n8n', 'nodes', 'node_modules'), { recursive: true });
		return await boot(install, userFolder, options, removeFolder);
	} catch (error) {
		await removeFolder();
		throw error;
	}
}

async function boot(
	install: N8nInstall,
	userFolder: string,
	options: N8nOptions,
	removeFolder: () => Promise<void>,
): Promise<N8n> {
	const port = options.port ?? (await freePort());
	const url = `http://127.0.0.1:${port}`;
	let env = options.env;
	let earlierLogs = '';

	const start = async (): Promise<N8nProcess> => {
		// With its mark of an unclean end, n8n waits 10 s before it starts; nothing else depends on the file.
		await rm(join(userFolder, '.n8n', 'crash.journal'), { force: true });
		const n8n = spawnN8n(
			install,
			{
				...environment(install, { userFolder, port, brokerPort: await freePort() }),
				...(options.userFolder === undefined && { REMOVE_WHEN_ORPHANED: userFolder }),
				...(options.editor && withEditor),
				...(options.webhookUrl && withWebhookUrl(options.webhookUrl)),
				...env,
			},
			{ log: options.log },
		);
		await untilReady(n8n, url);
		// n8n goes on without a package that does not load; a test would only hear of an unknown node.
		const failure = /^Failed to load package .*\n.*/m.exec(n8n.logs());
		if (!failure) return n8n;
		await n8n.terminate();
		throw new Error(failure[0]);
	};

	let n8n = await start();
	return {
		url,
		api: connect(url, options.watch),
		get pid() {
			return n8n.pid;
		},
		userFolder,
		databasePath: join(userFolder, '.n8n', 'database.sqlite'),
		logs: () => earlierLogs + n8n.logs(),
		stop: async () => {
			await n8n.terminate();
			await options.watch?.lookAtFiles(userFolder);
			options.watch?.look('what n8n printed', earlierLogs + n8n.logs());
			await removeFolder();
		},
		kill: async () => await n8n.kill(),
		restart: async (changes) => {
			await n8n.terminate();
			earlierLogs += n8n.logs();
			if (changes?.env) env = { ...env, ...changes.env };
			n8n = await start();
		},
	};
}
