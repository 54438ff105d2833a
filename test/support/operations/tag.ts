import { get, post, type OperationCases } from './case';

const vip = { id: 'tag-1', name: 'VIP', color: '#B45309' };
const fresh = { id: 'tag-2', name: 'New', color: '' };

export const tag: readonly OperationCases[] = [
	{
		resource: 'tag',
		operation: 'create',
		minimal: {
			parameters: { name: 'VIP' },
			requests: [post('/tags', { name: 'VIP' })],
			items: [{ json: { id: 'tag-1', name: 'VIP', color: '' } }],
		},
		full: {
			parameters: { name: 'VIP', additionalFields: { color: '#B45309' } },
			requests: [post('/tags', { name: 'VIP', color: '#B45309' })],
			items: [{ json: vip }],
		},
		bad: [{ at: 'name', value: '', label: 'Name' }],
	},
	{
		resource: 'tag',
		operation: 'getAll',
		seed: { tags: [vip, fresh] },
		minimal: {
			parameters: {},
			requests: [get('/tags')],
			items: [{ json: vip }, { json: fresh }],
		},
		full: {
			parameters: { returnAll: false, limit: 1 },
			requests: [get('/tags')],
			items: [{ json: vip }],
		},
		bad: [{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' }],
	},
];
