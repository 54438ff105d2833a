import { get, post, put, remove, jobId, uuid, type ExpectedItem, type OperationCases } from './case';
import { byId, byName, byPhone, fromList, variables } from './parameters';

const shipped = {
	id: '11111111-1111-4111-8111-111111111111',
	name: 'order_shipped',
	content: 'Hello {{name}}, order {{order}} has shipped',
	category: 'orders',
	language: 'en',
	variables: ['name', 'order'],
	is_active: true,
};

const greeting = {
	id: '22222222-2222-4222-8222-222222222222',
	name: 'greeting',
	content: 'Good morning',
	category: 'general',
	language: 'tr',
	variables: [],
	is_active: true,
};

const templates = [shipped, greeting];

const queued: ExpectedItem = {
	json: { queued: true, job_id: jobId, to: '905551234567@c.us', outcome: 'queued' },
};

const sent = (body: Record<string, string | Record<string, string>>) =>
	post('/messages/send-template', { to: '905551234567', ...body });

const noVariables = { mappingMode: 'defineBelow', value: null };

const badId = [
	{ at: 'templateId.value', value: '', label: 'Template' },
	{ at: 'templateId.value', value: '..', label: 'Template', says: "'..'" },
] as const;

export const template: readonly OperationCases[] = [
	{
		resource: 'template',
		operation: 'create',
		minimal: {
			parameters: { name: 'order_shipped', content: 'Hello {{name}}' },
			requests: [post('/templates', { name: 'order_shipped', content: 'Hello {{name}}' })],
			items: [
				{
					json: {
						id: uuid,
						name: 'order_shipped',
						content: 'Hello {{name}}',
						category: 'general',
						language: 'tr',
						variables: ['name'],
						is_active: true,
					},
				},
			],
		},
		full: {
			parameters: {
				name: 'order_shipped',
				content: 'Hello {{name}}, order {{order}} has shipped',
				additionalFields: { category: 'orders', language: 'en', variables: 'name, order' },
			},
			requests: [
				post('/templates', {
					name: 'order_shipped',
					content: 'Hello {{name}}, order {{order}} has shipped',
					category: 'orders',
					language: 'en',
					variables: ['name', 'order'],
				}),
			],
			items: [{ json: { ...shipped, id: uuid } }],
		},
		more: {
			'takes the names of the variables as a list from an expression': {
				parameters: {
					name: 'order_shipped',
					content: 'Hello',
					additionalFields: { variables: '={{ $json.names }}' },
				},
				input: [{ json: { names: ['name', 'order'] } }],
				requests: [
					post('/templates', { name: 'order_shipped', content: 'Hello', variables: ['name', 'order'] }),
				],
				items: [
					{
						json: {
							id: uuid,
							name: 'order_shipped',
							content: 'Hello',
							category: 'general',
							language: 'tr',
							variables: ['name', 'order'],
							is_active: true,
						},
					},
				],
			},
		},
		bad: [
			{ at: 'name', value: '', label: 'Name' },
			{ at: 'content', value: '', label: 'Content' },
		],
	},
	{
		resource: 'template',
		operation: 'delete',
		seed: { templates },
		minimal: {
			parameters: { templateId: byId(shipped.id) },
			requests: [remove('/templates/11111111-1111-4111-8111-111111111111')],
			items: [{ json: { deleted: true } }],
		},
		bad: badId,
		again: greeting.id,
	},
	{
		resource: 'template',
		operation: 'get',
		seed: { templates },
		minimal: {
			parameters: { templateId: fromList(shipped.id, 'order_shipped') },
			requests: [get('/templates/11111111-1111-4111-8111-111111111111')],
			items: [{ json: shipped }],
		},
		bad: badId,
	},
	{
		resource: 'template',
		operation: 'getAll',
		seed: { templates },
		minimal: {
			parameters: {},
			requests: [get('/templates')],
			items: [{ json: shipped }, { json: greeting }],
		},
		full: {
			parameters: {
				returnAll: true,
				filters: { category: 'orders', isActive: true, search: 'shipped' },
			},
			requests: [get('/templates', { category: 'orders', is_active: 'true', search: 'shipped' })],
			items: [{ json: shipped }],
		},
		bad: [
			{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' },
			{ at: 'filters.isActive', value: 'sometimes', label: 'Active', with: { filters: {} } },
		],
	},
	{
		resource: 'template',
		operation: 'send',
		seed: { templates },
		minimal: {
			parameters: {
				to: byPhone('+90 555 123 45 67'),
				templateId: fromList(greeting.id, 'greeting'),
				templateVariables: noVariables,
			},
			requests: [sent({ template_id: '22222222-2222-4222-8222-222222222222' })],
			items: [queued],
		},
		full: {
			parameters: {
				to: byPhone('905551234567'),
				templateId: fromList(shipped.id, 'order_shipped'),
				templateVariables: variables({ name: 'Ada', order: '42' }),
			},
			requests: [
				sent({
					template_id: '11111111-1111-4111-8111-111111111111',
					variables: { name: 'Ada', order: '42' },
				}),
			],
			items: [queued],
		},
		more: {
			'names the template by its name': {
				parameters: {
					to: byPhone('905551234567'),
					templateId: byName('order_shipped'),
					templateVariables: variables({ name: 'Ada', order: '42' }),
				},
				requests: [sent({ template_name: 'order_shipped', variables: { name: 'Ada', order: '42' } })],
				items: [queued],
			},
			'takes the texts of each item': {
				parameters: {
					to: byPhone('905551234567'),
					templateId: byId(shipped.id),
					templateVariables: variables({ name: '={{ $json.name }}', order: '={{ $json.order }}' }),
				},
				input: [{ json: { name: 'Ada', order: 1 } }, { json: { name: 'Grace', order: 2 } }],
				requests: [
					sent({ template_id: shipped.id, variables: { name: 'Ada', order: '1' } }),
					sent({ template_id: shipped.id, variables: { name: 'Grace', order: '2' } }),
				],
				items: [queued, { ...queued, from: 1 }],
			},
			'takes the texts as JSON for a template from the list, whose fields are left empty': {
				parameters: {
					to: byPhone('905551234567'),
					templateId: fromList(shipped.id, 'order_shipped'),
					templateVariables: { ...variables({ name: null, order: null }), value: null },
					additionalFields: { variables: '={{ { name: $json.name, order: $json.order } }}' },
				},
				input: [{ json: { name: 'Ada', order: 42 } }],
				requests: [sent({ template_id: shipped.id, variables: { name: 'Ada', order: '42' } })],
				items: [queued],
			},
		},
		bad: [
			{ at: 'to.value', value: 'Ada', label: 'To', says: "'Ada'" },
			{ at: 'templateId.value', value: '', label: 'Template' },
			{
				at: 'templateVariables',
				value: variables({ name: 'Ada', order: null }),
				label: 'Template Variables',
				says: "'order'",
			},
			{
				at: 'additionalFields.variables',
				value: '{ "name": ',
				label: 'Variables (JSON)',
				with: { additionalFields: {} },
			},
		],
	},
	{
		resource: 'template',
		operation: 'update',
		seed: { templates },
		minimal: {
			parameters: { templateId: byId(shipped.id), updateFields: { isActive: false } },
			requests: [put('/templates/11111111-1111-4111-8111-111111111111', { is_active: false })],
			items: [{ json: { ...shipped, is_active: false } }],
		},
		full: {
			parameters: {
				templateId: byId(shipped.id),
				updateFields: {
					name: 'sent',
					content: 'Dear {{customer}}',
					category: 'mail',
					language: 'de',
					variables: 'customer',
					isActive: true,
				},
			},
			requests: [
				put('/templates/11111111-1111-4111-8111-111111111111', {
					name: 'sent',
					content: 'Dear {{customer}}',
					category: 'mail',
					language: 'de',
					variables: ['customer'],
					is_active: true,
				}),
			],
			items: [
				{
					json: {
						id: shipped.id,
						name: 'sent',
						content: 'Dear {{customer}}',
						category: 'mail',
						language: 'de',
						variables: ['customer'],
						is_active: true,
					},
				},
			],
		},
		more: {},
		bad: [...badId, { at: 'updateFields', value: {}, label: 'Update Fields' }],
	},
];
