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
				"Address of the service, as shown in the account panel. It ends with '/api/v1/whatsapp/external'; without a path, that is added for you.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Key from the account panel. It decides which account is used and what is allowed.',
		},
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Only needed by the trigger, which verifies every incoming event with it. Use the one that another credential of this account already has. If there is none, run the action Webhook > Rotate Secret once and paste the secret that it returns.',
		},
	];

	// A function, because n8n evaluates an expression anew for every request, which costs more than the request.
	authenticate = authenticate satisfies IAuthenticate;
}
