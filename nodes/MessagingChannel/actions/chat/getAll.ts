import { GET_CHATS } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many chats',
	description: 'Retrieve a list of chats with people and groups',
	endpoint: GET_CHATS,
	pagination: 'none',
};
