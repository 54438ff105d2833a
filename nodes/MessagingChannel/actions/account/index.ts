import type { Resource } from '../../operation/operation';
import { checkSetup } from './checkSetup';
import { get } from './get';
import { getHealth } from './getHealth';

export const account: Resource = {
	value: 'account',
	name: 'Account',
	operations: [get, getHealth, checkSetup],
};
