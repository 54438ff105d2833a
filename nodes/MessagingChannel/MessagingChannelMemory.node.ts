import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { searchChats } from './fields/chats';
import { supplyChatMemory } from './memory/chatMemory';
import { MEMORY_PROPERTIES } from './memory/memoryProperties';
import { testConnection } from './n8n/credentialTest';

export class MessagingChannelMemory implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Channel Chat Memory',
		name: 'messagingChannelMemory',
		icon: {
			light: 'file:../../icons/messagingChannel.svg',
			dark: 'file:../../icons/messagingChannel.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["contextWindowLength"] + " messages" }}',
		description: 'Gives an AI Agent node the messages of a chat as its memory',
		builderHint: {
			searchHint:
				'Use it as the memory of an AI Agent node that answers in a chat. The chat itself is the memory, so no session key and no database are needed. Message an Agent takes no memory node.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-messaging-channel.messagingChannelTrigger',
					relationHint: 'Starts the workflow of the agent with the message to answer',
				},
			],
		},
		defaults: { name: 'Messaging Channel Chat Memory' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiMemory],
		outputNames: ['Memory'],
		credentials: [{ name: 'messagingChannelApi', required: true, testedBy: 'testConnection' }],
		properties: MEMORY_PROPERTIES,
	};

	methods = { credentialTest: { testConnection }, listSearch: { searchChats } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return await supplyChatMemory(this, itemIndex);
	}
}
