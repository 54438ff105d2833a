/**
 * Events per second in queue mode, beside n8n's own Webhook node: `npx tsx test/bench/queueEvents.ts [events] [runs]`.
 * On a machine with few cores all parts share them, so what an event costs each part in processor time is printed too.
 */
import type { INode, INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { atATime, events } from '../support/world/load';
import { createCredential } from '../support/world/world';
import { startService, type Service } from '../support/service/service';
import { send } from '../support/world/triggerSender';
import { messagingChannelTrigger, node, workflow } from '../support/n8n/workflow';
import type { Cluster } from '../support/cluster/cluster';
import { isRunning, settledCount, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { median } from './support/median';
import { processorTime } from './support/processorTime';

const EVENTS = Number(process.argv[2] ?? 400);
const RUNS = Number(process.argv[3] ?? 5);
const IN_FLIGHT = 20;

const ENGINES: Array<[name: string, env: Record<string, string>]> = [
	['as delivered', {}],
	['lazy', { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }],
	['legacy', { N8N_EXPRESSION_ENGINE: 'legacy' }],
];

interface Contestant {
	name: string;
	workflowId: string;
	url: string;
	secret: string;
}

interface Measured {
	perSecond: number;
	executions: number;
	/** Milliseconds of processor time per event, all processes of a kind together. */
	cost: Record<'webhook processors' | 'workers', number>;
}

/** The triggers, each with an account of its own, and the Webhook node. */
async function contestants(world: QueueWorld, others: Service[]): Promise<Contestant[]> {
	const { cluster } = world;
	const create = async (name: string, first: INode) => {
		const { id } = await cluster.api.createWorkflow(workflow(name, [first]));
		await cluster.api.activate(id);
		return { name, workflowId: id, url: `${cluster.url}/webhook/${String(first.webhookId)}`, secret: '' };
	};
	const trigger = async (
		name: string,
		options: INodeParameters,
		{ service, credential }: Pick<QueueWorld, 'service' | 'credential'>,
	) => {
		const created = await create(name, messagingChannelTrigger({ options }, credential));
		const { config, secret } = await service.control.webhook();
		return { ...created, url: String(config?.url), secret };
	};
	const [second] = others as [Service];
	const whenBusy = { service: second, ...(await createCredential(cluster.api, second)) };
	return [
		await trigger('Messaging Channel Trigger', {}, world),
		await trigger('the same, When Busy', { combineEvents: 'whenBusy' }, whenBusy),
		await create('Webhook node', webhookNode()),
	];
}

function webhookNode(): INode {
	const path = randomUUID();
	return node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', path, options: {} },
		{ typeVersion: 2, webhookId: path },
	);
}

async function usedBy({ webhookProcessors, workers }: Cluster) {
	const running = webhookProcessors.map(({ pid }) => pid);
	const alive = await Promise.all(running.map(async (pid) => await processorTime([pid]).catch(() => 0)));
	return {
		'webhook processors': alive.reduce((sum, time) => sum + time, 0),
		workers: await processorTime(workers.map(({ pid }) => pid)),
	};
}

let rounds = 0;

async function measure(world: QueueWorld, contestant: Contestant): Promise<Measured> {
	const before = await usedBy(world.cluster);
	const countBefore = await settledCount(world, contestant.workflowId);
	const started = Date.now();
	rounds += 1;
	await atATime(IN_FLIGHT, events(`bench-${rounds}`, EVENTS), async ({ eventId, body }) => {
		const { status } = await send({
			url: contestant.url,
			body,
			secret: contestant.secret,
			headers: { 'X-Service-Event-Id': eventId },
		});
		if (status !== 200) throw new Error(`${contestant.name} answered ${status}`);
	});
	// Every event that was answered 200 is in an execution by then.
	while (await isRunning(world, contestant.workflowId)) await sleep(50);
	const perSecond = (EVENTS / (Date.now() - started)) * 1000;
	const after = await usedBy(world.cluster);
	return {
		perSecond,
		executions: (await settledCount(world, contestant.workflowId)) - countBefore,
		cost: {
			'webhook processors': (after['webhook processors'] - before['webhook processors']) / EVENTS,
			workers: (after.workers - before.workers) / EVENTS,
		},
	};
}

async function main(): Promise<void> {
	for (const [engine, env] of ENGINES) {
		const world = await startQueueWorld({ env });
		const others = [await startService()];
		try {
			const all = await contestants(world, others);
			for (const processors of [2, 1]) {
				if (processors === 1) await world.cluster.webhookProcessors[1]?.stop();
				const measured = new Map<string, Measured[]>();
				for (let run = 0; run <= RUNS; run++) {
					for (const contestant of all) {
						const result = await measure(world, contestant);
						// The first round warms up.
						if (run > 0) measured.set(contestant.name, [...(measured.get(contestant.name) ?? []), result]);
					}
				}
				print(engine, processors, measured);
			}
		} finally {
			await world.stop();
			for (const service of others) await service.stop();
		}
	}
}

function print(engine: string, processors: number, measured: Map<string, Measured[]>): void {
	console.log(`\nExpression engine ${engine}, webhook processors: ${processors}, workers: 2`);
	const middle = (all: Measured[], value: (one: Measured) => number) => median(all.map(value));
	const reference = middle(measured.get('Webhook node') ?? [], ({ perSecond }) => perSecond);
	for (const [name, all] of measured) {
		const perSecond = middle(all, (one) => one.perSecond);
		const cost = (part: keyof Measured['cost']) => middle(all, (one) => one.cost[part]).toFixed(0);
		console.log(
			`  ${name.padEnd(28)} ${perSecond.toFixed(1)} per second  ${(perSecond / reference).toFixed(2)} ×  ` +
				`${middle(all, (one) => one.executions)} executions, ${cost('webhook processors')} ms webhook processor, ${cost('workers')} ms worker per event`,
		);
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
