import type { INode } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { itemsNode, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { settledCount, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { setTimeout as sleep } from 'node:timers/promises';

const SENDS = Number(process.env.QUEUE_SENDS ?? 2_000);
/** Each is an execution of its own, so that a worker runs several at once. */
const EXECUTIONS = 20;
const WINDOW = { limit: 100, windowSeconds: 2 };

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld({ workers: 4, env: withLegacyExpressions });
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterAll(async () => await world?.stop());

function startedByRequest(path: string): INode {
	return node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', path, options: {} },
		{ typeVersion: 2, webhookId: path },
	);
}

/** A workflow that sends its share of all messages, active. */
async function createSender(path: string): Promise<string> {
	const items = Array.from({ length: SENDS / EXECUTIONS }, (_, number) => ({ number }));
	const send = messagingChannel(
		'Send',
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: '={{ 905551000000 + $json.number }}' },
			message: '={{ $execution.id }} {{ $json.number }}',
		},
		world.credential,
	);
	const { id } = await world.cluster.api.createWorkflow(
		workflow(path, [startedByRequest(path), ...itemsNode(items), send]),
	);
	await world.cluster.api.activate(id);
	return id;
}

test.each([4, 2, 1])('executions on %d workers share the rate window of the account', async (workers) => {
	for (const surplus of world.cluster.workers.slice(workers)) await surplus.stop();
	await world.service.control.clearRequests();
	await world.service.control.setRateLimit(WINDOW);
	const takenBefore = (await world.service.control.accepted()).length;
	const path = `send-on-${workers}`;
	const id = await createSender(path);
	const started = Date.now();
	for (let number = 0; number < EXECUTIONS; number++) {
		const response = await fetch(`${world.cluster.url}/webhook/${path}`, { method: 'POST' });
		expect(response.status).toBe(200);
	}
	while ((await settledCount(world, id)) < EXECUTIONS) await sleep(100);
	const seconds = (Date.now() - started) / 1000;

	const statuses = (await world.service.control.requests({ operationId: 'message.send' })).map(
		({ status }) => status,
	);
	const refused = statuses.filter((status) => status === 429).length;
	const ideal = (SENDS / WINDOW.limit) * WINDOW.windowSeconds;
	console.log(
		`${SENDS} messages in ${EXECUTIONS} executions on ${workers} workers: ${refused} × 429, ` +
			`${seconds.toFixed(1)} s (at best ${ideal - WINDOW.windowSeconds})`,
	);
	const executions = await world.cluster.api.executions(id);
	expect(executions.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
	expect((await world.service.control.accepted()).length - takenBefore).toBe(SENDS);
	// In the first window nobody knows yet how many others there are.
	expect(refused).toBeLessThanOrEqual(WINDOW.limit + SENDS / 50);
});
