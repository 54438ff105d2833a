import { setTimeout as sleep } from 'node:timers/promises';

import { activateTrigger, deliver, messageBody } from '../support/world/triggerWorld';
import { eventually } from '../support/service/testing';
import { settledRuns, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';

jest.setTimeout(900_000);

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld({ workers: 1 });
});
afterAll(async () => await world?.stop());

test('a message that one of two webhook processors refused while the workflow was published runs, whoever had the sample', async () => {
	const { control } = world.service;
	const url = async () => (await control.webhook()).config?.url ?? '';
	await control.addFault({ operationId: 'webhook.test', kind: 'hold', when: 'after' });
	const publishing = activateTrigger(world);
	const check = await eventually(
		async () => {
			await sleep(5);
			return await url();
		},
		(now) => now.includes('?check='),
	);
	// One of them gets the sample from nginx; each gets a message of its own.
	const messages = world.cluster.webhookProcessors.map(({ port }, index) => {
		const to = (address: string) => Object.assign(new URL(address), { port: String(port) }).href;
		return { to, event: { eventId: `message-${index}`, body: messageBody() } };
	});

	const first = await Promise.all(
		messages.map(async ({ to, event }) => await deliver(world, { ...event, url: to(check) })),
	);
	await control.clearFaults();
	const id = await publishing;
	const address = await url();
	const again = await Promise.all(
		messages.map(async ({ to, event }) => await deliver(world, { ...event, url: to(address) })),
	);

	expect(first.map(({ status }) => status)).toEqual([503, 503]);
	expect(again.map(({ status }) => status)).toEqual([200, 200]);
	const runs = await settledRuns(world, id, 'message');
	expect(runs.map(({ eventId }) => eventId).sort()).toEqual(['message-0', 'message-1']);
});
