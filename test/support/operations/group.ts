import { caseWith, listOf, operationsOf, post, wrong } from './case';

const fields = { color: '#0F766E', description: 'Shops', icon: 'cart' };
const wholesale = { id: 'group-1', name: 'Wholesale', ...fields };
const empty = { color: '', description: '', icon: '' };
const retail = { id: 'group-2', name: 'Retail', ...empty };

export const group = operationsOf('group', {
	create: {
		minimal: caseWith({ name: 'Wholesale' }, post('/groups', { name: 'Wholesale' }), {
			...wholesale,
			...empty,
		}),
		full: caseWith(
			{ name: 'Wholesale', additionalFields: fields },
			post('/groups', { name: 'Wholesale', ...fields }),
			wholesale,
		),
		bad: [wrong('name', '', 'Name')],
	},
	getAll: { seed: { groups: [wholesale, retail] }, ...listOf('/groups', [wholesale, retail]) },
});
