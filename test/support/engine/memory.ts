import './n8nFolder';

import { SupplyDataContext } from 'n8n-core';
import {
	NodeConnectionTypes,
	Workflow,
	type IConnections,
	type IDataObject,
	type INode,
	type INodeParameters,
	type ISupplyDataFunctions,
	type ITaskData,
	type NodeConnectionType,
} from 'n8n-workflow';

import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { supplyChatMemory } from '../../../nodes/MessagingChannel/memory/chatMemory';
import { additionalData, newExecution } from './context';
import type { Account } from './run';

const nodeType = new MessagingChannelMemory();

/** A node of which only its place in the workflow matters. */
const nodeNamed = (name: string): INode => ({
	id: name,
	name,
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});
const TRIGGER = nodeNamed('Messaging Channel Trigger');
const AGENT = nodeNamed('AI Agent');

const lineTo = (to: INode, from: INode, type: NodeConnectionType): IConnections => ({
	[from.name]: { [type]: [[{ node: to.name, type, index: 0 }]] },
});

/** The run of the trigger for an event. */
const runOf = (json: IDataObject): ITaskData => ({
	startTime: 0,
	executionIndex: 0,
	executionTime: 0,
	source: [],
	data: { main: [[{ json }]] },
});

/** A memory as LangChain, and so an agent, uses it. */
export interface AgentMemory {
	loadMemoryVariables(values: object): Promise<{ chat_history: MemoryMessage[] }>;
	saveContext(input: object, output: object): Promise<void>;
	clear(): Promise<void>;
	chatHistory: {
		getMessages(): Promise<MemoryMessage[]>;
		addMessages(messages: MemoryMessage[]): Promise<void>;
		addUserMessage(text: string): Promise<void>;
		clear(): Promise<void>;
	};
}

interface MemoryMessage {
	content: unknown;
	getType(): string;
}

/**
 * Supplies the memory node's memory to an agent, in n8n's own context.
 *
 * @param items those of the agent
 * @param event what started the workflow, at a trigger from which the items come
 * @param settings of the node
 */
export async function memoryFor(
	account: Account,
	clock: Clock,
	items: IDataObject[],
	parameters: INodeParameters = {},
	event?: IDataObject,
	settings: Partial<INode> = {},
): Promise<AgentMemory> {
	const node: INode = {
		id: 'memory',
		name: 'Memory',
		type: 'n8n-nodes-messaging-channel.messagingChannelMemory',
		typeVersion: 1,
		position: [0, 0],
		credentials: { messagingChannelApi: { id: '1', name: 'Messaging Channel' } },
		parameters,
		...settings,
	};
	const workflow = new Workflow({
		id: 'workflow',
		nodes: event ? [node, AGENT, TRIGGER] : [node],
		connections: event ? { ...lineTo(AGENT, TRIGGER, 'main'), ...lineTo(AGENT, node, 'ai_memory') } : {},
		active: false,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});
	const input = items.map((json) => ({ json, pairedItem: { item: 0 } }));
	const execution = newExecution();
	if (event) execution.resultData.runData[TRIGGER.name] = [runOf(event)];
	const context = new SupplyDataContext(
		workflow,
		node,
		additionalData(() => account),
		'trigger',
		execution,
		0,
		input,
		{ main: [input] },
		NodeConnectionTypes.AiMemory,
		{ node, data: { main: [input] }, source: event ? { main: [{ previousNode: TRIGGER.name }] } : null },
		[],
	);
	const supplied = await supplyChatMemory(context as unknown as ISupplyDataFunctions, 0, clock);
	return supplied.response as AgentMemory;
}

/** What a model gets of a memory: `user: …` or `assistant: …` for each message. */
export async function remembered(memory: AgentMemory): Promise<string[]> {
	const { chat_history: messages } = await memory.loadMemoryVariables({});
	// Models of some providers take nothing but a text.
	return messages.map(
		(message) => `${message.getType() === 'ai' ? 'assistant' : 'user'}: ${String(message.content)}`,
	);
}
