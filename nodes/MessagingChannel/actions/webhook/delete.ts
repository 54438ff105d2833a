import { DELETE_WEBHOOK } from '../../api/endpoints';
import { deleted, type Operation } from '../../operation/operation';

export const deleteWebhook: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete webhook',
	description: 'Stop sending events to the webhook URL. Published triggers register it again within minutes.',
	endpoint: DELETE_WEBHOOK,
	output: deleted,
};
