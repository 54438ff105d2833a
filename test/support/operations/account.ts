import { get, dateTime, type OperationCases } from './case';

export const account: readonly OperationCases[] = [
	{
		resource: 'account',
		operation: 'get',
		minimal: {
			parameters: {},
			requests: [get('/account')],
			items: [
				{
					json: {
						id: 'account-1',
						name: 'Demo account',
						phone_number: '905300000000',
						status: 'connected',
						provider: 'reference',
					},
				},
			],
		},
		bad: [],
	},
	{
		resource: 'account',
		operation: 'getHealth',
		minimal: {
			parameters: {},
			requests: [get('/health')],
			items: [
				{
					json: {
						status: 'ok',
						account: { id: 'account-1', name: 'Demo account', status: 'connected' },
						timestamp: dateTime,
					},
				},
			],
		},
		bad: [],
	},
];
