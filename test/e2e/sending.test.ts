import type { INodeParameters } from 'n8n-workflow';

import { itemsNode, manualTrigger, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterAll(async () => await world?.stop());

const SEND = 'Send';

const person = (number: number) => `9055522${String(number).padStart(5, '0')}`;

const texts = (count: number) =>
	Array.from({ length: count }, (_, number) => ({ to: person(number), message: `Text ${number}` }));

const sendNode = (options: INodeParameters) =>
	messagingChannel(
		SEND,
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
			message: '={{ $json.message }}',
			options,
		},
		world.credential,
	);

const acceptedTexts = async () => (await world.service.control.accepted()).map(({ body }) => body).sort();

test('"Retry execution" with the saved workflow sends only what was not sent', async () => {
	const items = texts(20);
	const refused = { operationId: 'message.send', bodyHas: { message: 'Text 7' } };
	await world.service.control.addFault({ kind: 'status', status: 400, ...refused });
	const steps = [manualTrigger(), ...itemsNode(items), sendNode({ maxConcurrency: 4 })];
	const { id } = await world.n8n.api.createWorkflow(workflow('Sending', steps));
	const failed = await world.n8n.api.run(id);
	expect(failed.status).toBe('error');
	const before = await acceptedTexts();
	expect(before.length).toBeGreaterThan(0);

	const retried = await world.n8n.api.retryExecution(failed.id);

	expect(retried.status).toBe('success');
	expect(await acceptedTexts()).toEqual(items.map(({ message }) => message).sort());
	const output = retried.items(SEND).map(({ json }) => json);
	expect(output).toHaveLength(20);
	expect(output.filter(({ already_sent }) => already_sent)).toHaveLength(before.length);
});

/** Time enough for a busy n8n to begin the send, and less than the service holds an answer back. */
const TIME_LIMIT_S = 40;

test('a time limit fails the node, and a retry runs it again, for what is missing', async () => {
	const { n8n, service } = world;
	const items = texts(8);
	const sent = (count: number) => items.slice(0, count).map(({ message }) => message);
	await service.control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after', skip: 3 });
	const send = sendNode({ maxConcurrency: 1 });
	const steps = [manualTrigger(), ...itemsNode(items), send, node('After', 'n8n-nodes-base.noOp')];
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
	expect(await acceptedTexts()).toEqual(sent(4));

	await service.control.clearFaults();
	await n8n.api.updateWorkflow(id, { settings });
	const retried = await n8n.api.retryExecution(stopped.id, { withCurrentWorkflow: true });

	expect(retried.status).toBe('success');
	expect(retried.items('After').map(({ json }) => json.outcome)).toEqual([
		...Array<string>(3).fill('already_sent'),
		'verified',
		...Array<string>(4).fill('queued'),
	]);
	expect(await acceptedTexts()).toEqual(sent(8));
});
