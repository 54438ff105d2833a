import type { INode, INodeParameters } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { messagingChannelTrigger, node, workflow } from '../support/n8n/workflow';
import { eventually } from '../support/poll';
import { deliver, executionsAfterPause, messageBody, removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];

beforeAll(async () => {
	// n8n then leaves a trigger alone of which only the settings have changed, so the trigger cannot refuse them.
	world = await startWorld({
		env: { ...withLegacyExpressions, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true' },
	});
});
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
});
afterAll(async () => await world?.stop());

const BUSY = { options: { combineEvents: 'whenBusy' } };
const ALWAYS = { alwaysOutputData: true, onError: 'continueRegularOutput' } as const;

/** A workflow with a trigger whose settings can be changed. */
const create = async (parameters: INodeParameters = {}, settings: Partial<INode> = {}) => {
	const trigger = messagingChannelTrigger({ events: ['message.received'], ...parameters }, world.credential);
	const withSettings = (changed: Partial<INode>) =>
		workflow('Listens', [{ ...trigger, ...changed }, node('Next', 'n8n-nodes-base.noOp')]);
	const { id } = await world.n8n.api.createWorkflow(withSettings(settings));
	ids.push(id);
	return {
		id,
		publish: async (changed: Partial<INode> = settings) => {
			await world.n8n.api.updateWorkflow(id, withSettings(changed));
			await world.n8n.api.activate(id);
		},
		/** The executions that came to their end, by what the node behind the trigger got. */
		ran: async () => {
			const executions = await world.n8n.api.executions(id);
			const succeeded = executions.filter(({ status }) => status === 'success');
			const runs = await Promise.all(succeeded.map(async (each) => await world.n8n.api.execution(each.id)));
			return runs.map((run) => run.items('Next').map(({ json }) => json.event_id ?? json));
		},
		failures: async () => {
			const executions = await world.n8n.api.executions(id);
			const failed = executions.filter(({ status }) => status === 'error');
			const runs = await Promise.all(failed.map(async (each) => await world.n8n.api.execution(each.id)));
			return runs.map((run) => run.error?.message);
		},
	};
};

test('publishing refuses in words', async () => {
	const refusalOf = async (parameters: INodeParameters, settings: Partial<INode>) => {
		const { publish } = await create(parameters, settings);
		return await publish().catch(({ message }: Error) => message);
	};

	expect(
		await Promise.all([
			refusalOf({}, { alwaysOutputData: true }),
			refusalOf({ listen: 'poll' }, ALWAYS),
			refusalOf(BUSY, { executeOnce: true }),
		]),
	).toEqual([
		expect.stringContaining("With 'Always Output Data', n8n "),
		expect.stringContaining("With 'Always Output Data', n8n "),
		expect.stringContaining("With 'Execute Once', n8n "),
	]);
	expect((await world.service.control.webhook()).config?.is_active).not.toBe(true);
});

test('of a setting that changes later, forged events start nothing, and a real one waits until it is off', async () => {
	const { id, publish, ran, failures } = await create();
	await publish();
	await publish(ALWAYS);

	for (let count = 0; count < 5; count++)
		expect((await deliver(world, { signature: 'other-key' })).status).toBe(401);
	const [first, second] = [messageBody(), messageBody()];
	expect((await deliver(world, { body: first, eventId: 'first' })).status).toBe(503);
	expect((await deliver(world, { body: second, eventId: 'second' })).status).toBe(503);

	// Which of the two n8n stores first is left open.
	await eventually(failures, (messages) => messages.length >= 2);
	await executionsAfterPause(world, id);
	expect([await ran(), (await failures()).sort()]).toEqual([
		[],
		[expect.stringMatching(/'Signing Secret'/), expect.stringMatching(/^With 'Always Output Data'/)],
	]);
	expect(world.n8n.logs()).toContain("An event was held back: With 'Always Output Data'");

	await publish({});
	expect((await deliver(world, { body: first, eventId: 'first' })).status).toBe(200);
	await eventually(ran, (runs) => runs.length === 1);
	expect(await ran()).toEqual([['first']]);
});
