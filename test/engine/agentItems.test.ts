import '../support/engine/n8nFolder';

import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type ISupplyDataFunctions,
	type NodeConnectionType,
} from 'n8n-workflow';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { MEMORY_PROPERTIES } from '../../nodes/MessagingChannel/memory/memoryProperties';
import { person, useEngine } from '../support/engine/engine';
import { dataForRun, nodeOf, workflowOf } from '../support/engine/workflow';

/*
 * What docs/recipes.md and docs/chat-memory.md say about `.item` and agents is n8n's own doing. If one of these tests fails with another n8n, the
 * pages and the advice of the memory node have to change.
 */

const engine = useEngine();

const chatOf = (number: number) => `${person(number)}@c.us`;

/** A node of another package. */
const foreign = (outputs: number, execute: (this: IExecuteFunctions, response: AgentResponse) => unknown) =>
	({
		description: {
			inputs: ['main', 'ai_memory'],
			outputs: Array.from({ length: outputs }, () => 'main'),
			properties: [],
		},
		execute,
	}) as unknown as INodeType;

interface AgentResponse {
	actionResponses: unknown[];
}

const passOn = (items: INodeExecutionData[]) => [
	items.map(({ json }, item) => ({ json, pairedItem: { item } })),
];

const events = (count: number): INodeExecutionData[] =>
	Array.from({ length: count }, (_, number) => ({ json: { chat: { id: chatOf(number + 1) } } }));

/** An agent that calls its tool once for each item, as n8n's own does from version 3 on. It takes its memory before and after. */
const agent = (more: IDataObject) =>
	foreign(1, async function ({ actionResponses }) {
		await this.getInputConnectionData('ai_memory', 0);
		const items = this.getInputData();
		if (actionResponses.length > 0) return passOn(items);
		const actions = items.map(({ json }, itemIndex) => ({
			actionType: 'ExecutionNodeAction',
			nodeName: 'Tool',
			type: 'ai_tool',
			id: `call-${itemIndex}`,
			input: { text: `For ${(json.chat as IDataObject | undefined)?.id as string}`, ...more },
			metadata: { itemIndex },
		}));
		return { actions, metadata: {} };
	});

const MEMORY_DEFAULT = (
	MEMORY_PROPERTIES.find(({ name }) => name === 'chatId')?.default as { value: string }
).value.replaceAll('Messaging Channel Trigger', 'Trigger');

/** A memory that tells which chat it is to remember. */
const memory = (chats: unknown[]) =>
	({
		description: {
			inputs: [],
			outputs: ['ai_memory'],
			properties: [{ displayName: 'Chat', name: 'chatId', type: 'string', default: '' }],
		},
		supplyData(this: ISupplyDataFunctions) {
			chats.push(this.getNodeParameter('chatId', 0));
			return { response: {} };
		},
	}) as unknown as INodeType;

/** Gives on one item in each pass. */
const loop = (count: number) => {
	let pass = 0;
	return foreign(2, () => {
		const item = pass++;
		const source = { previousNode: 'Trigger', previousNodeOutput: 0, previousNodeRun: 0 };
		const pairedItem = { item, sourceOverwrite: source };
		const { json } = events(count)[item] ?? {};
		return json ? [[], [{ json, pairedItem }]] : [[{ json: {} }], []];
	});
};

const lineTo = (node: string, type: NodeConnectionType = 'main') => [{ node, type, index: 0 }];

interface RunOptions {
	inLoop?: boolean;
	more?: IDataObject;
	chats?: unknown[];
}

/**
 * Runs an agent for so many items, and tells which text went to whom.
 *
 * @param chats gets the chats that the default of the memory node gives where the items do not have it
 */
async function runAgent(count: number, to: string, { inLoop = false, more = {}, chats }: RunOptions = {}) {
	const { description } = new MessagingChannel();
	const toolType = 'n8n-nodes-messaging-channel.messagingChannelTool';
	const types: Record<string, INodeType> = {
		Trigger: foreign(1, () => [events(count)]),
		Loop: loop(count),
		Before: foreign(1, function () {
			const [items = []] = passOn(this.getInputData());
			return [chats ? items.map((item) => ({ ...item, json: {} })) : items];
		}),
		Agent: agent(more),
		Memory: memory(chats ?? []),
		[toolType]: Object.assign(new MessagingChannel(), {
			description: { ...description, inputs: [], outputs: ['ai_tool'] },
		}),
	};
	const parameters = {
		resource: 'message',
		operation: 'send',
		to: { __rl: true, mode: 'id', value: to },
		message: '={{ $json.text }}',
	};
	const credentials = { messagingChannelApi: { id: '1', name: 'Messaging Channel' } };
	const connections: IConnections = {
		Trigger: { main: [lineTo(inLoop ? 'Loop' : 'Before')] },
		Loop: { main: [[], lineTo('Before')] },
		Before: { main: [lineTo('Agent')] },
		...(inLoop && { Agent: { main: [lineTo('Loop')] } }),
		Tool: { ai_tool: [lineTo('Agent', 'ai_tool')] },
		...(chats && { Memory: { ai_memory: [lineTo('Agent', 'ai_memory')] } }),
	};
	const typeOf = (type: string) => types[type] as INodeType;
	const workflow = workflowOf(
		[
			...['Trigger', 'Loop', 'Before', 'Agent'].map((name) => nodeOf(name)),
			nodeOf('Memory', { parameters: { chatId: MEMORY_DEFAULT } }),
			nodeOf('Tool', { type: toolType, parameters, credentials }),
		],
		connections,
		typeOf,
	);
	const additional = dataForRun(engine);
	const run = new WorkflowExecute(additional, 'manual', createRunExecutionData());
	await run.run({ workflow, startNode: workflow.getNode('Trigger') as INode });
	const sent = (await engine.requests('message.send')).map(({ body }) => body as Record<string, string>);
	return sent.map(({ to: recipient, message }) => `${message} to ${recipient}`);
}

const BY_ITEM = "={{ $('Trigger').item.json.chat.id }}";
const [ADA, BEN] = [chatOf(1), chatOf(2)];

test('in a tool, `.item` is the item of an agent that has only one', async () => {
	expect(await runAgent(1, BY_ITEM)).toEqual([`For ${ADA} to ${ADA}`]);
});

test.each([
	['of several items', false],
	['in a loop', true],
])('in a tool, `.item` is the first one %s', async (_, inLoop) => {
	expect(await runAgent(2, BY_ITEM, { inLoop })).toEqual([`For ${ADA} to ${ADA}`, `For ${BEN} to ${ADA}`]);
});

test.each([false, true])(
	'in a tool, `$json` is the item, unless the model gives another value',
	async (inLoop) => {
		const to = '={{ $json.chat.id }}';
		expect(await runAgent(2, to, { inLoop })).toEqual([`For ${ADA} to ${ADA}`, `For ${BEN} to ${BEN}`]);
		await engine.reset();
		const more = { chat: { id: chatOf(3) } };
		expect(await runAgent(1, to, { inLoop, more })).toEqual([`For ${ADA} to ${chatOf(3)}`]);
	},
);

test('the memory of an agent has the chat also after a tool was used', async () => {
	const chats: unknown[] = [];
	await runAgent(1, BY_ITEM, { chats });
	expect(chats).toEqual([ADA, ADA]);
});

test('of several items, the memory is never that of another one', async () => {
	const chats: unknown[] = [];
	await runAgent(2, BY_ITEM, { inLoop: true, chats });
	expect(chats).toEqual([ADA, ADA, BEN, BEN]);
});
