import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { connect, type N8nApi } from '../n8n/api';
import { environment, ownerEnvironment } from '../n8n/environment';
import { ensureInstalledN8n } from '../n8n/install';
import type { N8nInstall } from '../n8n/paths';
import { packTarball } from '../n8n/package';
import { freePort } from '../n8n/ports';
import { spawnN8n, untilReady, type N8nCommand, type N8nProcess } from '../n8n/process';
import type { SecretWatch } from '../secrets/watch';
import { composeService } from './composeFile';
import { startNginx, type Nginx } from './nginx';
import { writeNpmShim } from './npmShim';
import { startPostgres, type Postgres } from './postgres';
import { startRedis, type Redis } from './redis';

/** One n8n process of a cluster, with a folder of its own, as in a container. */
export interface Part {
	readonly port: number;
	/** Everything it printed, restarts included. */
	logs(): string;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
	/** Ends it as an orderly stop would. */
	stop(): Promise<void>;
	/** Starts it again after it was ended. */
	start(): Promise<void>;
}

/** n8n in queue mode: everything real, everything on this machine, each part a process. */
export interface Cluster {
	/** Where nginx answers for all of them: what the service calls. */
	url: string;
	/** n8n's API, past nginx. */
	api: N8nApi;
	main: Part;
	webhookProcessors: Part[];
	workers: Part[];
	postgres: Postgres;
	redis: Redis;
	nginx: Nginx;
	stop(): Promise<void>;
}

/**
 * Environment of an n8n that notices soon what was killed. Its own value is a minute; what it does is the
 * same. A worker that is busy for longer than it holds a lock would lose its work to another.
 */
export const QUICK_LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '1000',
};

/**
 * Also has n8n end soon what is not in its queue, which takes three hours. It then ends some executions that are stored and
 * not queued yet, too.
 */
export const QUICK_RECOVERY = { ...QUICK_LOCKS, N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.25' };

const WEBHOOK_PROCESSORS = 2;

/** How large a cluster is. */
export interface ClusterOptions {
	workers?: number;
	/** Wins over everything the harness sets, in every part. */
	env?: Record<string, string>;
	/** Looks at everything it leaves behind. */
	watch?: SecretWatch;
}

/** What `.env` holds, besides the public address. */
const SECRETS = {
	ENCRYPTION_KEY: 'only-for-tests',
	POSTGRES_PASSWORD: 'only-for-tests',
	REDIS_PASSWORD: 'only-for-tests',
};

/**
 * Starts PostgreSQL, Redis, n8n's parts and nginx, and returns when all are ready. Commands and environments are those of
 * the compose file that docs/scaling.md gives to users; n8n installs the package as that file tells it to.
 */
export async function startCluster({ workers = 2, env = {}, watch }: ClusterOptions = {}): Promise<Cluster> {
	const stops: Array<() => Promise<void>> = [];
	const partStops: Array<() => Promise<void>> = [];
	const stop = async () => {
		await Promise.all(partStops.splice(0).map(async (each) => await each()));
		for (const each of stops.splice(0).reverse()) await each();
	};
	try {
		const install = await ensureInstalledN8n();
		const tarball = await packTarball();
		const [, ...redisOptions] = composeService('redis', SECRETS).command;
		const [postgres, redis] = await Promise.all([startPostgres(watch), startRedis(redisOptions, watch)]);
		stops.push(postgres.remove, redis.remove);
		const ports = {
			main: await freePort(),
			webhookProcessors: await freePorts(WEBHOOK_PROCESSORS),
			workers: await freePorts(workers),
		};
		const nginx = await startNginx(ports.main, ports.webhookProcessors);
		stops.push(nginx.remove);
		const values = { ...SECRETS, PUBLIC_URL: nginx.url };
		const startPart = async (service: string, port: number) => {
			const { command, environment: documented } = composeService(service, values);
			const own = { ...documented, ...postgres.env, ...redis.env, ...OWN, ...env };
			const part = await createPart(install, tarball, command, port, own, watch);
			partStops.push(part.remove);
			return part;
		};
		// The first one makes the tables and the owner.
		const main = await startPart('n8n-main', ports.main);
		const [webhookParts, workerParts] = await Promise.all([
			Promise.all(ports.webhookProcessors.map(async (port) => await startPart('n8n-webhook-1', port))),
			Promise.all(ports.workers.map(async (port) => await startPart('n8n-worker-1', port))),
		]);
		return {
			url: nginx.url,
			api: connect(`http://127.0.0.1:${main.port}`, watch),
			main,
			webhookProcessors: webhookParts,
			workers: workerParts,
			postgres,
			redis,
			nginx,
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** What differs from the compose file. */
const OWN = {
	// At its end, no test waits as long for executions that still run.
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
	// Without Redis, n8n ends after 10 s, and here is no Docker that starts it again.
	QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '120000',
};

const isN8nCommand = (word: string): word is N8nCommand => ['start', 'webhook', 'worker'].includes(word);

async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	for (let number = 0; number < count; number++) ports.push(await freePort());
	return ports;
}

async function createPart(
	install: N8nInstall,
	tarball: string,
	[command = 'start', ...options]: string[],
	port: number,
	own: Record<string, string>,
	watch?: SecretWatch,
): Promise<Part & { remove: () => Promise<void> }> {
	if (!isN8nCommand(command)) throw new Error(`n8n has no command ${command}`);
	const userFolder = await mkdtemp(join(tmpdir(), `n8n-${command}-`));
	const shim = await writeNpmShim(userFolder, tarball);
	const boot = async (): Promise<N8nProcess> => {
		await rm(join(userFolder, '.n8n', 'crash.journal'), { force: true });
		const place = environment(install, { userFolder, port, brokerPort: await freePort() });
		const part = spawnN8n(
			install,
			{
				...place,
				PATH: [shim, place.PATH].join(delimiter),
				REMOVE_WHEN_ORPHANED: userFolder,
				QUEUE_HEALTH_CHECK_PORT: String(port),
				...(command === 'start' && ownerEnvironment()),
				...own,
			},
			{ command, options },
		);
		await untilReady(part, `http://127.0.0.1:${port}`);
		return part;
	};
	let running = await boot();
	let earlierLogs = '';
	const logs = () => earlierLogs + running.logs();
	return {
		port,
		logs,
		kill: async () => await running.kill(),
		stop: async () => await running.terminate(),
		start: async () => {
			earlierLogs += running.logs();
			running = await boot();
		},
		remove: async () => {
			await running.terminate();
			await watch?.lookAtFiles(userFolder);
			watch?.look(`what n8n ${command} printed`, logs());
			await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}
