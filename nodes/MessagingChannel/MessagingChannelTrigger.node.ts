import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
	type ITriggerResponse,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { testConnection } from './n8n/credentialTest';
import { activate, deactivate } from './trigger/activation/activation';
import { TRIGGER_PANEL, TRIGGER_PROPERTIES } from './trigger/triggerProperties';
import { startTriggerLoops } from './trigger/triggerLoops';
import { receiveWithoutEvent } from './trigger/catchUp/testRun';
import { openDoor } from './trigger/delivery/door';
import { receive } from './trigger/delivery/receive';
import { activatedTriggerOf, publishedTriggerOf, triggerRunOf } from './trigger/delivery/trigger';
import { runTrigger } from './trigger/runTrigger';

export class MessagingChannelTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Channel Trigger',
		name: 'messagingChannelTrigger',
		icon: {
			light: 'file:../../icons/messagingChannel.svg',
			dark: 'file:../../icons/messagingChannel.dark.svg',
		},
		group: ['trigger'],
		// Of any node of version 1, n8n evaluates an expression for each delivery, which costs more than the rest.
		version: 2,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// n8n's list of nodes shows it for both nodes.
		description:
			'Starts the workflow when a message arrives, its status changes or the connection changes. Actions send messages, media, templates and broadcasts.',
		builderHint: {
			searchHint:
				"Starts the workflow for each message that a customer writes, with the text in 'message.body' and the chat to answer in 'chat.id'. Several workflows can use it for one account.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-messaging-channel.messagingChannel',
					relationHint: 'Answers the message, and downloads its media',
				},
				{
					nodeType: 'n8n-nodes-base.messageAnAgent',
					relationHint:
						"Answers the message. For a memory of each chat, set its Session ID to '{{ $json.account_id }} {{ $json.chat.id }}'. If an execution can have several items, set Invoke Agent to Once Per Item.",
				},
			],
		},
		defaults: { name: 'Messaging Channel Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingChannelApi', required: true, testedBy: 'testConnection' }],
		eventTriggerDescription: "For 'Message Received', write to the account from another phone",
		activationMessage:
			'From now on, each of the chosen events starts this workflow. Find the runs in the list of executions.',
		triggerPanel: TRIGGER_PANEL,
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without it, n8n responds with the literal text 'firstEntryJson'.
				responseData: '',
				path: 'webhook',
			},
		],
		properties: TRIGGER_PROPERTIES,
	};

	methods = { credentialTest: { testConnection } };

	webhookMethods = {
		default: {
			/** Always false, so that n8n calls `create`: it checks more than the registration, and repeats nothing that is done. */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},

			async create(this: IHookFunctions): Promise<boolean> {
				await activate(activatedTriggerOf(this));
				return true;
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				await deactivate(activatedTriggerOf(this));
				return true;
			},
		},
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await Promise.resolve(startTriggerLoops(publishedTriggerOf(this)));
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const door = await openDoor(this);
		return door.mayBeEvent ? await receive(door) : await receiveWithoutEvent(door);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runTrigger(triggerRunOf(this))];
	}
}
