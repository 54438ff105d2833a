import { settledCount, type QueueWorld } from '../support/cluster/queueWorld';
import {
	itemsNode,
	messagingChannel,
	webhookNode,
	workflow,
	type CredentialReference,
} from '../support/n8n/workflow';
import { sampled } from '../support/nightly';
import { poll } from '../support/poll';
import { requestTo } from './request';

const SENDS = sampled(400, 2_000);
/** Each is an execution of its own, so that a worker runs several at once. */
const EXECUTIONS = 20;
const WINDOW = { limit: 100, windowSeconds: 2 };

/** Executions that send at once. It ends all workers but two. */
export function rateWindow(world: () => QueueWorld): void {
	let account: CredentialReference;

	beforeAll(async () => {
		const { control, origin: baseUrl } = world().service;
		await control.setSendDelay({ minMs: 0, maxMs: 0 });
		// n8n knows no rate window of another account yet.
		const { apiKey } = await control.createKey({ permissions: ['messages:send'] });
		const { api } = world().cluster;
		account = await api.createCredential('messagingChannelApi', 'Another account', { baseUrl, apiKey });
	});

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
			account,
		);
		const { id } = await world().cluster.api.createWorkflow(
			workflow(path, [webhookNode(path), ...itemsNode(items), send]),
		);
		await world().cluster.api.activate(id);
		return id;
	}

	test.each(sampled([2], [4, 2]))(
		'those on %d workers share the rate window of the account',
		async (workers) => {
			for (const surplus of world().cluster.workers.slice(workers)) await surplus.stop();
			await world().service.control.clearRequests();
			await world().service.control.setRateLimit(WINDOW);
			const takenBefore = (await world().service.control.accepted()).length;
			const path = `send-on-${workers}`;
			const id = await createSender(path);
			const started = Date.now();
			for (let number = 0; number < EXECUTIONS; number++) await requestTo(world(), path);
			await poll(async () => (await settledCount(world(), id)) >= EXECUTIONS, {
				timeoutMs: 300_000,
				failure: 'executions did not end',
			});
			const seconds = (Date.now() - started) / 1000;

			const statuses = (await world().service.control.requests({ operationId: 'message.send' })).map(
				({ status }) => status,
			);
			const refused = statuses.filter((status) => status === 429).length;
			const ideal = (SENDS / WINDOW.limit) * WINDOW.windowSeconds;
			console.log(
				`${SENDS} messages in ${EXECUTIONS} executions on ${workers} workers: ${refused} × 429, ` +
					`${seconds.toFixed(1)} s (at best ${ideal - WINDOW.windowSeconds})`,
			);
			const executions = await world().cluster.api.executions(id);
			expect(executions.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
			expect((await world().service.control.accepted()).length - takenBefore).toBe(SENDS);
			// In the first window nobody knows yet how many others there are.
			expect(refused).toBeLessThanOrEqual(WINDOW.limit + SENDS / 50);
		},
	);
}
