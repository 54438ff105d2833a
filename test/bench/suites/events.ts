import { setTimeout as sleep } from 'node:timers/promises';

import { atATime } from '../../support/world/load';
import { startService } from '../../support/service/service';
import { openConnections, post, type Delivery } from '../support/deliveries';
import { installedPeers } from '../support/peers';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import {
	bareTrigger,
	githubTrigger,
	ourTrigger,
	telegramTrigger,
	wahaTrigger,
	webhookNode,
	type Listener,
} from '../support/triggers';
import { startBenchWorld, type BenchWorld } from '../support/world';

const OURS = 'the trigger';
const FLOOR = 'a trigger that does nothing';
const GITHUB = 'GitHub trigger';
const TELEGRAM = 'Telegram trigger';
const REACHES: Parameters<typeof rowsOf>[4] = {
	[FLOOR]: { atLeast: 0.95 },
	[GITHUB]: { atLeast: 1.15 },
	[TELEGRAM]: { atLeast: 1.15 },
};

/** Deliveries per second, until all of their executions are over. */
export async function eventsPerSecond(
	{ n8n }: BenchWorld,
	{ workflowId, next }: Listener,
	count: number,
	inFlight: number,
): Promise<number> {
	const deliveries = Array.from({ length: count }, () => next);
	const started = performance.now();
	await deliverAll(deliveries, inFlight, 200);
	while (await n8n.api.isRunning(workflowId)) await sleep(20);
	return (count / (performance.now() - started)) * 1000;
}

/**
 * Makes deliveries, so many at a time; every one must be answered with this status.
 *
 * @param deliveries each is signed when it is sent, with the time of that moment
 */
export async function deliverAll(
	deliveries: Array<() => Delivery>,
	inFlight: number,
	expected: number,
): Promise<void> {
	const connections = openConnections();
	await atATime(inFlight, deliveries, async (next) => {
		const delivery = next();
		const status = await post(delivery, connections);
		if (status !== expected) throw new Error(`${delivery.url} answered ${status}`);
	}).finally(() => connections.destroy());
}

/** How many events start a workflow in a second. */
export const events: Suite = {
	name: 'events',
	title: 'Events',
	how: '2,000 signed deliveries to each in five rounds, half of them 10 and half 50 at a time, until the last execution is over, in one n8n. The HTTP client shares the processors.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 10 : 200;
		const service = await startService();
		const waha = (await installedPeers()).find(({ title }) => title === 'WAHA');
		const world = await startBenchWorld({ modules: waha ? [waha.modules] : [] });
		try {
			const listeners = new Map<string, Listener>([
				[OURS, await ourTrigger(world, service)],
				[FLOOR, await bareTrigger(world)],
				[GITHUB, await githubTrigger(world)],
				[TELEGRAM, await telegramTrigger(world)],
				['Webhook node', await webhookNode(world)],
			]);
			if (waha) listeners.set('WAHA trigger', await wahaTrigger(world));
			const rows: Row[] = [];
			for (const inFlight of [10, 50]) {
				const contestants = [...listeners].map(([name, listener]): [string, () => Promise<number>] => [
					name,
					async () => await eventsPerSecond(world, listener, count, inFlight),
				]);
				const figures = await interleaved(rounds, new Map(contestants), isTiny ? 0 : 1);
				rows.push(...rowsOf(`events, ${inFlight} at a time`, '/s', figures, OURS, REACHES));
			}
			return rows;
		} finally {
			await world.stop();
			await service.stop();
		}
	},
};
