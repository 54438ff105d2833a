import { itemsNode, manualTrigger, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
afterAll(async () => await world?.stop());

/** Time enough for a busy n8n to begin the send, and less than the service holds an answer back. */
const TIME_LIMIT_S = 40;

const ITEMS = Array.from({ length: 8 }, (_, row) => ({
	to: `9055522${10_000 + row}`,
	message: `Text ${row}`,
}));

test('a time limit fails the node, and a retry runs it again, for what is missing', async () => {
	const { n8n, service, credential } = world;
	const accepted = async () => (await service.control.accepted()).map(({ body }) => body);
	const textsUpTo = (count: number) => ITEMS.slice(0, count).map(({ message }) => message);
	await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
	await service.control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after', skip: 3 });
	const send = messagingChannel(
		'Send',
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
			message: '={{ $json.message }}',
			options: { maxConcurrency: 1 },
		},
		credential,
	);
	const steps = [manualTrigger(), ...itemsNode(ITEMS), send, node('After', 'n8n-nodes-base.noOp')];
	const definition = workflow('With a time limit', steps);
	const { settings } = definition;
	const { id } = await n8n.api.createWorkflow({
		...definition,
		settings: { ...settings, executionTimeout: TIME_LIMIT_S },
	});

	const stopped = await n8n.api.run(id);

	expect(stopped.status).toBe('canceled');
	expect(stopped.error).toMatchObject({
		message: 'The execution was stopped or reached its time limit',
		description: expect.stringContaining('may have been sent'),
	});
	expect(stopped.items('After')).toEqual([]);
	expect(await accepted()).toEqual(textsUpTo(4));

	await service.control.clearFaults();
	await n8n.api.updateWorkflow(id, { settings });
	const retried = await n8n.api.retryExecution(stopped.id, { withCurrentWorkflow: true });

	expect(retried.status).toBe('success');
	expect(retried.items('After').map(({ json }) => json.outcome)).toEqual([
		...Array<string>(3).fill('already_sent'),
		'verified',
		...Array<string>(4).fill('queued'),
	]);
	expect(await accepted()).toEqual(textsUpTo(8));
});
