import { setTimeout as sleep } from 'node:timers/promises';

import type { ExecutionSummary } from '../../support/n8n/execution';
import { N8nRequestError } from '../../support/n8n/session';
import { startN8n, type N8nOptions } from '../../support/n8n/instance';

/** A real n8n that several histories share, each with a service and workflows of its own. */
export type SharedN8n = Awaited<ReturnType<typeof startSharedN8n>>;

/** How long after the beginning n8n is killed: the first time, the second and so on. */
const KILLED_AFTER_MS = [300, 0, 1_000, 3_000] as const;

/** One list is for all who ask for it within this time. */
const LIST_MS = 1_000;

/** A busy n8n refuses what it cannot look up soon enough, or fails at it. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof N8nRequestError) || error.status < 500 || tries === 10) throw error;
			await sleep(LIST_MS);
		}
	}
}

interface Waiting {
	begin: () => Promise<void>;
	onKilled?: () => Promise<void>;
	resolve: () => void;
	reject: (error: unknown) => void;
}

/** @param players how many histories share it */
export async function startSharedN8n(players: number, options?: N8nOptions) {
	const n8n = await startN8n(options);
	let left = players;
	let kills = 0;
	let killedAt = 0;
	let up = Promise.resolve();
	let waiting: Waiting[] = [];
	let list: { at: number; executions: Promise<ExecutionSummary[]> } | undefined;

	const killWhenAllWait = async (): Promise<void> => {
		if (waiting.length < left || waiting.length === 0) return;
		const all = waiting;
		waiting = [];
		try {
			await Promise.all(all.map(async ({ begin }) => await begin()));
			await sleep(KILLED_AFTER_MS[kills++ % KILLED_AFTER_MS.length]);
			up = n8n.kill().then(async () => {
				killedAt = Date.now();
				await Promise.all(all.map(async ({ onKilled }) => await onKilled?.()));
				await n8n.restart();
			});
			await up;
			for (const { resolve } of all) resolve();
		} catch (error) {
			for (const { reject } of all) reject(error);
		}
	};

	const listed = async (): Promise<ExecutionSummary[]> => {
		if (!list || list.at < Date.now() - LIST_MS)
			list = { at: Date.now(), executions: patiently(n8n.api.executions) };
		return await list.executions;
	};
	const among = (all: ExecutionSummary[], workflowIds: readonly string[]) =>
		all
			.filter(({ workflowId }) => workflowIds.includes(workflowId))
			.sort((one, other) => Number(one.id) - Number(other.id));
	/** n8n never repairs an execution that was killed before its first node began. */
	const isUnderWay = ({ status, startedAt }: ExecutionSummary) =>
		status === 'new' || (status === 'running' && Date.parse(startedAt) >= killedAt);

	return {
		n8n,
		/** All executions of some workflows, in the order in which they began. */
		executions: async (workflowIds: readonly string[]): Promise<ExecutionSummary[]> => {
			const lists = workflowIds.map(async (id) => await patiently(async () => await n8n.api.executions(id)));
			return among((await Promise.all(lists)).flat(), workflowIds);
		},
		/** Waits until no execution of these workflows is under way. */
		settled: async (workflowIds: readonly string[]): Promise<void> => {
			do await sleep(LIST_MS);
			while (among(await listed(), workflowIds).some(isUnderWay));
		},
		/** Resolves when n8n is not killed, or is back. */
		whenUp: async () => await up,
		/**
		 * Waits until all histories want n8n to be killed or are over, begins what is to be cut off, and kills it.
		 *
		 * @param begin resolves when everything has begun
		 * @param onKilled called before n8n starts again
		 */
		killDuring: async (begin: () => Promise<void>, onKilled?: () => Promise<void>): Promise<void> =>
			await new Promise((resolve, reject) => {
				waiting.push({ begin, onKilled, resolve, reject });
				void killWhenAllWait();
			}),
		/** Plays one history. */
		async play<T>(work: () => Promise<T>): Promise<T> {
			try {
				return await work();
			} finally {
				left--;
				void killWhenAllWait();
			}
		},
		stop: async () => await n8n.stop(),
	};
}
