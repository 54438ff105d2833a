import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { connect, type N8nApi } from '../n8n/api';
import { environment, ownerEnvironment, withWebhookUrl } from '../n8n/environment';
import { ensureN8n } from '../n8n/install';
import type { N8nInstall } from '../n8n/paths';
import { installPackage, packTarball } from '../n8n/package';
import { freePort } from '../n8n/ports';
import { spawnN8n, untilReady, type N8nCommand, type N8nProcess } from '../n8n/process';
import type { SecretWatch } from '../secrets/watch';
import { startNginx, type Nginx } from './nginx';
import { startPostgres, type Postgres } from './postgres';
import { startRedis, type Redis } from './redis';

/** One n8n process of a cluster, with a folder of its own, as in a container. */
export interface Part {
	readonly port: number;
	readonly pid: number;
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

/** How large a cluster is. */
export interface ClusterOptions {
	webhookProcessors?: number;
	workers?: number;
	/** Wins over everything the harness sets, in every part. */
	env?: Record<string, string>;
	/** Looks at everything it leaves behind. */
	watch?: SecretWatch;
}

/** Starts PostgreSQL, Redis, n8n's parts and nginx, and returns when all are ready. */
export async function startCluster({
	webhookProcessors = 2,
	workers = 2,
	env = {},
	watch,
}: ClusterOptions = {}): Promise<Cluster> {
	const stops: Array<() => Promise<void>> = [];
	const stop = async () => {
		for (const each of stops.splice(0).reverse()) await each();
	};
	try {
		const install = await ensureN8n();
		const tarball = await packTarball();
		const [postgres, redis] = await Promise.all([startPostgres(watch), startRedis(watch)]);
		stops.push(postgres.remove, redis.remove);
		const ports = {
			main: await freePort(),
			webhookProcessors: await freePorts(webhookProcessors),
			workers: await freePorts(workers),
		};
		const nginx = await startNginx(ports.main, ports.webhookProcessors);
		stops.push(nginx.remove);
		const shared = {
			...postgres.env,
			...redis.env,
			EXECUTIONS_MODE: 'queue',
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			...withWebhookUrl(nginx.url),
			// Production webhooks are the webhook processors' alone, as documented.
			N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
			...env,
		};
		const startPart = async (command: N8nCommand, port: number) => {
			const part = await createPart(install, tarball, command, port, shared, watch);
			stops.push(part.remove);
			return part;
		};
		// The first one makes the tables and the owner.
		const main = await startPart('start', ports.main);
		const [webhookParts, workerParts] = await Promise.all([
			Promise.all(ports.webhookProcessors.map(async (port) => await startPart('webhook', port))),
			Promise.all(ports.workers.map(async (port) => await startPart('worker', port))),
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

async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	for (let number = 0; number < count; number++) ports.push(await freePort());
	return ports;
}

async function createPart(
	install: N8nInstall,
	tarball: string,
	command: N8nCommand,
	port: number,
	shared: Record<string, string>,
	watch?: SecretWatch,
): Promise<Part & { remove: () => Promise<void> }> {
	const userFolder = await mkdtemp(join(tmpdir(), `n8n-${command}-`));
	await installPackage(install, userFolder, tarball);
	const boot = async (): Promise<N8nProcess> => {
		await rm(join(userFolder, '.n8n', 'crash.journal'), { force: true });
		const part = spawnN8n(
			install,
			{
				...environment(install, { userFolder, port, brokerPort: await freePort() }),
				REMOVE_WHEN_ORPHANED: userFolder,
				QUEUE_HEALTH_CHECK_PORT: String(port),
				...(command === 'start' && ownerEnvironment()),
				...shared,
			},
			{ command },
		);
		await untilReady(part, `http://127.0.0.1:${port}`);
		return part;
	};
	let running = await boot();
	let earlierLogs = '';
	const logs = () => earlierLogs + running.logs();
	return {
		port,
		get pid() {
			return running.pid;
		},
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
			watch?.look('logs', `what n8n ${command} printed`, logs());
			await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}
