import { startService, type Service } from '../../support/service/service';
import { peakGrowth } from '../support/memory';
import { processorTime } from '../support/processorTime';
import { interleaved, rowsOf, type Figures, type Row, type Suite } from '../support/suite';
import {
	bareTrigger,
	githubTrigger,
	ourTrigger,
	telegramTrigger,
	webhookNode,
	type Listener,
} from '../support/triggers';
import { startBenchWorld, type BenchWorld } from '../support/world';
import { eventsPerSecond } from './events';

const NEVER = 'the trigger';
const WHEN_BUSY = 'the trigger, When Busy';
const FLOOR = 'a trigger that does nothing';
const WEBHOOK = 'Webhook node';
export const MOST_GROWTH_MB = 300;

export const LAZY = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };

/** How n8n evaluates expressions, by the environment variables that say so, and how many events a round takes. */
const ENGINES: Array<[name: string, env: Record<string, string>, count: number, wanted: Wanted]> = [
	['as delivered', {}, 200, { neverToWebhook: 0, busyToWebhook: 1 }],
	['lazy', LAZY, 600, { neverToWebhook: 0.95, busyToWebhook: 3 }],
	['legacy', { N8N_EXPRESSION_ENGINE: 'legacy' }, 600, { neverToWebhook: 0, busyToWebhook: 3 }],
];

/** The ratios to n8n's Webhook node that are wanted; 0 for none. */
interface Wanted {
	neverToWebhook: number;
	busyToWebhook: number;
}

/** What one burst took. */
interface Burst {
	perSecond: number;
	executions: number;
	/** Milliseconds of processor time for an event, n8n alone. */
	cost: number;
}

export async function burst(
	world: BenchWorld,
	listener: Listener,
	count: number,
	inFlight: number,
): Promise<Burst> {
	const { n8n } = world;
	const { workflowId } = listener;
	const before = (await n8n.api.executions(workflowId)).length;
	const usedBefore = await processorTime([n8n.pid]);
	const perSecond = await eventsPerSecond(world, listener, count, inFlight);
	return {
		perSecond,
		cost: ((await processorTime([n8n.pid])) - usedBefore) / count,
		executions: (await n8n.api.executions(workflowId)).length - before,
	};
}

export const whenBusy = async (world: BenchWorld, service: Service) =>
	await ourTrigger(world, service, { combineEvents: 'whenBusy' }, 'message.status');

/** How many status events start a workflow in a second, and what that takes. */
export const bursts: Suite = {
	name: 'bursts',
	title: 'Bursts of status events',
	how: 'Signed status events, 10 and 50 at a time, until the last execution is over, in one n8n for each way in which it evaluates expressions: as delivered, with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true, and with N8N_EXPRESSION_ENGINE=legacy. 200 to each in each round as delivered, 600 otherwise. The memory is that of a fresh n8n at the peak of 2,000 events, 50 at a time, above what it had before. The HTTP client shares the processors.',
	async run({ isTiny, rounds }) {
		const rows: Row[] = [];
		for (const [engine, env, count, wanted] of isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			for (const inFlight of [10, 50]) {
				rows.push(...(await rowsOfEngine(engine, env, wanted, inFlight, isTiny ? 10 : count, rounds)));
			}
			rows.push(...(await memoryRows(engine, env, isTiny ? 10 : 2_000)));
		}
		return rows;
	},
};

async function rowsOfEngine(
	engine: string,
	env: Record<string, string>,
	wanted: Wanted,
	inFlight: number,
	count: number,
	rounds: number,
): Promise<Row[]> {
	const services = [await startService(), await startService()] as const;
	const world = await startBenchWorld({ env });
	try {
		const listeners = new Map<string, Listener>([
			[NEVER, await ourTrigger(world, services[0], {}, 'message.status')],
			[WHEN_BUSY, await whenBusy(world, services[1])],
			[FLOOR, await bareTrigger(world)],
			[WEBHOOK, await webhookNode(world)],
			['GitHub trigger', await githubTrigger(world)],
			['Telegram trigger', await telegramTrigger(world)],
		]);
		const costs = new Map([...listeners.keys()].map((name): [string, number[]] => [name, []]));
		const executions = new Map([...listeners.keys()].map((name): [string, number[]] => [name, []]));
		const contestants = [...listeners].map(([name, listener]): [string, () => Promise<number>] => [
			name,
			async () => {
				const { perSecond, cost, executions: made } = await burst(world, listener, count, inFlight);
				costs.get(name)?.push(cost);
				executions.get(name)?.push(made);
				return perSecond;
			},
		]);
		const speed = await interleaved(rounds, new Map(contestants), count > 10 ? 1 : 0);
		const what = `${engine}, ${inFlight} at a time`;
		const ofOurs = (figures: Figures, ours: string, peers: string[]) =>
			new Map([...figures].filter(([name]) => name === ours || peers.includes(name)));
		const peers = [FLOOR, WEBHOOK, 'GitHub trigger', 'Telegram trigger'];
		return [
			...rowsOf(`${what}: events`, '/s', ofOurs(speed, NEVER, peers), NEVER, {
				...(wanted.neverToWebhook > 0 ? { [WEBHOOK]: { atLeast: wanted.neverToWebhook } } : {}),
			}),
			...rowsOf(`${what}, When Busy: events`, '/s', ofOurs(speed, WHEN_BUSY, peers), WHEN_BUSY, {
				[WEBHOOK]: { atLeast: wanted.busyToWebhook },
				...(engine === 'as delivered' ? { [FLOOR]: { atLeast: 1.8 } } : {}),
			}),
			...rowsOf(
				`${what}, When Busy: executions`,
				'items',
				ofOurs(executions, WHEN_BUSY, [NEVER]),
				WHEN_BUSY,
				{
					[NEVER]: { atMost: 0.2 },
				},
			),
			...rowsOf(`${what}: processor time for an event`, 'ms', ofOurs(costs, NEVER, [WEBHOOK]), NEVER),
			...rowsOf(
				`${what}, When Busy: processor time for an event`,
				'ms',
				ofOurs(costs, WHEN_BUSY, [WEBHOOK]),
				WHEN_BUSY,
			),
		];
	} finally {
		await world.stop();
		for (const service of services) await service.stop();
	}
}

async function memoryRows(engine: string, env: Record<string, string>, count: number): Promise<Row[]> {
	const growth = async (listen: (world: BenchWorld, service: Service) => Promise<Listener>) => {
		const service = await startService();
		const world = await startBenchWorld({ env });
		try {
			const listener = await listen(world, service);
			return await peakGrowth(world.n8n.pid, async () => {
				await burst(world, listener, count, 50);
			});
		} finally {
			await world.stop();
			await service.stop();
		}
	};
	const what = `${engine}, 50 at a time, When Busy: memory`;
	const row = { what, unit: 'MB', ours: await growth(whenBusy) } as const;
	return [
		{ ...row, against: 'the limit', theirs: MOST_GROWTH_MB, reach: { atMost: 1 } },
		{ ...row, against: WEBHOOK, theirs: await growth(webhookNode) },
	];
}
