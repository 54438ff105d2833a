import mapValues from 'lodash/mapValues';

import { startService, type Service } from '../../support/service/service';
import { bareTrigger, deliverAll, ourTrigger, webhookNode, type Listener } from '../support/listeners';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import { inWorld, peakGrowth, type BenchWorld } from '../support/world';

const OURS = 'the trigger';
const BUSY = 'the trigger, When Busy';
const WEBHOOK = 'Webhook node';
const MOST_GROWTH_MB = 300;

/** How n8n evaluates expressions, and how many events a round takes. */
export const ENGINES = [
	{ engine: 'as delivered', env: {}, count: 200 },
	{ engine: 'lazy', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }, count: 600 },
	{ engine: 'legacy', env: { N8N_EXPRESSION_ENGINE: 'legacy' }, count: 600 },
] as const;

/** Does the work in a world, beside two services. */
export async function besideServices<T>(
	env: Record<string, string>,
	work: (world: BenchWorld, services: [Service, Service]) => Promise<T>,
): Promise<T> {
	const services: [Service, Service] = [await startService(), await startService()];
	try {
		return await inWorld({ env }, async (world) => await work(world, services));
	} finally {
		for (const service of services) await service.stop();
	}
}

/** How many events start a workflow in a second, how long each waits for its answer, and what that takes. */
export const events: Suite = {
	name: 'events',
	title: 'Events',
	how: 'Signed status events, 1, 10 and 50 at a time, until the last execution is over, in one n8n for each way in which it evaluates expressions: as delivered, with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true, and with N8N_EXPRESSION_ENGINE=legacy. 200 to each in each round as delivered, 600 otherwise; BENCH_EVENTS changes that. The wait is that of the service for its answer. The memory is that of a fresh n8n at the peak of the events, 50 at a time, above what it had before. The HTTP client shares the processors.',
	async run(scale) {
		const rows: Row[] = [];
		for (const { engine, env, count: usual } of scale.isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			const count = scale.isTiny ? 10 : Number(process.env.BENCH_EVENTS ?? usual);
			for (const inFlight of scale.isTiny ? [10] : [1, 10, 50]) {
				const medians = await besideServices(env, async (world, [first, second]) => {
					const listeners: Record<string, Listener> = {
						[OURS]: await ourTrigger(world, first),
						[BUSY]: await ourTrigger(world, second, { combineEvents: 'whenBusy' }),
						'a trigger that does nothing': await bareTrigger(world),
						[WEBHOOK]: await webhookNode(world),
					};
					const contestants = mapValues(
						listeners,
						(listener) => async () => await deliverAll(world, listener, count, inFlight),
					);
					return await interleaved(scale, contestants);
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
			const memory = await besideServices(env, async (world, [service]) => {
				const listener = await ourTrigger(world, service, { combineEvents: 'whenBusy' });
				const many = scale.isTiny ? count : 2_000;
				return await peakGrowth(world, async () => await deliverAll(world, listener, many, 50));
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
