import { get, post, type OperationCases } from './case';

const wholesale = { id: 'group-1', name: 'Wholesale', color: '#0F766E', description: 'Shops', icon: 'cart' };
const retail = { id: 'group-2', name: 'Retail', color: '', description: '', icon: '' };

export const group: readonly OperationCases[] = [
	{
		resource: 'group',
		operation: 'create',
		minimal: {
			parameters: { name: 'Wholesale' },
			requests: [post('/groups', { name: 'Wholesale' })],
			items: [{ json: { id: 'group-1', name: 'Wholesale', color: '', description: '', icon: '' } }],
		},
		full: {
			parameters: {
				name: 'Wholesale',
				additionalFields: { color: '#0F766E', description: 'Shops', icon: 'cart' },
			},
			requests: [
				post('/groups', { name: 'Wholesale', color: '#0F766E', description: 'Shops', icon: 'cart' }),
			],
			items: [{ json: wholesale }],
		},
		more: {},
		bad: [{ at: 'name', value: '', label: 'Name' }],
	},
	{
		resource: 'group',
		operation: 'getAll',
		seed: { groups: [wholesale, retail] },
		minimal: {
			parameters: {},
			requests: [get('/groups')],
			items: [{ json: wholesale }, { json: retail }],
		},
		full: {
			parameters: { returnAll: false, limit: 1 },
			requests: [get('/groups')],
			items: [{ json: wholesale }],
		},
		bad: [{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' }],
	},
];
