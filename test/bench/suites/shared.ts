import { setTimeout as sleep } from 'node:timers/promises';

import { startService, type Service } from '../../support/service/service';
import { messagingChannelTrigger, workflow } from '../../support/n8n/workflow';
import { createCredential } from '../../support/world/world';
import { messageBody } from '../../support/world/triggerWorld';
import { ourHeaders, type Delivery } from '../support/deliveries';
import { interleaved, rowsOf, type Suite } from '../support/suite';
import { startBenchWorld, type BenchWorld } from '../support/world';
import { deliverAll } from './events';

const WORKFLOWS = 3;
const SHARED = 'one delivery to a shared webhook';
const DIRECT = 'a delivery to each of them';

/** Published triggers of one account; returns their workflows and how an event is delivered to its webhook. */
async function publish(
	{ n8n }: BenchWorld,
	service: Service,
	count: number,
): Promise<{ workflowIds: string[]; next: (eventId: string, body: string) => Delivery }> {
	const { credential, secrets } = await createCredential(n8n.api, service);
	const workflowIds: string[] = [];
	for (let workflows = 0; workflows < count; workflows++) {
		const { id } = await n8n.api.createWorkflow(
			workflow('Listens', [messagingChannelTrigger({}, credential)]),
		);
		await n8n.api.activate(id);
		workflowIds.push(id);
	}
	const { config } = await service.control.webhook();
	const url = String(config?.url);
	const next = (eventId: string, body: string) => ({
		url,
		body,
		headers: ourHeaders(body, secrets.signingSecret, eventId),
	});
	return { workflowIds, next };
}

/** What it costs that workflows share the account's webhook. */
export const shared: Suite = {
	name: 'shared',
	title: 'A shared webhook',
	how: '200 signed events to three workflows each, 10 at a time, until the last execution is over: delivered once to the webhook that the three share, or three times to triggers of three accounts.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 5 : 200;
		const services = await Promise.all(
			Array.from({ length: WORKFLOWS + 1 }, async () => await startService()),
		);
		const world = await startBenchWorld();
		try {
			const [first, ...others] = services as [Service, ...Service[]];
			const together = [await publish(world, first, WORKFLOWS)];
			const apart = [];
			for (const service of others) apart.push(await publish(world, service, 1));
			let events = 0;
			const measure = (groups: typeof together) => async () => {
				const deliveries = Array.from({ length: count }, () => {
					const eventId = `shared-${++events}`;
					const body = messageBody();
					return groups.map(
						({ next }) =>
							() =>
								next(eventId, body),
					);
				}).flat();
				const started = performance.now();
				await deliverAll(deliveries, 10, 200);
				for (const id of groups.flatMap(({ workflowIds }) => workflowIds))
					while (await world.n8n.api.isRunning(id)) await sleep(20);
				return performance.now() - started;
			};
			const contestants = new Map([
				[SHARED, measure(together)],
				[DIRECT, measure(apart)],
			]);
			const figures = await interleaved(rounds, contestants, isTiny ? 0 : 1);
			return rowsOf(`${count} events to ${WORKFLOWS} workflows`, 'ms', figures, SHARED, {
				[DIRECT]: { atMost: 1.15 },
			});
		} finally {
			await world.stop();
			await Promise.all(services.map(async (service) => await service.stop()));
		}
	},
};
