import type { Resource } from '../../operation/operation';
import { getQueue } from './getQueue';
import { getRateLimit } from './getRateLimit';
import { send } from './send';
import { validate } from './validate';

export const message: Resource = {
	value: 'message',
	name: 'Message',
	operations: [send, validate, getQueue, getRateLimit],
};
