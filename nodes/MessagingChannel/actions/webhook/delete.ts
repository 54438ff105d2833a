import { deleted, type Operation } from '../../operation/operation';

export const deleteWebhook: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete webhook',
	description:
		'Stop sending events to the webhook URL. Triggers that use this account stop receiving events.',
	endpoint: { method: 'DELETE', path: '/webhooks', permission: 'valid key' },
	output: deleted,
};
