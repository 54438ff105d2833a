import type { INode } from 'n8n-workflow';

import type { Execution } from '../support/n8n/execution';
import { startModelServer, type ModelServer } from '../support/n8n/modelServer';
import {
	messagingChannel,
	messagingChannelTrigger,
	node,
	workflow,
	type Connection,
} from '../support/n8n/workflow';
import type { Message } from '../support/service/core/records';
import { describeWhere } from '../support/world/describeWhere';
import { startWorld, type World } from '../support/world/world';

const ADA = '905551112231';
const BEN = '905551112232';
const AGENT = 'Agent';

let world: World;
let model: ModelServer;
let workflowId: string;
let executions = 0;

beforeAll(async () => {
	world = await startWorld();
	model = await startModelServer();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
	workflowId = await createAgent();
	await world.n8n.api.activate(workflowId);
});

afterAll(async () => {
	await model?.stop();
	await world?.stop();
});

/** An agent with a model, a tool, and the chat as its memory. */
async function agentNodes(): Promise<{ nodes: INode[]; connections: Connection[] }> {
	const { n8n, credential } = world;
	const openAi = await n8n.api.createCredential('openAiApi', 'Scripted model', {
		apiKey: 'any',
		url: model.baseUrl,
	});
	const { id, name } = credential;
	const ofPackage = (title: string, type: string, parameters: INode['parameters']) =>
		node(title, `n8n-nodes-messaging-channel.${type}`, parameters, {
			credentials: { messagingChannelApi: { id, name } },
		});
	const nodes = [
		node(
			AGENT,
			'@n8n/n8n-nodes-langchain.agent',
			{ promptType: 'define', text: '={{ $json.message.body }}', options: {} },
			{ typeVersion: 3 },
		),
		node(
			'Model',
			'@n8n/n8n-nodes-langchain.lmChatOpenAi',
			{ model: { __rl: true, mode: 'id', value: 'scripted' }, responsesApiEnabled: false, options: {} },
			{ typeVersion: 1.3, credentials: { openAiApi: { id: openAi.id, name: openAi.name } } },
		),
		ofPackage('Memory', 'messagingChannelMemory', {}),
		ofPackage('Account', 'messagingChannelTool', { resource: 'account', operation: 'get' }),
	];
	const connections: Connection[] = [
		{ from: 'Model', to: AGENT, type: 'ai_languageModel' },
		{ from: 'Memory', to: AGENT, type: 'ai_memory' },
		{ from: 'Account', to: AGENT, type: 'ai_tool' },
	];
	return { nodes, connections };
}

/** A workflow whose agent looks up who wrote, remembers the chat, and answers in it. */
async function createAgent(): Promise<string> {
	const { n8n, credential } = world;
	const agent = await agentNodes();
	const chatId = "={{ $('Messaging Channel Trigger').item.json.chat.id }}";
	const answer = messagingChannel(
		'Answer',
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'id', value: chatId },
			message: '={{ $json.output }}',
		},
		credential,
	);
	const nodes = [messagingChannelTrigger({}, credential), ...agent.nodes, answer];
	const connections = [
		{ from: 'Messaging Channel Trigger', to: AGENT },
		{ from: AGENT, to: 'Answer' },
		...agent.connections,
	];
	return (await n8n.api.createWorkflow(workflow('Agent', nodes, connections))).id;
}

const promptIn = ({ messages }: ModelServer['turns'][number]) =>
	messages.findLast(({ role }) => role === 'user')?.content ?? '';

/** The model uses its tool, and then answers. */
const playModel = () =>
	model.play(({ messages }) =>
		messages.at(-1)?.role === 'tool'
			? { text: `Answer to: ${promptIn({ messages, tools: [] })}` }
			: { tool: 'Account', arguments: {} },
	);

/** Lets each of them write, and waits until the agent is done with all. */
async function write(texts: Array<[from: string, body: string]>): Promise<Execution[]> {
	playModel();
	await Promise.all(
		texts.map(async ([from, body]) => await world.service.control.incomingMessage({ from, body })),
	);
	executions += texts.length;
	const all = await world.n8n.api.waitForExecutions(workflowId, executions);
	return all.slice(0, texts.length);
}

/** The texts that the model got before the prompt, in each turn with that prompt. */
const rememberedFor = (prompt: string) =>
	model.turns
		.filter((turn) => promptIn(turn) === prompt)
		.map(({ messages }) =>
			messages
				.slice(
					0,
					messages.findLastIndex(({ role }) => role === 'user'),
				)
				.filter(({ role }) => role !== 'system')
				.map(({ role, content }) => `${role}: ${content}`),
		);

/** What the chat shows before the message with that text. */
async function shownBefore(phone: string, prompt: string): Promise<string[]> {
	const messages = await world.service.control.messages({ chatId: `${phone}@c.us` });
	const before = messages.slice(
		0,
		messages.findIndex(({ body }) => body === prompt),
	);
	return before.map(({ from_me, body }: Message) => `${from_me ? 'assistant' : 'user'}: ${body}`);
}

describeWhere(
	'packageMemory',
	() => {
		test('each prompt comes with that chat, also with what a person wrote, and after a restart', async () => {
			const { service, n8n } = world;
			for (const round of [1, 2, 3]) {
				const prompts: Array<[string, string]> = [
					[ADA, `Ada ${round}`],
					[BEN, `Ben ${round}`],
				];
				const done = await write(prompts);
				expect(done.map(({ error }) => error)).toEqual([undefined, undefined]);
				await service.control.idle();

				for (const [phone, prompt] of prompts) {
					const expected = await shownBefore(phone, prompt);
					// An answer of the agent and one of the shop follow each earlier message.
					expect(expected).toHaveLength((round - 1) * 3);
					// Once before the tool is called, and once after it.
					expect(rememberedFor(prompt)).toEqual([expected, expected]);
					await service.control.incomingMessage({ from: phone, body: `Tom ${round}`, fromMe: true });
				}
				await service.control.idle();
				if (round === 2) await n8n.restart();
			}
		});
	},
	() => {
		test('the run says which n8n it needs', async () => {
			const [execution] = await write([[ADA, 'Hello']]);
			expect(execution?.error).toMatchObject({
				message: 'Error in sub-node Memory',
				description: 'A memory node of a package needs n8n 2.16 or later',
			});
		});
	},
);
