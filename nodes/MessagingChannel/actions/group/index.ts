import type { Resource } from '../../operation/operation';
import { create } from './create';
import { getAll } from './getAll';

export const group: Resource = { value: 'group', name: 'Group', operations: [create, getAll] };
