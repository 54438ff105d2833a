import { GET_TAGS } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many tags',
	description: 'Retrieve a list of tags',
	endpoint: GET_TAGS,
	pagination: 'none',
};
