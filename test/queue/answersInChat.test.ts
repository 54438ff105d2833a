import type { INodeParameters } from 'n8n-workflow';

import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { itemsNode, manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import { eventually } from '../support/service/testing';
import { activateTrigger, receivedTexts } from '../support/world/triggerWorld';

jest.setTimeout(600_000);

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld();
});
afterAll(async () => await world?.stop());

const CUSTOMER = '905551234567';

/** Asks, and waits until the chat shows the question. */
async function ask(message: string): Promise<string> {
	const { n8n, credential, service } = world;
	const parameters: INodeParameters = {
		to: byPhone(CUSTOMER),
		message,
		approvalOptions: { values: { approvalType: 'double' } },
		options: { answerInChat: true },
	};
	const question = { resource: 'message', operation: 'sendAndWait', ...parameters };
	const steps = [manualTrigger(), ...itemsNode([{}]), messagingChannel('Ask', question, credential)];
	const { id } = await n8n.api.createWorkflow(workflow('Asking', steps));
	const execution = await n8n.api.run(id);
	expect(execution.status).toBe('waiting');
	await service.control.idle();
	return execution.id;
}

test('a question that one worker asked is answered by a message that comes through another process', async () => {
	const { control } = world.service;
	await control.setSendDelay({ minMs: 0, maxMs: 0 });
	const options = { takeAnswers: true };
	const listens = await activateTrigger(world, { events: ['message.received'], options });
	const [first, ...workers] = world.cluster.workers;

	for (const approved of [true, false]) {
		const execution = await ask(`Ship it? ${approved}`);
		// The worker that has asked may be this one.
		if (approved) await first?.kill();
		await control.incomingMessage({ from: CUSTOMER, body: approved ? 'Approve' : 'Decline' });
		await control.idle();

		const ended = await world.n8n.api.waitForEnd(execution);

		expect([ended.status, ended.items('Ask').map(({ json }) => json)]).toEqual([
			'success',
			[{ data: { approved, respondedAt: expect.any(String), respondedBy: `${CUSTOMER}@c.us` } }],
		]);
		if (approved) await first?.start();
	}
	expect(workers.length).toBeGreaterThan(0);
	await control.incomingMessage({ from: CUSTOMER, body: 'Thanks' });
	const received = await eventually(
		async () => await receivedTexts(world, listens, 3),
		(texts) => texts.length > 0,
	);
	expect(received).toEqual(['Thanks']);
});
