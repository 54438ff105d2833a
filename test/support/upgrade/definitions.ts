import type { INode, INodeParameters } from 'n8n-workflow';

import {
	manualTrigger,
	messagingChannel,
	messagingChannelTrigger,
	workflow,
	type WorkflowDefinition,
} from '../n8n/workflow';
import { byId, byPhone } from '../operations/parameters';

/** Replaced by the one of the user, after the import. */
const CREDENTIAL = 'messaging-channel';

const send = (message: string, to: INodeParameters['to']) =>
	messagingChannel('Send', { resource: 'message', operation: 'send', to, message }, CREDENTIAL);

/** Answers a message, under every option of the trigger. */
export const triggerWorkflow = (): WorkflowDefinition =>
	workflow('Answer', [
		messagingChannelTrigger(
			{
				events: ['message.received', 'connection.disconnected'],
				options: {
					chatType: 'individual',
					chats: '+90 555 111 22 33',
					downloadMedia: true,
					ifWebhookExists: 'replace',
					ignoreOwnMessages: false,
					messageTypes: 'chat, image',
					statuses: ['read'],
					timeoutSeconds: 20,
				},
			},
			CREDENTIAL,
		),
		send('=You wrote: {{ $json.message.body }}', byId('={{ $json.chat.id }}')),
	]);

const ASKED = byPhone('+90 555 123 45 67');

const ask = (name: string, parameters: INodeParameters): INode => ({
	...messagingChannel(
		name,
		{ resource: 'message', operation: 'sendAndWait', to: ASKED, message: `${name}?`, ...parameters },
		CREDENTIAL,
	),
	webhookId: name.toLowerCase(),
});

/** Asks in each of the three ways, and sends what was answered. */
export const questionsWorkflow = (): WorkflowDefinition =>
	workflow('Ask', [
		manualTrigger(),
		ask('Approval', {
			approvalOptions: {
				values: { approvalType: 'double', approveLabel: 'Ship it', disapproveLabel: 'Keep it' },
			},
			options: { appendAttribution: false },
		}),
		ask('Text', {
			responseType: 'freeText',
			options: {
				messageButtonLabel: 'Write it here',
				responseFormTitle: 'Your wish',
				responseFormDescription: 'In your own words',
				responseFormButtonLabel: 'Done',
				limitWaitTime: {
					values: { limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'days' },
				},
			},
		}),
		ask('Form', {
			responseType: 'customForm',
			formFields: {
				values: [
					{ fieldLabel: 'Name', fieldType: 'text', requiredField: true, placeholder: 'e.g. Ada' },
					{ fieldLabel: 'Amount', fieldType: 'number' },
				],
			},
		}),
		send(
			"={{ JSON.stringify(['Approval', 'Text', 'Form'].map((name) => ({ ...$(name).item.json.data, respondedAt: undefined }))) }}",
			ASKED,
		),
	]);
