import { createHash, randomBytes } from 'node:crypto';

import { fileNode, itemsNode, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterAll(async () => await world?.stop());

const SIZE = 8 * 1024 * 1024;

test('a file goes from a worker to the service and back, and is read where no worker is', async () => {
	const { api, url } = world.cluster;
	const file = randomBytes(SIZE);
	const steps = [
		node(
			'Webhook',
			'n8n-nodes-base.webhook',
			{ httpMethod: 'POST', path: 'media', options: {} },
			{ typeVersion: 2, webhookId: 'media' },
		),
		itemsNode([{ base64: file.toString('base64') }]),
		fileNode({ fileName: 'clip.mp4', mimeType: 'video/mp4' }),
		messagingChannel(
			'Send',
			{
				resource: 'media',
				operation: 'send',
				to: { __rl: true, mode: 'phone', value: '905551234567' },
				mediaSource: 'binary',
			},
			world.credential,
		),
		messagingChannel(
			'Messages',
			{
				resource: 'chat',
				operation: 'getMessages',
				chatId: { __rl: true, mode: 'id', value: '905551234567@c.us' },
				limit: 1,
			},
			world.credential,
		),
		messagingChannel(
			'Download',
			{ resource: 'media', operation: 'downloadFromMessage', messageId: '={{ $json.id }}' },
			world.credential,
		),
	];
	const { id } = await api.createWorkflow(workflow('Media', steps));
	await api.activate(id);

	await fetch(`${url}/webhook/media`, { method: 'POST' });
	const [execution] = await api.waitForExecutions(id, 1);

	expect(execution?.error).toBeUndefined();
	const [upload] = await world.service.control.requests({ operationId: 'media.send' });
	expect(upload?.multipart?.file?.sha256).toBe(sha256(file));
	const binary = execution?.items('Download')[0]?.binary?.data;
	if (!binary) throw new Error('Nothing was downloaded');
	// What n8n keeps files in when nothing is set: every process can read it, and no licence is needed.
	expect(binary.id).toMatch(/^database:/);
	expect(sha256(await api.download(binary))).toBe(sha256(file));
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
