// cspell:ignore Grüße
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { version } from '../../package.json';
import { withEagerExpressions } from '../support/n8n/environment';
import { ensureInstalledN8n } from '../support/n8n/install';
import { replayQuestions, replayTrigger } from '../support/upgrade/replay';
import { readSaved, releases } from '../support/upgrade/saved';
import { describeWhere, lacksHumanReview, REVIEW_NODE } from '../support/world/describeWhere';
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

beforeAll(async () => {
	world = await startWorld({ editor: true, env: withEagerExpressions });
});
afterAll(async () => await world?.stop());

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
	test('offers both nodes, and the action as a tool for agents', async () => {
		const names = (await world.n8n.api.nodeTypes()).map(({ name }) => name);
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
				const type = (await world.n8n.api.nodeTypes()).find(({ name }) => name === REVIEW_NODE);
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
		() => lacksHumanReview(() => world.n8n.api),
	);

	test('shows the fields of an operation before its first run', async () => {
		const path = 'n8n-nodes-messaging-channel.messagingChannel/1.0.0/message/send.json';
		const response = await fetch(`${world.n8n.url}/schemas/${path}`);
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
				await writeFile(types, JSON.stringify(await world.n8n.api.nodeTypes()));
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
				const names = (await world.n8n.api.nodeTypes()).map(({ name }) => name);
				expect(names).toContain('n8n-nodes-messaging-channel.messagingChannel');
			});
		},
	);
});

describe('an active trigger', () => {
	let workflowId: string;

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

test('this release has left its workflows for later ones', () => {
	expect(releases()).toContain(version);
});

// What was saved of operations is replayed by the engine's tests.
describe.each(releases())('what was saved with %s still makes the service receive the same', (release) => {
	test('from a trigger, and the answer after it', async () => {
		const { workflow, recorded } = readSaved(release, 'trigger');
		expect([recorded.webhook?.is_active, recorded.requests.length]).toEqual([true, 1]);
		expect(await replayTrigger(world, workflow)).toEqual(recorded);
	});

	test('from questions, and what follows their answers', async () => {
		const { workflow, recorded } = readSaved(release, 'questions');
		expect(recorded).toHaveLength(4);
		expect(await replayQuestions(world, workflow)).toEqual(recorded);
	});
});
