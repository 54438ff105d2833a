import { startService, type Service } from '../../support/service/service';
import { peakGrowth } from '../support/memory';
import type { Row, Suite } from '../support/suite';
import { webhookNode, type Listener } from '../support/triggers';
import { startBenchWorld, type BenchWorld } from '../support/world';
import { burst, LAZY, MOST_GROWTH_MB, whenBusy } from './bursts';

/** A broadcast to 10,000 people, each of whom gets and reads the message. */
const EVENTS = 30_000;

/** The status events of a large broadcast. */
export const broadcast: Suite = {
	name: 'broadcast',
	title: 'The status events of a broadcast',
	how: `${EVENTS.toLocaleString('en')} signed status events with When Busy, 10 and 50 at a time, until the last execution is over, once in a fresh n8n with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true. The memory is that at the peak above what n8n had before. The Webhook node gets a tenth of the events.`,
	async run({ isTiny }) {
		const count = isTiny ? 10 : EVENTS;
		const rows: Row[] = [];
		for (const inFlight of isTiny ? [10] : [10, 50]) {
			const ours = await measure(whenBusy, count, inFlight);
			const theirs = await measure(async (world) => await webhookNode(world), count / 10, inFlight);
			const what = `${count} status events, ${inFlight} at a time`;
			rows.push(
				{
					what: `${what}: events`,
					unit: '/s',
					ours: ours.perSecond,
					against: 'Webhook node',
					theirs: theirs.perSecond,
					reach: { atLeast: 3 },
				},
				{
					what: `${what}: executions`,
					unit: 'items',
					ours: ours.executions,
					against: 'one for each',
					theirs: count,
					reach: { atMost: 0.2 },
				},
				{
					what: `${what}: processor time for an event`,
					unit: 'ms',
					ours: ours.cost,
					against: 'Webhook node',
					theirs: theirs.cost,
				},
				{
					what: `${what}: memory`,
					unit: 'MB',
					ours: ours.growth,
					against: 'the limit',
					theirs: MOST_GROWTH_MB,
					reach: { atMost: 1 },
				},
			);
		}
		return rows;
	},
};

async function measure(
	listen: (world: BenchWorld, service: Service) => Promise<Listener>,
	count: number,
	inFlight: number,
) {
	const service = await startService();
	const world = await startBenchWorld({ env: LAZY });
	try {
		const listener = await listen(world, service);
		let figures = { perSecond: 0, executions: 0, cost: 0 };
		const growth = await peakGrowth(world.n8n.pid, async () => {
			figures = await burst(world, listener, count, inFlight);
		});
		return { ...figures, growth };
	} finally {
		await world.stop();
		await service.stop();
	}
}
