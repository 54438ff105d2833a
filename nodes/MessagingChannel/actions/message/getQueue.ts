import { GET_QUEUE } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const getQueue: Operation = {
	value: 'getQueue',
	name: 'Get Queue Status',
	action: 'Get queue status',
	description: 'Retrieve the number of waiting, active, delayed and failed messages',
	endpoint: GET_QUEUE,
};
