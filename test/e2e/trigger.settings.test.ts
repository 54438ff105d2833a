import type { INode, INodeParameters } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { messagingChannelTrigger, node, workflow } from '../support/n8n/workflow';
import { eventually } from '../support/poll';
import { deliver, removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];

beforeAll(async () => {
	// n8n then leaves a published trigger alone of which only the settings change.
	world = await startWorld({
		env: { ...withLegacyExpressions, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true' },
	});
});
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
});
afterAll(async () => await world?.stop());

const BUSY = { options: { combineEvents: 'whenBusy' } };
const SETTINGS = { alwaysOutputData: true, executeOnce: true, onError: 'continueRegularOutput' } as const;

const succeeded = async (id: string) =>
	(await world.n8n.api.executions(id)).filter(({ status }) => status === 'success');

/** A workflow with a trigger whose settings can be changed. */
const create = async (parameters: INodeParameters) => {
	const trigger = messagingChannelTrigger({ events: ['message.received'], ...parameters }, world.credential);
	const withSettings = (changed: Partial<INode>) =>
		workflow('Listens', [{ ...trigger, ...changed }, node('Next', 'n8n-nodes-base.noOp')]);
	const { id } = await world.n8n.api.createWorkflow(withSettings({}));
	ids.push(id);
	return {
		publish: async (changed: Partial<INode>) => {
			await world.n8n.api.updateWorkflow(id, withSettings(changed));
			await world.n8n.api.activate(id);
		},
		executed: async () => await succeeded(id),
		/** What the node behind the trigger got. */
		ran: async () => {
			const runs = await Promise.all(
				(await succeeded(id)).map(async (each) => await world.n8n.api.execution(each.id)),
			);
			return runs.map((run) => run.items('Next').map(({ json }) => json.event_id ?? json));
		},
	};
};

test.each(['when it is published', 'afterwards'])('settings turned on %s change nothing', async (when) => {
	const { publish, executed, ran } = await create(BUSY);
	await publish(when === 'afterwards' ? {} : SETTINGS);
	await publish(SETTINGS);
	const ids = ['first', 'second', 'third', 'fourth'].map((id) => `${when} ${id}`);

	const deliveries = ids.map(async (eventId) => (await deliver(world, { eventId })).status);
	expect(await Promise.all(deliveries)).toEqual([200, 200, 200, 200]);
	await eventually(ran, (runs) => runs.flat().length >= ids.length);
	const executions = (await executed()).length;
	// Their execution only reports them, and puts nothing out.
	for (let count = 0; count < 5; count++)
		expect((await deliver(world, { signature: 'other-key' })).status).toBe(401);
	await eventually(executed, ({ length }) => length > executions);

	expect((await ran()).flat().sort()).toEqual([...ids].sort());
});
