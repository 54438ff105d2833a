import { caseWith, dateTime, get, operationsOf } from './case';

export const account = operationsOf('account', {
	get: {
		minimal: caseWith({}, get('/account'), {
			id: 'account-1',
			name: 'Demo account',
			phone_number: '905300000000',
			status: 'connected',
			provider: 'reference',
		}),
		bad: [],
	},
	getHealth: {
		minimal: caseWith({}, get('/health'), {
			status: 'ok',
			account: { id: 'account-1', name: 'Demo account', status: 'connected' },
			timestamp: dateTime,
		}),
		bad: [],
	},
});
