import type { INodeParameters } from 'n8n-workflow';

import { session } from '../support/n8n/session';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';
import { activateTrigger, createTrigger, deliver, removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];

beforeAll(async () => {
	world = await startWorld();
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
	if (world) await api('DELETE', '/webhooks');
});

const activated = async (parameters: INodeParameters = {}) => {
	const id = await activateTrigger(world, parameters);
	ids.push(id);
	return id;
};
const config = async () => (await world.service.control.webhook()).config;
const api = callerOf(() => world.service);

describe('a trigger whose credential was deleted', () => {
	const orphan = async (parameters: INodeParameters = {}) => {
		const own = await world.n8n.api.createCredential('messagingChannelApi', 'Own', world.secrets);
		const id = await createTrigger(world, parameters, own);
		ids.push(id);
		await world.n8n.api.activate(id);
		await world.n8n.api.deleteCredential(own);
		return id;
	};

	test('shows a failed execution after five deliveries', async () => {
		const id = await orphan();
		// Until a minute has passed, only a wrong signature makes it read the credential again.
		for (let count = 0; count < 5; count++)
			expect(await deliver(world, { signature: 'other-key' })).toMatchObject({ status: 503 });

		const [told] = await world.n8n.api.waitForExecutions(id, 1);
		expect([told?.status, told?.error?.message]).toEqual([
			'error',
			'No messages arrive because n8n cannot read the credential of the trigger',
		]);
	});

	test('leaves an address that n8n proves to be dead, so that the next workflow takes it over', async () => {
		const id = await orphan();
		const { url } = (await config()) ?? {};
		await world.n8n.api.deactivate(id);
		expect((await config())?.url).toBe(url);

		await activated();

		expect((await config())?.url).not.toBe(url);
		expect((await deliver(world)).status).toBe(200);
	});
});

describe('a workflow that may not use its credential any more', () => {
	/** Publishes a trigger, and moves its workflow to somebody who has no access to the credential. */
	const moved = async () => {
		const id = await activated();
		const http = session(world.n8n.url);
		const email = `${id.toLowerCase()}@example.com`;
		await http.rest('POST', '/invitations', [{ email, role: 'global:member' }]);
		const projects = await http.rest<Array<{ id: string; name: string }>>('GET', '/projects');
		const destinationProjectId = projects.find(({ name }) => name.includes(email))?.id;
		await http.rest('PUT', `/workflows/${id}/transfer`, { destinationProjectId, shareCredentials: [] });
		await world.n8n.api.untilPublished(id);
		return id;
	};

	test('verifies events all the same, and n8n fails each execution with a reason of its own', async () => {
		const id = await moved();

		expect([(await deliver(world)).status, (await deliver(world)).status]).toEqual([200, 200]);

		const executions = await world.n8n.api.waitForExecutions(id, 2);
		expect(executions.map(({ status, error }) => [status, error?.message])).toEqual(
			Array(2).fill(['error', 'Node "Messaging Channel Trigger" does not have access to the credential']),
		);
	});
});

describe('listening for a test event while production is active', () => {
	const production = { events: ['message.received', 'message.sent'], options: { timeoutSeconds: 17 } };
	let id: string;
	let before: Awaited<ReturnType<typeof config>>;
	const modes = async (count: number) =>
		(await world.n8n.api.waitForExecutions(id, count)).map(({ mode }) => mode).sort();
	const isOver = async () => await eventually(config, (now) => now?.url === before?.url);

	beforeEach(async () => {
		id = await activated(production);
		before = await config();
		await world.n8n.api.listenForTestEvent(id);
		await eventually(config, (now) => now?.url.startsWith(`${before?.url}?`) === true);
	});

	test('gives both the event, and ends', async () => {
		expect(await deliver(world)).toMatchObject({ status: 200 });
		await isOver();
		expect(await config()).toEqual(before);
		expect(await modes(2)).toEqual(['manual', 'webhook']);
		expect(await deliver(world)).toMatchObject({ status: 200 });
		expect(await modes(3)).toEqual(['manual', 'webhook', 'webhook']);
	});

	test('takes no event from production when n8n was killed in between', async () => {
		await world.n8n.kill();
		await world.n8n.restart();
		expect(await deliver(world)).toMatchObject({ status: 200 });
		expect(await modes(1)).toEqual(['webhook']);
	});
});
