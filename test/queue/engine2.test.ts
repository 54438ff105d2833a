import type { INode, INodeParameters } from 'n8n-workflow';

import { manualTrigger, messagingChannel, messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { nightly } from '../support/nightly';
import { startPostgres, type Postgres } from '../support/cluster/postgres';
import { byPhone } from '../support/operations/parameters';
import { askNode, texts } from '../support/world/asking';
import { startWorld, type World } from '../support/world/world';

let postgres: Postgres;
let world: World;

beforeAll(async () => {
	postgres = await startPostgres();
	world = await startWorld({
		env: {
			N8N_ENABLED_MODULES: 'engine-v2',
			N8N_ENGINE_DATABASE_URL: `postgres://n8n@127.0.0.1:${postgres.port}/n8n`,
		},
	});
});
afterAll(async () => {
	await world?.stop();
	await postgres?.remove();
});

/** A workflow that n8n's Engine 2.0 runs. */
const create = async (...steps: INode[]): Promise<string> => {
	const { id } = await world.n8n.api.createWorkflow({
		...workflow('In Engine 2.0', steps),
		settings: { executionOrder: 'v1', engineType: 'v2' },
	});
	return id;
};

nightly.test('a text is sent, and a question is refused before it is', async () => {
	const { api } = world.n8n;
	const send = { resource: 'message', operation: 'send', to: byPhone('+90 555 123 45 67'), message: 'Hello' };

	const sent = await api.run(await create(manualTrigger(), messagingChannel('Send', send, world.credential)));
	const asked = await api.run(await create(manualTrigger(), askNode(world)));

	expect([sent.status, asked.status, asked.error?.message]).toEqual([
		'success',
		'error',
		"'Operation' cannot wait for a response in n8n's Engine 2.0",
	]);
	// UUIDs: how the node knows which engine runs it.
	expect(sent.id).toMatch(/^[0-9a-f-]{36}$/);
	expect(await texts(world)).toEqual(['Hello']);
});

nightly.test.each<[string, INodeParameters]>([
	['by webhook', {}],
	['by polling', { listen: 'poll', events: ['message.received'] }],
])('a trigger that listens %s is not published', async (_, parameters) => {
	const id = await create(messagingChannelTrigger(parameters, world.credential));

	await expect(world.n8n.api.activate(id)).rejects.toThrow("The workflow is set to n8n's Engine 2.0");
	expect((await world.service.control.webhook()).config).toBeNull();
});
