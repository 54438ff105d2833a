import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

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

const sendNode = (options: INodeParameters, extra: Partial<INode> = {}) =>
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
		extra,
	);

/** A workflow that sends the items' messages. */
async function sending(items: IDataObject[], options: INodeParameters = {}, extra: Partial<INode> = {}) {
	const steps = [manualTrigger(), ...itemsNode(items), sendNode(options, extra)];
	return await world.n8n.api.createWorkflow(workflow('Sending', steps));
}

const acceptedTexts = async () => (await world.service.control.accepted()).map(({ body }) => body).sort();

const without = (items: Array<{ message: string }>, ...numbers: number[]) =>
	items
		.map(({ message }) => message)
		.filter((_, number) => !numbers.includes(number))
		.sort();

const spoil = async (message: string, fault: { status: number; times?: number | 'always'; when?: 'after' }) =>
	await world.service.control.addFault({
		kind: 'status',
		operationId: 'message.send',
		bodyHas: { message },
		// Without it, a refusal (429) is waited for until the service's usual window ends.
		headers: { 'X-RateLimit-Reset': '' },
		...fault,
	});

describe('Retry On Fail with 3 tries over 20 items', () => {
	const retrying: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
	const items = texts(20);

	beforeEach(async () => {
		await spoil('Text 0', { status: 400, times: 'always' });
		await spoil('Text 5', { status: 500, times: 'always', when: 'after' });
		await spoil('Text 6', { status: 500, times: 'always' });
		await spoil('Text 7', { status: 429, times: 1 });
	});

	test('sends each message once when the node goes on', async () => {
		const { id } = await sending(
			items,
			{ afterAmbiguousSend: 'fail' },
			{ ...retrying, onError: 'continueRegularOutput' },
		);

		const execution = await world.n8n.api.run(id);

		expect(await acceptedTexts()).toEqual(without(items, 0, 6));
		const sends = await world.service.control.requests({ operationId: 'message.send' });
		const asked = (message: string) =>
			sends.filter(({ body }) => (body as IDataObject).message === message).length;
		// The refused item shows that n8n did try three times.
		expect(['Text 0', 'Text 5', 'Text 6', 'Text 1'].map(asked)).toEqual([3, 1, 1, 1]);
		const output = execution.items(SEND).map(({ json }) => json);
		expect(output).toHaveLength(20);
		expect(output.filter(({ already_sent }) => already_sent)).toHaveLength(17);
		expect(output[0]).toMatchObject({ code: 'validation_error' });
		expect([output[5]?.ambiguous, output[6]?.ambiguous]).toEqual([true, true]);
	});
});

describe.each([
	['with the saved workflow', false],
	['with the current workflow', true],
])('"Retry execution" %s', (_, withCurrentWorkflow) => {
	test('sends only what was not sent', async () => {
		const items = texts(20);
		await spoil('Text 7', { status: 400, times: 1 });
		const { id } = await sending(items, { maxConcurrency: 4 });
		const failed = await world.n8n.api.run(id);
		expect(failed.status).toBe('error');
		const before = await acceptedTexts();
		expect(before.length).toBeGreaterThan(0);

		const retried = await world.n8n.api.retryExecution(failed.id, { withCurrentWorkflow });

		expect(retried.status).toBe('success');
		expect(await acceptedTexts()).toEqual(without(items));
		const output = retried.items(SEND).map(({ json }) => json);
		expect(output).toHaveLength(20);
		expect(output.filter(({ already_sent }) => already_sent)).toHaveLength(before.length);
	});
});
