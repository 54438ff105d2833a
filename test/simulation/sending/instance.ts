import { beginHistory, type StoryOf } from '../chance/histories';
import type { RequestEvent } from '../service/http';
import type { World } from '../n8n/process';
import type { Database, SendSettings, StoredExecution } from './executions';
import { startProcess, type SendingProcess } from './process';
import { createService, type ServiceSettings } from '../service/service';

/** How an n8n is deployed. */
export interface Deployment {
	/** In queue mode, several workers take executions from one queue; else there is one process. */
	workers: number;
	/** How far each worker's clock is ahead of the one before, in milliseconds. */
	clockStepMs: number;
	/** Whether each access to the row takes long, so that processes overwrite what others wrote meanwhile. */
	isDatabaseSlow?: boolean;
}

/** How long an execution waits in the queue. */
const QUEUE_MS = [20, 400, 5_000] as const;

/** Until a process that died runs again. */
const RESTART_MS = [10_000, 1_000, 120_000] as const;

/**
 * Until n8n marks what a worker left undone as crashed. It does not run such executions again: Bull's `maxStalledCount`
 * is 0 in n8n.
 */
const RECOVERY_MS = [30_000, 600_000] as const;

/** What n8n lets a user retry. */
export const FAILED = ['error', 'crashed', 'canceled'] as const;

/** An n8n as its users see it, whatever processes it consists of. */
export function startInstance(world: World, { workers, clockStepMs, isDatabaseSlow = false }: Deployment) {
	const { scheduler, choices, tell } = world;
	const database: Database = { executions: [], row: [], lostUpdates: 0, failures: 0, isSlow: isDatabaseSlow };
	const processes = Array.from({ length: workers }, (): SendingProcess | undefined => undefined);
	const logs: string[][] = [];
	const waiting: StoredExecution[] = [];
	let boots = 0;

	const runningIn = (name: string) =>
		database.executions.filter(({ status, process }) => status === 'running' && process === name);

	const boot = (place: number): void => {
		const name = `${workers > 1 ? `worker ${place + 1}` : 'n8n'} (${++boots})`;
		const onDeath = () => {
			processes[place] = undefined;
			for (const execution of runningIn(name)) execution.endedAt = scheduler.now();
			const restartMs = choices.oneOf(RESTART_MS);
			scheduler.after(restartMs, () => boot(place));
			scheduler.after(workers > 1 ? choices.oneOf(RECOVERY_MS) : restartMs, () => markAsCrashed(name));
		};
		const process = startProcess(world, database, name, onDeath, place * clockStepMs);
		processes[place] = process;
		logs.push(process.log);
		for (const execution of waiting.splice(0)) process.run(execution);
	};

	const markAsCrashed = (name: string): void => {
		for (const execution of runningIn(name)) {
			tell(() => `execution ${execution.id} has crashed`);
			execution.status = 'crashed';
		}
	};

	const take = (execution: StoredExecution): void => {
		const alive = processes.filter((process) => process !== undefined);
		if (alive.length === 0) waiting.push(execution);
		else alive[choices.upTo(alive.length)]?.run(execution);
	};

	const begin = (execution: StoredExecution): void => {
		database.executions.push(execution);
		if (workers > 1) scheduler.after(choices.oneOf(QUEUE_MS), () => take(execution));
		else take(execution);
	};

	const inStatus = (...statuses: ReadonlyArray<StoredExecution['status']>) =>
		database.executions.filter(({ status }) => statuses.includes(status));

	const nextId = () => String(database.executions.length + 1);
	const fresh = () => ({ status: 'queued' as const, startedAt: scheduler.now(), reports: [], shown: '' });

	for (const place of processes.keys()) boot(place);

	return {
		database,
		inStatus,
		/** One of the executions in these statuses, if there is any. */
		chosen(
			which: number,
			...statuses: ReadonlyArray<StoredExecution['status']>
		): StoredExecution | undefined {
			const fitting = inStatus(...statuses);
			return fitting[which % fitting.length];
		},
		/** Starts the workflow anew. */
		start(runs: StoredExecution['runs'], settings: SendSettings): void {
			const id = nextId();
			begin({ ...fresh(), id, origin: id, mode: 'trigger', runs, settings, nextRun: 0, nodeData: '{}' });
		},
		/** n8n's "Retry execution": begins with what n8n has stored of the execution, and sends what the workflow sends now. */
		retry(
			{ id: retryOf, origin, settings, nextRun, nodeData, ...stored }: StoredExecution,
			runs = stored.runs,
		): void {
			const own = { id: nextId(), mode: 'retry' as const, retryOf };
			begin({ ...fresh(), ...own, origin, runs, settings, nextRun, nodeData });
		},
		stop: (execution?: StoredExecution) =>
			execution && processes.find((process) => process?.name === execution.process)?.stop(execution),
		/** Nobody reads or writes the node's row for so long. */
		lockDatabase: (ms: number) => {
			database.isLocked = true;
			scheduler.after(ms, () => (database.isLocked = false));
		},
		/** Kills one of its processes, which starts again some time later. */
		kill: (which: number) => processes[which % workers]?.kill(),
		log: () => logs.flat(),
	};
}

/** A history of sending: the service, an n8n, and what happens to them in each world. */
export function startSending(
	chance: readonly number[],
	storyOf: StoryOf | undefined,
	settings: ServiceSettings,
	deployment: Deployment,
) {
	const history = beginHistory(chance, storyOf);
	const { scheduler, choices, tell, pass } = history;
	const service = createService(scheduler, choices, settings);
	const requestLog: RequestEvent[] = [];
	const n8n = startInstance({ scheduler, choices, service, tell, requestLog }, deployment);
	return {
		...history,
		service,
		n8n,
		actions: {
			kill: ({ which }: { which: number }) => n8n.kill(which),
			disconnect: ({ ms }: { ms: number }) => service.disconnect(ms),
			limit: ({ rateLimit }: { rateLimit: number }) => void (service.settings.rateLimit = rateLimit),
		},
		/** Lets everything end. Then nothing unusual happens any more. */
		async becomeQuiet(what: string): Promise<void> {
			await scheduler.run();
			tell(() => `All is quiet now, and the user ${what}`);
			choices.calmDown();
			service.settings.rateLimit = 1_000;
			service.fillQueue(0, 0);
			await pass(600_000);
		},
		/** What the judge reads of it. */
		outcome() {
			const { executions, lostUpdates, failures } = n8n.database;
			/** Whether n8n's database lost keys or failed, so that records of sends may be lost. */
			const hasLostRecords = lostUpdates + failures > 0;
			return { executions, service, requestLog, hasLostRecords };
		},
	};
}

/** The latest execution of each workflow run, its retries included. */
export function lastOfEach(executions: StoredExecution[]): StoredExecution[] {
	return [...new Map(executions.map((execution) => [execution.origin, execution])).values()];
}
