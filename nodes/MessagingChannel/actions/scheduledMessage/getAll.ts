import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many scheduled messages',
	description: 'Retrieve a list of scheduled messages',
	endpoint: { method: 'GET', path: '/messages/scheduled', permission: 'messages:read' },
	pagination: 'page',
	filters: [
		{
			displayName: 'Status',
			name: 'status',
			type: 'options',
			default: 'pending',
			description: 'Return only scheduled messages with this status',
			options: [
				{ name: 'Cancelled', value: 'cancelled' },
				{ name: 'Failed', value: 'failed' },
				{ name: 'Pending', value: 'pending' },
				{ name: 'Sent', value: 'sent' },
			],
		},
	],
};
