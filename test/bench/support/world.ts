import type { INode } from 'n8n-workflow';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startN8n, type N8n, type N8nOptions } from '../../support/n8n/instance';
import { itemsNode, manualTrigger, workflow, type CredentialReference } from '../../support/n8n/workflow';
import { startSink, type Sink } from './sink';

/** An n8n with this package and the floor's nodes, and the sink that all of them talk to. */
export interface BenchWorld {
	n8n: N8n;
	sink: Sink;
	credentials: Record<'messagingChannelApi' | 'telegramApi', CredentialReference>;
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
	const key = JSON.stringify(options.env ?? {});
	const n8n = unused?.get(key)?.pop() ?? (await startN8n(options));
	const leave = async () => {
		if (!unused) return await n8n.stop();
		for (const { id, active } of await n8n.api.workflows()) if (active) await n8n.api.deactivate(id);
		unused.set(key, [...(unused.get(key) ?? []), n8n]);
	};
	return { n8n, leave };
}

/** Does the work in a world of its own. */
export async function inWorld<T>(options: N8nOptions, work: (world: BenchWorld) => Promise<T>): Promise<T> {
	const sink = await startSink();
	const { n8n, leave } = await takeN8n({ ...options, modules: [join(__dirname, '..', 'floor')] });
	const create = async (type: string, data: Record<string, string>) =>
		await n8n.api.createCredential(type, type, data);
	const ours = { baseUrl: sink.origin, apiKey: 'bench', signingSecret: 'bench-secret' };
	const credentials = {
		messagingChannelApi: await create('messagingChannelApi', ours),
		telegramApi: await create('telegramApi', { baseUrl: sink.origin, accessToken: 'bench' }),
	};
	try {
		return await work({ n8n, sink, credentials });
	} finally {
		await leave();
		await sink.stop();
	}
}

export const STEP = 'Step';

/** A node that is measured, for the world it runs in. */
export type StepOf = (world: BenchWorld) => INode;

/** A workflow that gives items, or what nodes put out, to one node, named `STEP`; returns its id. */
export async function createRun(
	{ n8n }: BenchWorld,
	before: object[] | { nodes: INode[] },
	step: INode,
): Promise<string> {
	const first = 'nodes' in before ? before.nodes : itemsNode(before);
	const { id } = await n8n.api.createWorkflow(workflow(step.type, [manualTrigger(), ...first, step]));
	return id;
}

/** Runs a workflow to its end: milliseconds that `STEP` took. A failure is an error unless it is measured. */
export async function runStep({ n8n }: BenchWorld, id: string, mayFail = false): Promise<number> {
	const execution = await n8n.api.run(id, 'Start', 1_200_000);
	if (execution.status !== 'success' && !mayFail)
		throw new Error(`${execution.status}: ${execution.error?.message} ${execution.error?.description ?? ''}`);
	return execution.raw.resultData.runData[STEP]?.at(-1)?.executionTime ?? NaN;
}

const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM') =>
	Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** How far the memory of n8n rises while `work` runs, in MB, above what it had before. Linux only. */
export async function peakGrowth({ n8n }: BenchWorld, work: () => Promise<unknown>): Promise<number> {
	const { pid } = n8n;
	if (pid === undefined) throw new Error('Memory is measured without N8N_COMMAND');
	// Makes the kernel forget the peak so far.
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	const before = memoryOf(pid, 'VmRSS');
	await work();
	return memoryOf(pid, 'VmHWM') - before;
}
