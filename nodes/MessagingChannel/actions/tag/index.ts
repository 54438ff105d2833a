import type { Resource } from '../../operation/operation';
import { create } from './create';
import { getAll } from './getAll';

export const tag: Resource = { value: 'tag', name: 'Tag', operations: [create, getAll] };
