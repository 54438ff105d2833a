import { RESOLVE_CHAT } from '../../api/endpoints';
import { personsPhone } from '../../fields/contacts';
import type { Operation } from '../../operation/operation';

export const resolve: Operation = {
	value: 'resolve',
	name: 'Find by Phone Number',
	action: 'Find chat by phone number',
	description: 'Find the chat that belongs to a phone number',
	endpoint: RESOLVE_CHAT,
	fields: [personsPhone],
};
