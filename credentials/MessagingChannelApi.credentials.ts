import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { authenticate } from '../nodes/MessagingChannel/api/authentication';

export class MessagingChannelApi implements ICredentialType {
	name = 'messagingChannelApi';

	displayName = 'Messaging Channel API';

	icon: Icon = {
		light: 'file:../icons/messagingChannel.svg',
		dark: 'file:../icons/messagingChannel.dark.svg',
	};

	documentationUrl = 'https://github.com/messaging-channel/n8n-nodes-messaging-channel#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://service.example.com',
			description:
				"URL of the service, from the account panel. If you leave out the path '/api/v1/whatsapp/external', it is added. Account > Check Setup checks everything that the credential is used for.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'API key from the account panel. It determines the account and the permissions.',
		},
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			hint: "Only for the trigger, and not with 'Polling'. Webhook > Rotate Secret gives one, and makes the old one invalid.",
			description:
				'Only needed for the trigger, which verifies every event with it. If another credential for this account has the secret, use the same one. Otherwise, run Webhook > Rotate Secret once and paste the secret that it returns.',
		},
		{
			displayName: 'Allowed Recipients',
			name: 'allowedRecipients',
			type: 'string',
			// An expression that gives nothing would allow everybody.
			noDataExpression: true,
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. +90 555 123 45 67, +90 555 765 43 21',
			description:
				'Phone numbers with country codes, and IDs of chats and groups, separated by commas. No workflow with this credential can send to anybody else. Empty means everybody. Auto-replies and other nodes, such as HTTP Request, are not covered.',
		},
	];

	// A function, because n8n would evaluate an expression for every request, which takes longer than the request itself.
	authenticate = authenticate satisfies IAuthenticate;
}
