import { createHash, randomBytes } from 'node:crypto';

import manifest from '../../package.json';
import { FINE } from '../support/checkSetup';
import type { QueueWorld } from '../support/cluster/queueWorld';
import { fileNode, itemsNode, messagingChannel, webhookNode, workflow } from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import { session } from '../support/n8n/session';
import { eventually } from '../support/poll';
import { ask, outcome } from '../support/world/asking';
import { activateTrigger, receivedTexts, removeTrigger } from '../support/world/triggerWorld';

/** What n8n's report of version 3 says of n8n 2 itself, in a container or not. */
const OF_EVERY_N8N = [
	'compression-node-limits-v3',
	'docker-only-deployment-v3',
	'offload-manual-executions-v3',
	'task-runner-task-timeout-v3',
	'workflow-import-url-removed-v3',
];

const CUSTOMER = '905551234567';

const SIZE = 1024 * 1024;

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** What a worker does with files, the setup and questions that other processes know of. */
export function workers(world: () => QueueWorld): void {
	beforeAll(async () => await world().service.control.setSendDelay({ minMs: 0, maxMs: 0 }));

	test('every process of the compose file installs the package in the version of the file', async () => {
		const { main, webhookProcessors, workers, postgres } = world().cluster;
		const installed = await postgres.query(
			'SELECT "packageName", "installedVersion" FROM installed_packages',
		);
		expect(installed).toEqual([{ packageName: manifest.name, installedVersion: manifest.version }]);
		for (const part of [main, ...webhookProcessors, ...workers])
			await eventually(
				() => part.logs(),
				(logs) => logs.includes(`Community package installed: ${manifest.name}`),
			);
	});

	test("n8n's report of version 3 finds nothing in the settings of the compose file", async () => {
		const { rest } = session(`http://127.0.0.1:${world().cluster.main.port}`);
		const { report } = await rest<{ report: { instanceResults: Array<{ ruleId: string }> } }>(
			'POST',
			'/breaking-changes/report/refresh?version=v3',
		);
		const found = report.instanceResults.map(({ ruleId }) => ruleId);
		expect(found).toContain('workflow-import-url-removed-v3');
		expect(found.filter((ruleId) => !OF_EVERY_N8N.includes(ruleId))).toEqual([]);
	});

	test('a file goes from a worker to the service and back, and is read where no worker is', async () => {
		const { api, url } = world().cluster;
		const file = randomBytes(SIZE);
		const steps = [
			webhookNode('media'),
			itemsNode([{ base64: file.toString('base64') }]),
			fileNode({ fileName: 'clip.mp4', mimeType: 'video/mp4' }),
			messagingChannel(
				'Send',
				{
					resource: 'media',
					operation: 'send',
					to: byPhone(CUSTOMER),
					mediaSource: 'binary',
				},
				world().credential,
			),
			messagingChannel(
				'Messages',
				{
					resource: 'chat',
					operation: 'getMessages',
					chatId: { __rl: true, mode: 'id', value: `${CUSTOMER}@c.us` },
					limit: 1,
				},
				world().credential,
			),
			messagingChannel(
				'Download',
				{ resource: 'media', operation: 'downloadFromMessage', messageId: '={{ $json.id }}' },
				world().credential,
			),
		];
		const { id } = await api.createWorkflow(workflow('Media', steps));
		await api.activate(id);

		await fetch(`${url}/webhook/media`, { method: 'POST' });
		const [execution] = await api.waitForExecutions(id, 1);

		expect(execution?.error).toBeUndefined();
		const [upload] = await world().service.control.requests({ operationId: 'media.send' });
		expect(upload?.multipart?.file?.sha256).toBe(sha256(file));
		const binary = execution?.items('Download')[0]?.binary?.data;
		if (!binary) throw new Error('Nothing was downloaded');
		// What n8n keeps files in when nothing is set: every process can read it, and no license is needed.
		expect(binary.id).toMatch(/^database:/);
		expect(sha256(await api.download(binary))).toBe(sha256(file));
	});

	test('a worker checks the setup, and asks the process that receives the events', async () => {
		const { api, url } = world().cluster;
		const { control } = world().service;
		const listens = await activateTrigger(world(), { events: ['message.received'] });
		await control.incomingMessage({ from: CUSTOMER, body: 'Hello' });
		await control.idle();
		const report = { resource: 'account', operation: 'checkSetup', options: { sendTestEvent: true } };
		const steps = [webhookNode('check'), messagingChannel('Check', report, world().credential)];
		const checks = workflow('Checks', steps);
		const settings = { ...checks.settings, timezone: 'Europe/Istanbul' };
		const { id } = await api.createWorkflow({ ...checks, settings });
		await api.activate(id);

		await fetch(`${url}/webhook/check`, { method: 'POST' });
		const [execution] = await api.waitForExecutions(id, 1);

		const rows = execution?.items('Check').map(({ json }) => json) ?? [];
		expect(Object.fromEntries(rows.map(({ check, status }) => [check, status]))).toEqual(FINE);
		const details = Object.fromEntries(rows.map(({ check, detail }) => [check, detail]));
		expect(details).toMatchObject({
			'n8n Address': expect.stringMatching(/, through a proxy\.$/) as string,
			Receivers: "workflow 'Listens'.",
			'Signing Secret': 'The sample event arrived, and its signature is right.',
		});
		await removeTrigger(world(), listens);
	});

	test('a question that one worker asked is answered by a message that comes through another process', async () => {
		const { control } = world().service;
		const options = { takeAnswers: true };
		const listens = await activateTrigger(world(), { events: ['message.received'], options });
		const [first, ...workers] = world().cluster.workers;

		for (const approved of [true, false]) {
			const execution = await ask(world(), {
				message: `Ship it? ${approved}`,
				approvalOptions: { values: { approvalType: 'double' } },
				options: { answerInChat: true },
			});
			expect(execution.status).toBe('waiting');
			await control.idle();
			// The worker that has asked may be this one.
			if (approved) await first?.kill();
			await control.incomingMessage({ from: CUSTOMER, body: approved ? 'Approve' : 'Decline' });
			await control.idle();

			expect(await outcome(world(), execution)).toMatchObject({
				status: 'success',
				items: [
					{
						json: {
							data: { approved, respondedAt: expect.any(String), respondedBy: `${CUSTOMER}@c.us` },
						},
					},
				],
			});
			if (approved) await first?.start();
		}
		expect(workers.length).toBeGreaterThan(0);
		await control.incomingMessage({ from: CUSTOMER, body: 'Thanks' });
		const received = await eventually(
			async () => await receivedTexts(world(), listens, 3),
			(texts) => texts.length > 0,
		);
		expect(received).toEqual(['Thanks']);
		await removeTrigger(world(), listens);
	});
}
