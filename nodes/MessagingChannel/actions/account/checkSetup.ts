import { GET_HEALTH } from '../../api/endpoints';
import { reportSetup } from '../../checkSetup/reportSetup';
import type { Operation } from '../../operation/operation';

export const checkSetup: Operation = {
	value: 'checkSetup',
	name: 'Check Setup',
	action: 'Check setup',
	description:
		'Check the service, the API key, the account, the webhook, its workflows and the signing secret, and say what to do',
	endpoint: GET_HEALTH,
	options: [
		{
			displayName: 'Send a Test Event',
			name: 'sendTestEvent',
			type: 'boolean',
			default: false,
			description:
				'Whether the service sends its sample event, which shows whether the signing secret is right. It can start the workflows that receive events.',
			api: [],
		},
	],
	report: reportSetup,
};
