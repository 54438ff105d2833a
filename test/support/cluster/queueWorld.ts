import { poll } from '../poll';
import { createCredential, startWatchedService, type Place } from '../world/world';
import { startCluster, type Cluster, type ClusterOptions } from './cluster';

/** n8n in queue mode, a service to talk to, and a credential that joins them. */
export interface QueueWorld extends Place {
	cluster: Cluster;
	/**
	 * @throws Error when a secret was found where it has no place
	 */
	stop(): Promise<void>;
}

/** Starts a cluster and a service; `stop` it when done. */
export async function startQueueWorld(options: ClusterOptions = {}): Promise<QueueWorld> {
	const { service, watch } = await startWatchedService();
	const cluster = await startCluster({ ...options, watch }).catch(async (error: unknown) => {
		await service.stop();
		throw error;
	});
	return {
		n8n: { api: cluster.api },
		cluster,
		service,
		...(await createCredential(cluster.api, service)),
		stop: async () => {
			await cluster.stop();
			await service.stop();
			watch.conclude();
		},
	};
}

/** What became of one execution, by the event that started it. */
export interface Run {
	id: number;
	status: string;
	/** Null when n8n no longer holds it: the run ended at the trigger, or n8n emptied it. */
	eventId: string | null;
}

/** The executions of a workflow with the event of each, read where n8n keeps them. */
async function runsOf({ cluster }: QueueWorld, workflowId: string, prefix: string): Promise<Run[]> {
	return await cluster.postgres.query<Run>(
		`SELECT e.id, e.status, (regexp_match(d.data, $2))[1] AS "eventId"
		 FROM execution_entity e JOIN execution_data d ON d."executionId" = e.id
		 WHERE e."workflowId" = $1 ORDER BY e.id`,
		[workflowId, `(${prefix}-\\d+)"`],
	);
}

/** Waits until no execution is waiting or running. */
export async function settledRuns(
	world: QueueWorld,
	workflowId: string,
	prefix: string,
	timeoutMs = 600_000,
) {
	let open: Run[] = [];
	return await poll(
		async () => {
			const runs = await runsOf(world, workflowId, prefix);
			open = runs.filter(({ status }) => status === 'new' || status === 'running');
			return open.length === 0 && runs;
		},
		{
			timeoutMs,
			failure: () => `${open.length} executions did not end: ${JSON.stringify(open.slice(0, 5))}`,
		},
	);
}

/** How many of the runs each event has. */
export function countByEvent(runs: Run[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { eventId } of runs) if (eventId !== null) counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
	return counts;
}

/** How many executions of a workflow are over. */
export async function settledCount({ cluster }: QueueWorld, workflowId: string): Promise<number> {
	const [row] = await cluster.postgres.query<{ count: string }>(
		`SELECT count(*) FROM execution_entity WHERE "workflowId" = $1 AND status NOT IN ('new', 'running')`,
		[workflowId],
	);
	return Number(row?.count);
}

/** Whether an execution of a workflow is waiting or running. */
export async function isRunning({ cluster }: QueueWorld, workflowId: string): Promise<boolean> {
	const [row] = await cluster.postgres.query<{ count: string }>(
		`SELECT count(*) FROM execution_entity WHERE "workflowId" = $1 AND status IN ('new', 'running')`,
		[workflowId],
	);
	return Number(row?.count) > 0;
}
