import type { INode, INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { withLegacyExpressions } from '../support/n8n/environment';
import { underTest } from '../support/n8n/version';
import { messagingChannelTrigger, node, workflow } from '../support/n8n/workflow';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';
import {
	activateTrigger,
	createTrigger,
	deliver,
	removeTrigger,
	rotateSecret,
	TRIGGER,
} from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

// The others run without it, so that a publication is over when it is answered.
describe('n8n as users have it, with its publication service', () => {
	let world: World;
	const ids: string[] = [];
	const api = callerOf(() => world.service);
	const url = async () => (await world.service.control.webhook()).config?.url;
	const replace = { options: { ifWebhookExists: 'replace' } };

	beforeAll(async () => {
		world = await startWorld({
			env: { ...withLegacyExpressions, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true' },
		});
	});
	afterAll(async () => await world?.stop());
	afterEach(async () => {
		for (const id of ids.splice(0)) await removeTrigger(world, id);
		if (!world) return;
		await api('DELETE', '/webhooks');
		await world.service.control.configure({ sample: {} });
	});

	const eventIds = async (id: string, count: number) =>
		(await world.n8n.api.waitForExecutions(id, count)).flatMap((execution) =>
			execution.items(TRIGGER).map(({ json }) => json.event_id),
		);

	test('ends the webhook to publish again, but not for a trigger that it sees is unchanged', async () => {
		const trigger = {
			...messagingChannelTrigger({}, world.credential),
			id: 'unchanged',
			webhookId: 'unchanged',
		};
		const { id } = await world.n8n.api.createWorkflow(workflow('Listens', [trigger]));
		ids.push(id);
		await world.n8n.api.activate(id);
		await world.service.control.clearRequests();

		const rest = node('After it', 'n8n-nodes-base.noOp');
		await world.n8n.api.updateWorkflow(id, workflow('Listens', [trigger, rest]));
		await world.n8n.api.activate(id);

		const operations = (await world.service.control.requests()).map(({ operationId }) => operationId);
		const isLeftAlone = underTest.has.includes('publicationService');
		expect(operations.includes('webhook.delete')).toBe(!isLeftAlone);
	});

	test('has each event that finds the webhook run once while a workflow is published again and again', async () => {
		const { control } = world.service;
		const trigger = (timeoutSeconds: number) => ({
			...messagingChannelTrigger({ options: { timeoutSeconds } }, world.credential),
			id: 'the-trigger',
			webhookId: 'again',
		});
		const id = await createTrigger(world);
		ids.push(id);
		await world.n8n.api.updateWorkflow(id, workflow('Listens', [trigger(10)]));
		await world.n8n.api.activate(id);
		const sent: string[] = [];
		let isOver = false;
		const customers = async () => {
			while (!isOver) {
				sent.push((await control.incomingMessage({ from: '905551112233' })).eventId);
				await sleep(50);
			}
		};
		const publishAgain = async () => {
			for (let timeout = 11; timeout < 16; timeout++) {
				await world.n8n.api.updateWorkflow(id, workflow('Listens', [trigger(timeout)]));
				await world.n8n.api.activate(id);
			}
		};
		await control.clearRequests();

		await Promise.all([customers(), publishAgain().finally(() => (isOver = true))]);
		await control.idle({ timeoutMs: 280_000 });

		const records = (await control.deliveries()).filter(({ eventId }) => sent.includes(eventId));
		const delivered = records.filter((record) => record.delivered).map(({ eventId }) => eventId);
		const ran = (await eventIds(id, delivered.length)).sort();
		expect(ran).toEqual([...new Set(ran)]);
		// On a busy machine, the answer to one that ran can be lost.
		expect(delivered.filter((eventId) => !ran.includes(eventId))).toEqual([]);

		// On a busy machine, the trigger also looks for missed messages meanwhile.
		const requests = (await control.requests()).filter(({ operationId }) =>
			operationId?.startsWith('webhook.'),
		);
		const gaps = requests.flatMap((request, index) => {
			if (request.operationId !== 'webhook.delete') return [];
			const set = requests.findIndex(({ operationId }, at) => at > index && operationId === 'webhook.set');
			const between = requests.slice(index + 1, set).map(({ operationId }) => operationId);
			expect(between).toEqual(['webhook.get']);
			const asked = requests[index + 1]?.receivedAt ?? NaN;
			return [[asked - request.receivedAt, (requests[set]?.receivedAt ?? NaN) - asked]];
		});
		expect(gaps).toHaveLength(5);
		console.log(
			`Without a webhook: ${gaps.map(([n8n, ours]) => `${n8n} ms until n8n calls, ${ours} ms until it is set`).join('; ')}. ` +
				`Of ${sent.length} events ${sent.length - records.length} found none.`,
		);
	});

	test('runs a message that comes while it publishes, when it is delivered again', async () => {
		await rotateSecret(world);
		const { control } = world.service;
		await control.setRedelivery({ maxAttempts: 11, backoffMs: 250 });
		await control.configure({ sample: { sent: 'never', messagesBefore: 1 } });

		const id = await activateTrigger(world);
		ids.push(id);
		await control.idle({ timeoutMs: 280_000 });

		const [message] = (await control.deliveries()).filter(({ source }) => source === 'event').slice(-1);
		expect(message?.attempts[0]).toMatchObject({ status: 503, responseBody: '{"error":"not_active_yet"}' });
		expect(message?.delivered).toBe(true);
		expect(await eventIds(id, 1)).toEqual([message?.eventId]);
	});

	test('leaves the webhook over a restart to the workflow that was published last', async () => {
		for (let count = 0; count < 3; count++) ids.push(await activateTrigger(world, replace));
		const [first = ''] = ids;
		await world.n8n.api.deactivate(first);
		await world.n8n.api.activate(first);
		const before = await url();

		await world.n8n.restart();

		expect(
			await eventually(
				async () => await deliver(world),
				({ status }) => status === 200,
			),
		).toBeDefined();
		expect(await url()).toBe(before);
		expect(await world.n8n.api.waitForExecutions(first, 1)).toHaveLength(1);
	});

	const BUSY = { options: { combineEvents: 'whenBusy' } };
	const SETTINGS = { alwaysOutputData: true, executeOnce: true, onError: 'continueRegularOutput' } as const;

	const succeeded = async (id: string) =>
		(await world.n8n.api.executions(id)).filter(({ status }) => status === 'success');

	/** A workflow with a trigger whose settings can be changed. */
	const create = async (parameters: INodeParameters) => {
		const trigger = messagingChannelTrigger(
			{ events: ['message.received'], ...parameters },
			world.credential,
		);
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
		const sent = ['first', 'second', 'third', 'fourth'].map((name) => `${when} ${name}`);

		const deliveries = sent.map(async (eventId) => (await deliver(world, { eventId })).status);
		expect(await Promise.all(deliveries)).toEqual([200, 200, 200, 200]);
		await eventually(ran, (runs) => runs.flat().length >= sent.length);
		const executions = (await executed()).length;
		// Their execution only reports them, and puts nothing out.
		for (let count = 0; count < 5; count++)
			expect((await deliver(world, { signature: 'other-key' })).status).toBe(401);
		await eventually(executed, ({ length }) => length > executions);

		expect((await ran()).flat().sort()).toEqual([...sent].sort());
	});
});
