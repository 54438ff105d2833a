import type { Resource } from '../../operation/operation';
import { create } from './create';
import { deleteAutoReply } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const autoReply: Resource = {
	value: 'autoReply',
	name: 'Auto-Reply',
	operations: [create, get, getAll, update, deleteAutoReply],
};
