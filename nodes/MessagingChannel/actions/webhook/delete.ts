import { DELETE_WEBHOOK } from '../../api/endpoints';
import { deleted, type Operation } from '../../operation/operation';

export const deleteWebhook: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete webhook',
	description:
		'Stop sending events to the address that is set. Triggers on this account get nothing any more.',
	endpoint: DELETE_WEBHOOK,
	output: deleted,
};
