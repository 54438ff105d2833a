import './n8nFolder';

import { SupplyDataContext } from 'n8n-core';
import {
	NodeConnectionTypes,
	type IDataObject,
	type INode,
	type INodeParameters,
	type ISupplyDataFunctions,
	type ITaskData,
} from 'n8n-workflow';

import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { supplyChatMemory } from '../../../nodes/MessagingChannel/memory/chatMemory';
import { additionalData, newExecution } from './context';
import type { Account } from './run';
import { lineTo, nodeOf, workflowOf } from './workflow';

const nodeType = new MessagingChannelMemory();

const TRIGGER = nodeOf('Messaging Channel Trigger');
const AGENT = nodeOf('AI Agent');

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
	const node = nodeOf('Memory', {
		type: 'n8n-nodes-messaging-channel.messagingChannelMemory',
		credentials: { messagingChannelApi: { id: '1', name: 'Messaging Channel' } },
		parameters,
		...settings,
	});
	const workflow = workflowOf(
		event ? [node, AGENT, TRIGGER] : [node],
		event
			? {
					[TRIGGER.name]: { main: [lineTo(AGENT.name)] },
					[node.name]: { ai_memory: [lineTo(AGENT.name, 'ai_memory')] },
				}
			: {},
		() => nodeType,
	);
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
