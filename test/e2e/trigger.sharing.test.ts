import type { INodeParameters } from 'n8n-workflow';

import { eventually } from '../support/service/testing';
import {
	activateTrigger,
	createTrigger,
	deliver,
	removeTrigger,
	TRIGGER,
} from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];

beforeAll(async () => {
	world = await startWorld();
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
	expect((await config())?.is_active ?? false).toBe(false);
});

const activated = async (parameters: INodeParameters = {}) => {
	const id = await activateTrigger(world, parameters);
	ids.push(id);
	return id;
};
const config = async () => (await world.service.control.webhook()).config;

/** The texts that a workflow got, in any order. */
const eventIds = async (id: string, count: number) =>
	(await world.n8n.api.waitForExecutions(id, count))
		.flatMap((execution) => execution.items(TRIGGER).map(({ json }) => String(json.event_id)))
		.sort();

test('every workflow of an account gets its events, whichever of them is unpublished', async () => {
	const first = await activated();
	const second = await activated({ events: ['message.received', 'message.status'] });
	const third = await activated({ options: { chatType: 'group', timeoutSeconds: 40 } });

	expect(await config()).toMatchObject({
		events: ['message.received', 'message.status'],
		timeout_seconds: 40,
	});
	expect((await deliver(world, { eventId: 'to-all' })).status).toBe(200);
	expect(await eventIds(first, 1)).toEqual(['to-all']);
	expect(await eventIds(second, 1)).toEqual(['to-all']);

	await world.n8n.api.deactivate(first);
	expect(await config()).toMatchObject({ events: ['message.received', 'message.status'] });
	expect((await deliver(world, { eventId: 'without-first' })).status).toBe(200);
	expect(await eventIds(second, 2)).toEqual(['to-all', 'without-first']);

	await world.n8n.api.deactivate(second);
	expect(await config()).toMatchObject({ events: ['message.received'], timeout_seconds: 40 });
	expect((await config())?.url).not.toContain('?');
	await world.n8n.api.deactivate(third);
});

test('a test gets the next event and leaves production alone', async () => {
	const production = await activated();
	const tested = await createTrigger(world);
	ids.push(tested);
	await world.n8n.api.listenForTestEvent(tested);

	expect((await deliver(world, { eventId: 'while-testing' })).status).toBe(200);
	expect(await eventIds(production, 1)).toEqual(['while-testing']);
	expect(await eventIds(tested, 1)).toEqual(['while-testing']);

	await eventually(config, (now) => now?.url.includes('?') === false);
	expect((await deliver(world, { eventId: 'after-the-test' })).status).toBe(200);
	expect(await eventIds(production, 2)).toEqual(['after-the-test', 'while-testing']);
});
