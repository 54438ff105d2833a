import { nightly } from '../support/nightly';
import { underTest } from '../support/n8n/version';
import { messagingChannel, messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { executionsAfterPause, receivedTexts } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } });
});
afterAll(async () => await world?.stop());
afterEach(async () => await world?.service.control.reset());

/** One execution at a time, which takes so long. */
const RUN_MS = 3_000;
const MESSAGES = ['1', '2', '3', '4', '5'];

/** n8n stores an execution, holds it back until a slot is free, and answers only then. */
nightly.test('events that n8n holds back, and that are delivered again, run once each', async () => {
	const { service, n8n, credential } = world;
	const slow = messagingChannel('Slow', { resource: 'group', operation: 'getAll' }, credential);
	const { id } = await n8n.api.createWorkflow(
		workflow('Busy', [messagingChannelTrigger({}, credential), slow]),
	);
	await n8n.api.activate(id);
	await service.control.addFault({
		operationId: 'group.getAll',
		kind: 'delay',
		ms: RUN_MS,
		times: 'always',
	});
	const impatient = { maxAttempts: 11, backoffMs: 250, timeoutMs: 700 };
	await service.control.setRedelivery(impatient);

	for (const body of MESSAGES) await service.control.incomingMessage({ from: '905551112233', body });

	expect((await receivedTexts(world, id, MESSAGES.length)).sort()).toEqual(MESSAGES);
	// Then n8n is free, and the last delivery of each is answered, however busy the machine.
	await service.control.setRedelivery({ ...impatient, timeoutMs: 30_000 });
	await service.control.idle({ timeoutMs: 280_000 });
	expect(await executionsAfterPause(world, id)).toHaveLength(MESSAGES.length);
	const deliveries = await service.control.deliveries({ event: 'message.received' });
	const attempts = deliveries.filter(({ source }) => source === 'event').map(({ attempts }) => attempts);
	// n8n 1.x answers before it looks for a slot, so that there nothing is delivered again.
	const deliveredAgain = attempts.filter(({ length }) => length > 2);
	expect(deliveredAgain.length > 2).toBe(underTest.has.includes('storingBeforeAnswering'));
	expect(attempts.map((of) => of.at(-1)?.status)).toEqual(MESSAGES.map(() => 200));
	expect(await service.control.requests({ operationId: 'group.getAll' })).toHaveLength(MESSAGES.length);
	await n8n.api.deactivate(id);
});
