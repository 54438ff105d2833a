import { caseWith, listOf, operationsOf, post, wrong } from './case';

const vip = { id: 'tag-1', name: 'VIP', color: '#B45309' };
const fresh = { id: 'tag-2', name: 'New', color: '' };

export const tag = operationsOf('tag', {
	create: {
		minimal: caseWith({ name: 'VIP' }, post('/tags', { name: 'VIP' }), { ...vip, color: '' }),
		full: caseWith(
			{ name: 'VIP', additionalFields: { color: '#B45309' } },
			post('/tags', { name: 'VIP', color: '#B45309' }),
			vip,
		),
		bad: [wrong('name', '', 'Name')],
	},
	getAll: { seed: { tags: [vip, fresh] }, ...listOf('/tags', [vip, fresh]) },
});
