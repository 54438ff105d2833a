import type { Resource } from '../../operation/operation';
import { check } from './check';
import { deleteContact } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { sync } from './sync';
import { update } from './update';

export const contact: Resource = {
	value: 'contact',
	name: 'Contact',
	operations: [check, get, getAll, sync, update, deleteContact],
};
