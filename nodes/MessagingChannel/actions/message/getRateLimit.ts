import { GET_RATE_LIMIT } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const getRateLimit: Operation = {
	value: 'getRateLimit',
	name: 'Get Rate Limit',
	action: 'Get rate limit',
	description: 'Retrieve the number of requests left and the time when the limit resets',
	endpoint: GET_RATE_LIMIT,
};
