import { account } from './account';
import { autoReply } from './autoReply';
import { broadcast } from './broadcast';
import type { OperationCases } from './case';
import { chat } from './chat';
import { contact } from './contact';
import { group } from './group';
import { media } from './media';
import { message } from './message';
import { scheduledMessage } from './scheduledMessage';
import { tag } from './tag';
import { template } from './template';
import { webhook } from './webhook';

/** What each operation of the package sends and puts out, in the order of the naming contract. */
export const operations: readonly OperationCases[] = [
	...account,
	...chat,
	...message,
	...media,
	...contact,
	...group,
	...tag,
	...template,
	...scheduledMessage,
	...autoReply,
	...broadcast,
	...webhook,
];
