import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import { startN8n, type N8n, type N8nOptions } from '../../support/n8n/instance';
import { itemsNode, manualTrigger, workflow, type CredentialReference } from '../../support/n8n/workflow';
import { startSink, type Sink } from './sink';

/** An n8n with this package and the floor's nodes, and the sink that all of them talk to. */
export interface BenchWorld {
	n8n: N8n;
	sink: Sink;
	credentials: Record<'messagingChannelApi' | 'telegramApi' | 'githubApi', CredentialReference>;
	stop(): Promise<void>;
}

/** The n8n that no world uses, by what they were started with; undefined while each world gets a fresh one. */
let unused: Map<string, N8n[]> | undefined;

/** Has worlds use one n8n after the other during the work, for figures that do not count. */
export async function withSharedN8n(work: () => Promise<void>): Promise<void> {
	unused = new Map();
	try {
		await work();
	} finally {
		await Promise.all([...unused.values()].flat().map(async (n8n) => await n8n.stop()));
	}
}

async function takeN8n(options: N8nOptions): Promise<{ n8n: N8n; leave: () => Promise<void> }> {
	const key = JSON.stringify([options.modules, options.env ?? {}]);
	const n8n = unused?.get(key)?.pop() ?? (await startN8n(options));
	const leave = async () => {
		if (!unused) return await n8n.stop();
		for (const { id, active } of await n8n.api.workflows()) if (active) await n8n.api.deactivate(id);
		unused.set(key, [...(unused.get(key) ?? []), n8n]);
	};
	return { n8n, leave };
}

/** Starts a world; `sink` is shared when it is given, and then stays. */
export async function startBenchWorld(options: N8nOptions & { sink?: Sink } = {}): Promise<BenchWorld> {
	const sink = options.sink ?? (await startSink());
	const modules = [join(__dirname, '..', 'floor'), ...(options.modules ?? [])];
	const { n8n, leave } = await takeN8n({ ...options, modules });
	const create = async (type: string, data: Record<string, string>) =>
		await n8n.api.createCredential(type, type, data);
	return {
		n8n,
		sink,
		credentials: {
			messagingChannelApi: await create('messagingChannelApi', {
				baseUrl: sink.origin,
				apiKey: 'bench',
				signingSecret: 'bench-secret',
			}),
			telegramApi: await create('telegramApi', { baseUrl: sink.origin, accessToken: 'bench' }),
			githubApi: await create('githubApi', { server: sink.origin, user: 'bench', accessToken: 'bench' }),
		},
		stop: async () => {
			await leave();
			if (!options.sink) await sink.stop();
		},
	};
}

export const STEP = 'Step';

/** A node that is measured, for the world it runs in. */
export type StepOf = (world: BenchWorld) => INode;

/** A workflow that gives these items to one node, named `STEP`; returns its id. */
export async function createRun(
	{ n8n }: BenchWorld,
	before: object[] | INode[],
	step: INode,
): Promise<string> {
	const first = before.length === 0 || isNodes(before) ? (before as INode[]) : itemsNode(before);
	const { id } = await n8n.api.createWorkflow(workflow(step.type, [manualTrigger(), ...first, step]));
	return id;
}

const isNodes = (before: object[] | INode[]): before is INode[] =>
	before.length > 0 && 'typeVersion' in before[0]!;

/** What one run of a workflow's `STEP` did. */
export interface StepRun {
	/** How long the node ran, in milliseconds. */
	time: number;
	/** Items that it put out as failed, or all when the execution failed. */
	failed: number;
}

/**
 * Runs a workflow to its end.
 *
 * @throws Error when it fails, unless failing is part of what is measured
 */
export async function runStep({ n8n }: BenchWorld, id: string, mayFail = false): Promise<StepRun> {
	const execution = await n8n.api.run(id, 'Start', 1_200_000);
	if (execution.status !== 'success' && !mayFail)
		throw new Error(`${execution.status}: ${execution.error?.message} ${execution.error?.description ?? ''}`);
	const run = execution.raw.resultData.runData[STEP]?.at(-1);
	const failed = execution.items(STEP).filter(({ json, error }) => error ?? json.error).length;
	return { time: run?.executionTime ?? NaN, failed };
}
