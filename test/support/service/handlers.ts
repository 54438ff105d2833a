import type { Handler } from './core/call';
import * as account from './resources/account';
import * as autoReply from './resources/autoReplies';
import * as broadcast from './resources/broadcasts';
import * as chat from './resources/chats';
import * as contact from './resources/contacts';
import * as group from './resources/groups';
import * as media from './resources/media';
import * as message from './resources/messages';
import * as scheduledMessage from './resources/scheduledMessages';
import * as tag from './resources/tags';
import * as template from './resources/templates';
import * as webhook from './resources/webhooks';

const resources: Record<string, Record<string, unknown>> = {
	account,
	autoReply,
	broadcast,
	chat,
	contact,
	group,
	media,
	message,
	scheduledMessage,
	tag,
	template,
	webhook,
};

/** The handler of an operation of openapi.yaml: the function of this name for its resource. */
export function handlerOf(operationId: string): Handler {
	const [resource = '', operation = ''] = operationId.split('.');
	// Code cannot name a function `delete`.
	const handler = resources[resource]?.[operation === 'delete' ? 'remove' : operation];
	if (typeof handler !== 'function') throw new Error(`There is no handler for ${operationId}`);
	return handler as Handler;
}
