import type { Resource } from '../../operation/operation';
import { cancel } from './cancel';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const scheduledMessage: Resource = {
	value: 'scheduledMessage',
	name: 'Scheduled Message',
	operations: [create, get, getAll, update, cancel],
};
