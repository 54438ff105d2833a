import type { INodeParameters } from 'n8n-workflow';

import { itemsNode, manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
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

// With the current workflow, timeLimit.test.ts retries.
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
