import type { Resource } from '../operation/operation';
import { account } from './account';
import { autoReply } from './autoReply';
import { broadcast } from './broadcast';
import { chat } from './chat';
import { contact } from './contact';
import { group } from './group';
import { media } from './media';
import { message } from './message';
import { scheduledMessage } from './scheduledMessage';
import { tag } from './tag';
import { template } from './template';
import { webhook } from './webhook';

/** All resources with their operations, in the order of the Resource selector. */
export const resources: readonly Resource[] = [
	message,
	media,
	template,
	broadcast,
	scheduledMessage,
	chat,
	contact,
	group,
	tag,
	autoReply,
	webhook,
	account,
];
