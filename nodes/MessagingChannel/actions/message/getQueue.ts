import { GET_QUEUE } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const getQueue: Operation = {
	value: 'getQueue',
	name: 'Get Queue Status',
	action: 'Get queue status',
	description: 'Get how many messages are waiting, being sent, delayed and failed',
	endpoint: GET_QUEUE,
};
