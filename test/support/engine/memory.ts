import './n8nFolder';

import { SupplyDataContext } from 'n8n-core';
import {
	NodeConnectionTypes,
	Workflow,
	type IDataObject,
	type INode,
	type INodeParameters,
	type ISupplyDataFunctions,
} from 'n8n-workflow';

import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { supplyChatMemory } from '../../../nodes/MessagingChannel/memory/chatMemory';
import { additionalData, newExecution } from './context';
import type { Account } from './run';

const nodeType = new MessagingChannelMemory();

/** A memory as LangChain, and so an agent, uses it. */
export interface AgentMemory {
	loadMemoryVariables(values: object): Promise<{ chat_history: MemoryMessage[] }>;
	saveContext(input: object, output: object): Promise<void>;
	clear(): Promise<void>;
	chatHistory: { getMessages(): Promise<MemoryMessage[]>; addUserMessage(text: string): Promise<void> };
}

interface MemoryMessage {
	content: string | Array<{ text: string }>;
	getType(): string;
}

/**
 * Supplies the memory node's memory to an agent, in n8n's own context.
 *
 * @param items those of the agent
 */
export async function memoryFor(
	account: Account,
	clock: Clock,
	items: IDataObject[],
	parameters: INodeParameters = {},
): Promise<AgentMemory> {
	const node: INode = {
		id: 'memory',
		name: 'Memory',
		type: 'n8n-nodes-messaging-channel.messagingChannelMemory',
		typeVersion: 1,
		position: [0, 0],
		credentials: { messagingChannelApi: { id: '1', name: 'Messaging Channel' } },
		parameters,
	};
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});
	const input = items.map((json) => ({ json }));
	const context = new SupplyDataContext(
		workflow,
		node,
		additionalData(() => account),
		'trigger',
		newExecution(),
		0,
		input,
		{ main: [input] },
		NodeConnectionTypes.AiMemory,
		{ node, data: { main: [input] }, source: null },
		[],
	);
	const supplied = await supplyChatMemory(context as unknown as ISupplyDataFunctions, 0, clock);
	return supplied.response as AgentMemory;
}

/** What a model gets of a memory: `user: …` or `assistant: …` for each message. */
export async function remembered(memory: AgentMemory): Promise<string[]> {
	const { chat_history: messages } = await memory.loadMemoryVariables({});
	return messages.map((message) => {
		const { content } = message;
		const text = typeof content === 'string' ? content : content.map((part) => part.text).join('');
		return `${message.getType() === 'ai' ? 'assistant' : 'user'}: ${text}`;
	});
}
