import type { Resource } from '../../operation/operation';
import { getQueue } from './getQueue';
import { getRateLimit } from './getRateLimit';
import { send } from './send';
import { sendAndWait } from './sendAndWait';
import { validate } from './validate';

export const message: Resource = {
	value: 'message',
	name: 'Message',
	operations: [send, sendAndWait, validate, getQueue, getRateLimit],
};
