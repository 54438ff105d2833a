import type { INodeParameters } from 'n8n-workflow';

import { ask, outcome } from '../support/world/asking';
import { activateTrigger, receivedTexts, removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
	expect((await world?.service.control.defects()) ?? []).toEqual([]);
});
afterAll(async () => await world?.stop());

const CUSTOMER = '905551234567';
const respondedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

const activated = async (options: INodeParameters = {}, more: INodeParameters = {}) => {
	const id = await activateTrigger(world, { events: ['message.received'], options, ...more });
	ids.push(id);
	return id;
};
const askInChat = async (message = 'Ship order 7?') => {
	const execution = await ask(world, {
		message,
		approvalOptions: { values: { approvalType: 'double' } },
		options: { answerInChat: true },
	});
	expect(execution.status).toBe('waiting');
	await world.service.control.idle();
	return execution;
};
const write = async (body: string) => {
	const written = await world.service.control.incomingMessage({ from: CUSTOMER, body });
	await world.service.control.idle();
	return written;
};
const answered = (approved: boolean) => ({
	status: 'success',
	items: [
		{
			json: { data: { approved, respondedAt, respondedBy: `${CUSTOMER}@c.us` } },
			pairedItem: { item: 0 },
		},
	],
});

test('a question is answered in the chat after n8n was restarted, once, and other messages start the workflow', async () => {
	const listens = await activated({ takeAnswers: true });
	const execution = await askInChat();
	await world.n8n.restart();

	await write('Is it heavy?');
	await write('approve!');

	expect(await outcome(world, execution)).toEqual(answered(true));
	await write('Approve');
	expect(await receivedTexts(world, listens, 3)).toEqual(expect.arrayContaining(['Is it heavy?', 'Approve']));
	expect(await receivedTexts(world, listens, 3)).toHaveLength(2);
});

test('a trigger that polls takes answers, too', async () => {
	const listens = await activated({ takeAnswers: true }, { listen: 'poll', pollInterval: 5 });
	const execution = await askInChat();
	await new Promise((resolve) => setTimeout(resolve, 1_100));

	await write('Approve');

	expect(await outcome(world, execution)).toEqual(answered(true));
	expect(await receivedTexts(world, listens, 1)).toEqual([]);
});
