import type { Resource } from '../../operation/operation';
import { get } from './get';
import { getHealth } from './getHealth';

export const account: Resource = { value: 'account', name: 'Account', operations: [get, getHealth] };
