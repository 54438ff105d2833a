import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ensureInstalledN8n } from '../support/n8n/install';
import { startN8n, type N8n } from '../support/n8n/instance';
import { describeWhere, lacksHumanReview, REVIEW_NODE } from '../support/world/describeWhere';

/** What n8n's workflow builder looks for when people describe their workflow. */
const PROMPTS = [
	'whatsapp',
	'whatsapp chatbot',
	'send whatsapp',
	'send message',
	'send text message',
	'send image message',
	'send voice message',
	'send template',
	'reply',
	'reply to message',
	'broadcast',
	'whatsapp broadcast',
	'bulk message',
	'send a message to many people',
	'campaign',
	'receive message',
	'when a message arrives',
	'delivery status',
	'conversation history',
	'whatsapp memory',
];

/** Searches in n8n's own code, and prints the names of the nodes that it finds for each prompt. */
const SEARCH = `
	const [n8n, nodeTypes, prompts] = process.argv.slice(1);
	const { NodeSearchEngine } = require(require.resolve('@n8n/ai-utilities/node-catalog', { paths: [n8n] }));
	const engine = new NodeSearchEngine(require(nodeTypes));
	const search = (prompt) => engine.searchByName(prompt, 20).map(({ name }) => name);
	console.log(JSON.stringify(Object.fromEntries(JSON.parse(prompts).map((prompt) => [prompt, search(prompt)]))));`;

describe('n8n with the package installed', () => {
	let n8n: N8n;

	beforeAll(async () => {
		n8n = await startN8n({ editor: true });
	});

	afterAll(async () => await n8n?.stop());

	test('offers both nodes, and the action as a tool for agents', async () => {
		const names = (await n8n.api.nodeTypes()).map(({ name }) => name);
		expect(names).toEqual(
			expect.arrayContaining([
				'n8n-nodes-messaging-channel.messagingChannel',
				'n8n-nodes-messaging-channel.messagingChannelTool',
				'n8n-nodes-messaging-channel.messagingChannelTrigger',
			]),
		);
	});

	describeWhere(
		'humanReview',
		() => {
			test('is offered the action for it', async () => {
				const type = (await n8n.api.nodeTypes()).find(({ name }) => name === REVIEW_NODE);
				const named = (name: string) => (type?.properties ?? []).filter((property) => property.name === name);
				expect(type?.outputs).toEqual([expect.objectContaining({ type: 'ai_tool' })]);
				expect(named('resource')).toEqual([expect.objectContaining({ type: 'hidden', default: 'message' })]);
				expect(named('operation')[0]).toMatchObject({ type: 'hidden', default: 'sendAndWait' });
				expect(named('responseType')).toEqual([
					expect.objectContaining({ type: 'hidden', default: 'approval' }),
				]);
				expect(named('approvalOptions')).toHaveLength(1);
			});
		},
		() => lacksHumanReview(() => n8n.api),
	);

	test('shows the fields of an operation before its first run', async () => {
		const path = 'n8n-nodes-messaging-channel.messagingChannel/1.0.0/message/send.json';
		const response = await fetch(`${n8n.url}/schemas/${path}`);
		expect(await response.json()).toMatchObject({ properties: { queued: {}, job_id: {}, to: {} } });
	});

	describeWhere(
		'workflowBuilder',
		() => {
			let found: Record<string, string[]>;

			beforeAll(async () => {
				const { node, bin } = await ensureInstalledN8n();
				const folder = await mkdtemp(join(tmpdir(), 'node-search-'));
				const types = join(folder, 'nodes.json');
				await writeFile(types, JSON.stringify(await n8n.api.nodeTypes()));
				const given = [await realpath(bin), types, JSON.stringify(PROMPTS)];
				const { stdout } = await promisify(execFile)(node, ['-e', SEARCH, ...given]);
				found = JSON.parse(stdout) as Record<string, string[]>;
				await rm(folder, { recursive: true });
			});

			test.each(PROMPTS)('%j finds one of our nodes among the first three', (prompt) => {
				// A node counts once, although n8n makes one for tools and one for reviews of it.
				const nodes = new Set(found[prompt]?.map((name) => name.replace(/(Hitl)?Tool$/, '')));
				expect([...nodes].slice(0, 3)).toContainEqual(
					expect.stringMatching(/^n8n-nodes-messaging-channel\.messagingChannel(Trigger|Memory)?$/),
				);
			});
		},
		() => {
			test('our nodes are there without it', async () => {
				const names = (await n8n.api.nodeTypes()).map(({ name }) => name);
				expect(names).toContain('n8n-nodes-messaging-channel.messagingChannel');
			});
		},
	);
});
