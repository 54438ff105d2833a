import { withEagerExpressions } from '../support/n8n/environment';
import {
	activateTrigger,
	deliver,
	executionsAfterPause,
	messageBody,
	removeTrigger,
	TRIGGER,
} from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
let workflowId: string;

beforeAll(async () => {
	world = await startWorld({ env: withEagerExpressions });
});
afterAll(async () => await world?.stop());

describe('an active trigger', () => {
	beforeAll(async () => {
		workflowId = await activateTrigger(world);
	});
	afterAll(async () => await removeTrigger(world, workflowId));

	test('is registered with its address, events and timeout', async () => {
		const { config } = await world.service.control.webhook();
		expect(config).toEqual({
			url: expect.stringMatching(`^${world.n8n.url}/webhook/[\\w-]+/webhook$`),
			events: ['message.received'],
			is_active: true,
			timeout_seconds: 30,
		});
	});

	test('starts the workflow with the event as the service signed it', async () => {
		const { eventId } = await world.service.control.incomingMessage({
			from: '905551112233',
			body: 'Grüße 👋',
		});
		await world.service.control.idle();
		const [delivery] = await world.service.control.deliveries({ eventId });
		expect(delivery?.attempts.map(({ status }) => status)).toEqual([200]);

		const [execution] = await world.n8n.api.waitForExecutions(workflowId, 1);
		expect(execution).toMatchObject({ status: 'success', mode: 'webhook' });
		const timestamp = Number(delivery?.attempts[0]?.headers['X-Service-Timestamp']);
		expect(execution?.items(TRIGGER).map(({ json }) => json)).toEqual([
			{
				...(JSON.parse(delivery?.body ?? '') as object),
				event_id: eventId,
				delivered_at: new Date(timestamp * 1000).toISOString(),
			},
		]);
	});

	const invalidSignature = { status: 401, responseBody: '{"error":"invalid_signature"}' };
	const bodyOf = (text: string) => messageBody({ id: 'fixed', body: text });
	const signatureOf = async (body: string) => {
		const attempt = await deliver(world, { body, url: `${world.service.origin}/nowhere` });
		return attempt.headers['X-Service-Signature'] ?? '';
	};

	test('answers 401 when the body was changed after signing, and starts nothing', async () => {
		const before = await world.n8n.api.executions(workflowId);
		const headers = { 'X-Service-Signature': await signatureOf(bodyOf('Pay 10')) };
		expect(await deliver(world, { body: bodyOf('Pay 90'), headers })).toMatchObject(invalidSignature);
		// The same JSON, written otherwise: the bytes are signed, not what they mean.
		const spaced = JSON.stringify(JSON.parse(bodyOf('Pay 10')), null, 1);
		expect(await deliver(world, { body: spaced, headers })).toMatchObject(invalidSignature);
		expect(await executionsAfterPause(world, workflowId)).toEqual(before);
	});
});

describe('activation', () => {
	test('unregisters when it ends', async () => {
		const id = await activateTrigger(world);
		expect((await world.service.control.webhook()).config?.is_active).toBe(true);
		await world.n8n.api.deactivate(id);
		expect((await world.service.control.webhook()).config?.is_active).toBe(false);
		await removeTrigger(world, id);
	});
});
