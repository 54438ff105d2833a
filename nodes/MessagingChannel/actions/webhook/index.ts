import type { Resource } from '../../operation/operation';
import { deleteWebhook } from './delete';
import { get } from './get';
import { rotateSecret } from './rotateSecret';
import { set } from './set';
import { sendTestEvent } from './sendTestEvent';

export const webhook: Resource = {
	value: 'webhook',
	name: 'Webhook',
	operations: [get, set, sendTestEvent, rotateSecret, deleteWebhook],
};
