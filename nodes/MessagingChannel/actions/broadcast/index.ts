import type { Resource } from '../../operation/operation';
import { cancel } from './cancel';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { getProgress } from './getProgress';

export const broadcast: Resource = {
	value: 'broadcast',
	name: 'Broadcast',
	operations: [create, get, getAll, getProgress, cancel],
};
