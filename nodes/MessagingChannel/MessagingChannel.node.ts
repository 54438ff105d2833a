import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { resources } from './actions';
import { actionRunOf } from './n8n/actionRun';
import { testConnection } from './n8n/credentialTest';
import { searchChats, searchRecipients } from './fields/chats';
import { searchContacts } from './fields/contacts';
import { getTags } from './fields/tags';
import { searchTemplates } from './fields/templates';
import { getTemplateVariables } from './fields/templateVariables';
import { nodePropertiesOf } from './operation/nodeProperties';
import { runOperation } from './execution/runOperation';
import { ANSWER_WEBHOOKS, receiveAnswer, WAITING_TOOLTIP } from './sendAndWait/receiveAnswer';

export class MessagingChannel implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Channel',
		name: 'messagingChannel',
		icon: {
			light: 'file:../../icons/messagingChannel.svg',
			dark: 'file:../../icons/messagingChannel.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Send messages, media, templates and broadcasts, and manage contacts and auto-replies',
		builderHint: {
			searchHint:
				"Sends WhatsApp-style messages, media, templates and broadcasts. One run sends one message for each input item, in order for each recipient: no loop is needed. To answer a message that started the workflow, send to its 'chat.id'.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-messaging-channel.messagingChannelTrigger',
					relationHint: 'Starts the workflow when a message arrives',
				},
				{
					nodeType: 'n8n-nodes-messaging-channel.messagingChannelMemory',
					relationHint: 'Lets an AI Agent remember the chat',
				},
				{
					nodeType: 'n8n-nodes-base.messageAnAgent',
					relationHint: "Writes the answer to send, in 'text'",
				},
			],
		},
		defaults: { name: 'Messaging Channel' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingChannelApi', required: true, testedBy: 'testConnection' }],
		webhooks: ANSWER_WEBHOOKS,
		waitingNodeTooltip: WAITING_TOOLTIP,
		properties: nodePropertiesOf(resources),
	};

	methods = {
		credentialTest: { testConnection },
		listSearch: { searchChats, searchContacts, searchRecipients, searchTemplates },
		loadOptions: { getTags },
		resourceMapping: { getTemplateVariables },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(actionRunOf(this), resources);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveAnswer(this);
	}
}
