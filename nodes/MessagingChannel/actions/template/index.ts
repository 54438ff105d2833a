import type { Resource } from '../../operation/operation';
import { create } from './create';
import { deleteTemplate } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { send } from './send';
import { update } from './update';

export const template: Resource = {
	value: 'template',
	name: 'Template',
	operations: [send, create, get, getAll, update, deleteTemplate],
};
