import { get, post, put, remove, type ApiCall, type OperationCases } from './case';

const hours = {
	name: 'Opening hours',
	trigger_type: 'keyword',
	trigger_value: 'hours',
	reply: 'We are open from 9 to 18',
};

const created = (): ApiCall => post('/auto-replies', hours);

const calls = [created(), created()];

const rule = (id: string) => ({ ...hours, id, is_active: true });

const parameters = {
	name: 'Opening hours',
	triggerType: 'keyword',
	triggerValue: 'hours',
	reply: 'We are open from 9 to 18',
};

const badId = [
	{ at: 'autoReplyId', value: '', label: 'Auto-Reply ID' },
	{ at: 'autoReplyId', value: '..', label: 'Auto-Reply ID', says: "'..'" },
	{ at: 'autoReplyId', value: '.', label: 'Auto-Reply ID', says: "'.'" },
] as const;

export const autoReply: readonly OperationCases[] = [
	{
		resource: 'autoReply',
		operation: 'create',
		minimal: {
			parameters,
			requests: [post('/auto-replies', hours)],
			items: [{ json: rule('auto-reply-1') }],
		},
		full: {
			parameters: { ...parameters, triggerType: 'regex', additionalFields: { isActive: false } },
			requests: [post('/auto-replies', { ...hours, trigger_type: 'regex', is_active: false })],
			items: [{ json: { ...rule('auto-reply-1'), trigger_type: 'regex', is_active: false } }],
		},
		bad: [
			{ at: 'name', value: '', label: 'Name' },
			{ at: 'reply', value: '', label: 'Reply' },
			{ at: 'triggerType', value: '', label: 'Trigger Type' },
			{ at: 'triggerValue', value: '', label: 'Trigger Value' },
		],
		corrections: { reply: 'Corrected' },
	},
	{
		resource: 'autoReply',
		operation: 'delete',
		calls,
		minimal: {
			parameters: { autoReplyId: 'auto-reply-1' },
			requests: [remove('/auto-replies/auto-reply-1')],
			items: [{ json: { deleted: true } }],
		},
		bad: badId,
		again: 'auto-reply-2',
	},
	{
		resource: 'autoReply',
		operation: 'get',
		calls,
		minimal: {
			parameters: { autoReplyId: 'auto-reply-1' },
			requests: [get('/auto-replies/auto-reply-1')],
			items: [{ json: rule('auto-reply-1') }],
		},
		bad: badId,
	},
	{
		resource: 'autoReply',
		operation: 'getAll',
		calls,
		minimal: {
			parameters: {},
			requests: [get('/auto-replies')],
			items: [{ json: rule('auto-reply-1') }, { json: rule('auto-reply-2') }],
		},
		full: {
			parameters: { returnAll: false, limit: 1 },
			requests: [get('/auto-replies')],
			items: [{ json: rule('auto-reply-1') }],
		},
		bad: [{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' }],
	},
	{
		resource: 'autoReply',
		operation: 'update',
		calls,
		minimal: {
			parameters: { autoReplyId: 'auto-reply-1', updateFields: { isActive: false } },
			requests: [put('/auto-replies/auto-reply-1', { is_active: false })],
			items: [{ json: { ...rule('auto-reply-1'), is_active: false } }],
		},
		full: {
			parameters: {
				autoReplyId: 'auto-reply-1',
				updateFields: {
					name: 'Price list',
					triggerType: 'office_hours',
					triggerValue: '',
					reply: 'See our site',
					isActive: true,
				},
			},
			requests: [
				put('/auto-replies/auto-reply-1', {
					name: 'Price list',
					trigger_type: 'office_hours',
					trigger_value: '',
					reply: 'See our site',
					is_active: true,
				}),
			],
			items: [
				{
					json: {
						id: 'auto-reply-1',
						name: 'Price list',
						trigger_type: 'office_hours',
						trigger_value: '',
						reply: 'See our site',
						is_active: true,
					},
				},
			],
		},
		bad: [...badId, { at: 'updateFields', value: {}, label: 'Update Fields' }],
		corrections: { reply: 'Corrected' },
	},
];
