import { startService, type Service } from '../../support/service/service';
import { messageBody } from '../../support/world/triggerWorld';
import {
	bareTrigger,
	deliverAll,
	ourTrigger,
	webhookNode,
	type Delivery,
	type Listener,
} from '../support/listeners';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import { inWorld, peakGrowth, type BenchWorld } from '../support/world';

const OURS = 'the trigger';
const BUSY = 'the trigger, When Busy';
const WEBHOOK = 'Webhook node';
const MOST_GROWTH_MB = 300;

/** How n8n evaluates expressions, how many events a round takes, and how fast dropping is wanted to be. */
const ENGINES = [
	{ engine: 'as delivered', env: {}, count: 200, dropped: 0.9 },
	{ engine: 'lazy', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }, count: 600, dropped: 5 },
	{ engine: 'legacy', env: { N8N_EXPRESSION_ENGINE: 'legacy' }, count: 600, dropped: 0.9 },
] as const;

async function withServices<T>(count: number, work: (services: Service[]) => Promise<T>): Promise<T> {
	const services = await Promise.all(Array.from({ length: count }, async () => await startService()));
	try {
		return await work(services);
	} finally {
		for (const service of services) await service.stop();
	}
}

const inServices = async <T>(
	count: number,
	env: Record<string, string>,
	work: (world: BenchWorld, services: Service[]) => Promise<T>,
) =>
	await withServices(
		count,
		async (services) => await inWorld({ env }, async (world) => await work(world, services)),
	);

const repeated = (next: () => Delivery, count: number) => Array.from({ length: count }, () => next);

/** How many events start a workflow in a second, how long each waits for its answer, and what that takes. */
export const events: Suite = {
	name: 'events',
	title: 'Events',
	how: 'Signed status events, 10 and 50 at a time, until the last execution is over, in one n8n for each way in which it evaluates expressions: as delivered, with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true, and with N8N_EXPRESSION_ENGINE=legacy. 200 to each in each round as delivered, 600 otherwise; BENCH_EVENTS changes that. The wait is that of the service for its answer. The memory is that of a fresh n8n at the peak of the events, 50 at a time, above what it had before. The HTTP client shares the processors.',
	async run(scale) {
		const rows: Row[] = [];
		for (const { engine, env, count: usual } of scale.isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			const count = scale.isTiny ? 10 : Number(process.env.BENCH_EVENTS ?? usual);
			const listeners = async (
				world: BenchWorld,
				[first, second]: Service[],
			): Promise<Record<string, Listener>> => ({
				[OURS]: await ourTrigger(world, first as Service),
				[BUSY]: await ourTrigger(world, second as Service, { combineEvents: 'whenBusy' }),
				'a trigger that does nothing': await bareTrigger(world),
				[WEBHOOK]: await webhookNode(world),
			});
			for (const inFlight of scale.isTiny ? [10] : [10, 50]) {
				const medians = await inServices(2, env, async (world, services) => {
					const all = Object.entries(await listeners(world, services));
					const contestants = all.map(([name, listener]) => [
						name,
						async () =>
							await deliverAll(
								world,
								listener,
								repeated(() => listener.next(), count),
								inFlight,
							),
					]);
					return await interleaved<'perSecond' | 'p50' | 'p99' | 'executions'>(
						scale,
						Object.fromEntries(contestants),
					);
				});
				const what = `${engine}, ${inFlight} at a time`;
				const { [BUSY]: busy, ...never } = medians;
				rows.push(
					...rowsOf(`${what}: events`, '/s', never, 'perSecond', OURS),
					...rowsOf(`${what}: wait, median`, 'ms', never, 'p50', OURS),
					...rowsOf(`${what}: wait, 99 of 100`, 'ms', never, 'p99', OURS),
				);
				if (!busy) continue;
				const both = { [BUSY]: busy, ...(never[WEBHOOK] && { [WEBHOOK]: never[WEBHOOK] }) };
				rows.push(
					...rowsOf(`${what}, When Busy: events`, '/s', both, 'perSecond', BUSY, {
						[WEBHOOK]: { atLeast: 1 },
					}),
					...rowsOf(`${what}, When Busy: executions`, 'items', both, 'executions', BUSY),
				);
			}
			const memory = await inServices(1, env, async (world, [service]) => {
				const listener = await ourTrigger(world, service as Service, { combineEvents: 'whenBusy' });
				const all = repeated(() => listener.next(), scale.isTiny ? count : 2_000);
				return await peakGrowth(world, async () => await deliverAll(world, listener, all, 50));
			});
			rows.push({
				what: `${engine}, 50 at a time, When Busy: memory`,
				unit: 'MB',
				ours: memory,
				against: 'the limit',
				theirs: MOST_GROWTH_MB,
				reach: { atMost: 1 },
			});
		}
		return rows;
	},
};

/** What a delivery costs that starts nothing. */
export const dropped: Suite = {
	name: 'dropped',
	title: 'Deliveries that start nothing',
	how: "Ten at a time, until they are answered. n8n prepares an expression engine for each delivery to any trigger but its own Webhook node before the trigger's code runs; with N8N_EXPRESSION_ENGINE=legacy that costs nothing, and with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true only where an expression is evaluated.",
	async run(scale) {
		const count = scale.isTiny ? 10 : 200;
		const rows: Row[] = [];
		for (const { engine, env, dropped: atLeast } of scale.isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			const medians = await inServices(1, env, async (world, [service]) => {
				const webhook = await webhookNode(world);
				// Messages of persons are left out, so that a delivery can be right in all but that.
				const ours = await ourTrigger(world, service as Service, { chatType: 'group' });
				const ofGroup = messageBody(
					{},
					{ chat: { id: '1203@g.us', name: 'Group', phone: null, type: 'group' } },
				);
				const known = () => ours.next('dropped-known', ofGroup);
				await deliverAll(world, ours, [known], 1);
				const stale = () => {
					const delivery = ours.next(undefined, messageBody());
					return { ...delivery, headers: { ...delivery.headers, 'X-Service-Timestamp': '1000' } };
				};
				const drop = (next: () => Delivery, status: number) => async () => {
					const { perSecond } = await deliverAll(
						world,
						{ workflowIds: [] },
						repeated(next, count),
						10,
						status,
					);
					return { perSecond };
				};
				return await interleaved(scale, {
					forged: drop(() => ({ ...ours.next(undefined, messageBody()), body: messageBody() }), 401),
					stale: drop(stale, 401),
					'delivered again': drop(known, 200),
					'filtered out': drop(() => ours.next(undefined, messageBody()), 200),
					[WEBHOOK]: async () => {
						const { perSecond } = await deliverAll(
							world,
							webhook,
							repeated(() => webhook.next(), count),
							10,
						);
						return { perSecond };
					},
				});
			});
			const { [WEBHOOK]: theirs, ...kinds } = medians;
			for (const [name, own] of Object.entries(kinds))
				rows.push(
					...rowsOf(
						`${name}, engine ${engine}`,
						'/s',
						{ [name]: own, [`${WEBHOOK}, which starts an execution`]: theirs ?? own },
						'perSecond',
						name,
						{ [`${WEBHOOK}, which starts an execution`]: { atLeast } },
					),
				);
		}
		return rows;
	},
};

const WORKFLOWS = 3;
const SHARED = 'one delivery to a shared webhook';
const DIRECT = 'a delivery to each of them';

/** What it costs that workflows share the account's webhook. */
export const shared: Suite = {
	name: 'shared',
	title: 'A shared webhook',
	how: '200 signed events to three workflows each, 10 at a time, until the last execution is over: delivered once to the webhook that the three share, or three times to triggers of three accounts.',
	async run(scale) {
		const count = scale.isTiny ? 5 : 200;
		return await inServices(WORKFLOWS + 1, {}, async (world, [first, ...others]) => {
			const together = [await ourTrigger(world, first as Service, {}, WORKFLOWS)];
			const apart: Listener[] = [];
			for (const service of others) apart.push(await ourTrigger(world, service));
			const measure = (listeners: Listener[]) => async () => {
				const workflowIds = listeners.flatMap((listener) => listener.workflowIds);
				const deliveries = listeners.flatMap(({ next }) => repeated(() => next(), count));
				const started = performance.now();
				await deliverAll(world, { workflowIds }, deliveries, 10);
				return { time: performance.now() - started };
			};
			const medians = await interleaved(scale, { [SHARED]: measure(together), [DIRECT]: measure(apart) });
			const what = `${count} events to ${WORKFLOWS} workflows`;
			return rowsOf(what, 'ms', medians, 'time', SHARED, { [DIRECT]: { atMost: 1.15 } });
		});
	},
};
