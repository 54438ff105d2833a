import chunk from 'lodash/chunk';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ExecutionSummary } from '../../support/n8n/execution';
import { startN8n, type N8n, type N8nOptions } from '../../support/n8n/instance';
import { N8nRequestError } from '../../support/n8n/session';
import type { CredentialReference } from '../../support/n8n/workflow';
import { startService, type Service } from '../../support/service/service';
import { createCredential } from '../../support/world/world';
import { mismatch, type Outcome } from './compare';

/** Where one history happens in a real n8n that several share, each with a service and workflows of its own. */
export interface Place {
	n8n: N8n;
	service: Service;
	credential: CredentialReference;
	/** Of its workflows, in the order in which they were created. */
	ids: string[];
	/** All executions of its workflows, in the order in which they began. */
	executions: () => Promise<ExecutionSummary[]>;
	/** Resolves when n8n is not killed, or is back. */
	whenUp: () => Promise<void>;
	/**
	 * Begins what belongs to a segment, and waits until no execution is under way. If n8n is killed in it, that is as soon as all
	 * histories wait for it or are over.
	 *
	 * @param begin resolves when everything has begun
	 * @param untilOver resolves when nothing else is under way
	 */
	play: (isKilled: boolean, begin: () => Promise<void>, untilOver?: () => Promise<void>) => Promise<void>;
}

/** What both play. */
interface Script {
	clockOffsetMs: number;
}

/** How a world is played in both. */
interface Players<S extends Script> {
	inN8n: (place: Place, script: S) => Promise<Outcome>;
	simulate: (script: S, numbers: readonly number[]) => Promise<Outcome>;
}

/** More at once make n8n slower than the simulated one ever is. */
const AT_ONCE = 9;

/** How long after the beginning n8n is killed: the first time, the second and so on. */
const KILLED_AFTER_MS = [300, 0, 1_000, 3_000] as const;

const PAUSE_MS = 1_000;

/**
 * Plays scripts in a real n8n, some at the same time, and looks for what it did among what the simulation allows.
 *
 * @returns what differs
 */
export async function compareWithN8n<S extends Script>(
	scripts: S[],
	{ inN8n, simulate }: Players<S>,
	options?: N8nOptions,
): Promise<string> {
	const played: Array<[S, Outcome]> = [];
	for (const some of chunk(scripts, AT_ONCE)) {
		const n8n = await startN8n(options);
		const kills = createKills(n8n, some.length);
		try {
			const playOne = async (script: S): Promise<[S, Outcome]> => {
				const service = await startService({ apiKey: `key-${randomUUID()}`, signingSecret: randomUUID() });
				try {
					const { credential } = await createCredential(n8n.api, service);
					await service.control.setClock({ offsetMs: script.clockOffsetMs });
					const place = createPlace(n8n, kills, { service, credential });
					return [script, await inN8n(place, script)];
				} finally {
					kills.leave();
					await service.stop();
				}
			};
			played.push(...(await Promise.all(some.map(playOne))));
		} finally {
			await n8n.stop();
		}
	}
	const found: Array<string | undefined> = [];
	for (const [script, outcome] of played)
		found.push(await mismatch(script, outcome, async (numbers) => await simulate(script, numbers)));
	return found.filter(Boolean).join('\n');
}

function createPlace(n8n: N8n, kills: Kills, own: Pick<Place, 'service' | 'credential'>): Place {
	const ids: string[] = [];
	const executions = async (): Promise<ExecutionSummary[]> => {
		const lists = ids.map(async (id) => await patiently(async () => await n8n.api.executions(id)));
		return (await Promise.all(lists)).flat().sort((one, other) => Number(one.id) - Number(other.id));
	};
	/** n8n never repairs an execution that was killed before its first node began. */
	const isUnderWay = ({ status, startedAt }: ExecutionSummary) =>
		status === 'new' || (status === 'running' && Date.parse(startedAt) >= kills.lastAt());
	return {
		...own,
		n8n,
		ids,
		executions,
		whenUp: kills.whenUp,
		async play(isKilled, begin, untilOver) {
			if (isKilled) await kills.killDuring(begin, own.service.control.clearFaults);
			else await begin();
			await untilOver?.();
			do await sleep(PAUSE_MS);
			while ((await executions()).some(isUnderWay));
		},
	};
}

/** A busy n8n refuses what it cannot look up soon enough, or fails at it. */
async function patiently<T>(ask: () => Promise<T>, tries = 10): Promise<T> {
	try {
		return await ask();
	} catch (error) {
		if (!(error instanceof N8nRequestError) || error.status < 500 || tries === 1) throw error;
		await sleep(PAUSE_MS);
		return await patiently(ask, tries - 1);
	}
}

type Kills = ReturnType<typeof createKills>;

/** Kills n8n whenever all players wait for it, or have left. */
function createKills(n8n: N8n, players: number) {
	let left = players;
	let kills = 0;
	let killedAt = 0;
	let up = Promise.resolve();
	let waiting: Array<{
		begin: () => Promise<void>;
		onKilled: () => Promise<void>;
		resolve: () => void;
		reject: (error: unknown) => void;
	}> = [];
	const killWhenAllWait = async (): Promise<void> => {
		if (waiting.length < left || waiting.length === 0) return;
		const all = waiting;
		waiting = [];
		try {
			await Promise.all(all.map(async ({ begin }) => await begin()));
			await sleep(KILLED_AFTER_MS[kills++ % KILLED_AFTER_MS.length]);
			up = n8n.kill().then(async () => {
				killedAt = Date.now();
				await Promise.all(all.map(async ({ onKilled }) => await onKilled()));
				await n8n.restart();
			});
			await up;
			for (const { resolve } of all) resolve();
		} catch (error) {
			for (const { reject } of all) reject(error);
		}
	};
	return {
		lastAt: () => killedAt,
		whenUp: async () => await up,
		/** @param onKilled called before n8n starts again */
		killDuring: async (begin: () => Promise<void>, onKilled: () => Promise<void>): Promise<void> =>
			await new Promise((resolve, reject) => {
				waiting.push({ begin, onKilled, resolve, reject });
				void killWhenAllWait();
			}),
		leave(): void {
			left--;
			void killWhenAllWait();
		},
	};
}
