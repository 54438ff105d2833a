import camelCase from 'lodash/camelCase';
import mapKeys from 'lodash/mapKeys';

import { badIds, caseWith, get, listOf, operationsOf, post, put, remove, wrong } from './case';

const hours = {
	name: 'Opening hours',
	trigger_type: 'keyword',
	trigger_value: 'hours',
	reply: 'We are open from 9 to 18',
};
const parameters = mapKeys(hours, (_, name) => camelCase(name));

const calls = [post('/auto-replies', hours), post('/auto-replies', hours)];

const rule = (id: string, change: object = {}) => ({ ...hours, id, is_active: true, ...change });

const first = { autoReplyId: 'auto-reply-1' };
const path = '/auto-replies/auto-reply-1';
const badId = badIds('autoReplyId', 'Auto-Reply ID');

const prices = {
	name: 'Price list',
	trigger_type: 'office_hours',
	trigger_value: '',
	reply: 'See our site',
	is_active: true,
};

export const autoReply = operationsOf('autoReply', {
	create: {
		minimal: caseWith(parameters, post('/auto-replies', hours), rule('auto-reply-1')),
		full: caseWith(
			{ ...parameters, triggerType: 'regex', additionalFields: { isActive: false } },
			post('/auto-replies', { ...hours, trigger_type: 'regex', is_active: false }),
			rule('auto-reply-1', { trigger_type: 'regex', is_active: false }),
		),
		bad: [
			wrong('name', '', 'Name'),
			wrong('reply', '', 'Reply'),
			wrong('triggerType', '', 'Trigger Type'),
			wrong('triggerValue', '', 'Trigger Value'),
		],
		corrections: { reply: 'Corrected' },
	},
	delete: {
		calls,
		minimal: caseWith(first, remove(path), { deleted: true }),
		bad: badId,
		again: 'auto-reply-2',
	},
	get: { calls, minimal: caseWith(first, get(path), rule('auto-reply-1')), bad: badId },
	getAll: { calls, ...listOf('/auto-replies', [rule('auto-reply-1'), rule('auto-reply-2')]) },
	update: {
		calls,
		minimal: caseWith(
			{ ...first, updateFields: { isActive: false } },
			put(path, { is_active: false }),
			rule('auto-reply-1', { is_active: false }),
		),
		full: caseWith(
			{
				...first,
				updateFields: mapKeys(prices, (_, name) => camelCase(name)),
			},
			put(path, prices),
			{ id: 'auto-reply-1', ...prices },
		),
		bad: [...badId, wrong('updateFields', {}, 'Update Fields')],
		corrections: { reply: 'Corrected' },
	},
});
