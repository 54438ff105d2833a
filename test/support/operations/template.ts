import {
	badIds,
	badLimit,
	caseWith,
	get,
	operationsOf,
	post,
	put,
	queued,
	remove,
	uuid,
	wrong,
} from './case';
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

const seed = { templates: [shipped, greeting] };
const path = `/templates/${shipped.id}`;
const badId = badIds('templateId.value', 'Template');

/** What the service makes of a template that has only a name and a text. */
const created = { id: uuid, category: 'general', language: 'tr', is_active: true };

const answer = queued('905551234567@c.us');

const sent = (body: Record<string, string | Record<string, string>>) =>
	post('/messages/send-template', { to: '905551234567', ...body });

const toAda = { to: byPhone('905551234567') };
const filled = variables({ name: 'Ada', order: '42' });
const fill = { variables: { name: 'Ada', order: '42' } };

const changed = { name: 'sent', content: 'Dear {{customer}}', category: 'mail', language: 'de' };

export const template = operationsOf('template', {
	create: {
		minimal: caseWith(
			{ name: 'order_shipped', content: 'Hello {{name}}' },
			post('/templates', { name: 'order_shipped', content: 'Hello {{name}}' }),
			{ ...created, name: 'order_shipped', content: 'Hello {{name}}', variables: ['name'] },
		),
		full: caseWith(
			{
				name: 'order_shipped',
				content: 'Hello {{name}}, order {{order}} has shipped',
				additionalFields: { category: 'orders', language: 'en', variables: 'name, order' },
			},
			post('/templates', {
				name: 'order_shipped',
				content: 'Hello {{name}}, order {{order}} has shipped',
				category: 'orders',
				language: 'en',
				variables: ['name', 'order'],
			}),
			{ ...shipped, id: uuid },
		),
		bad: [wrong('name', '', 'Name'), wrong('content', '', 'Content')],
	},
	delete: {
		seed,
		minimal: caseWith({ templateId: byId(shipped.id) }, remove(path), { deleted: true }),
		bad: badId,
		again: greeting.id,
	},
	get: {
		seed,
		minimal: caseWith({ templateId: fromList(shipped.id, 'order_shipped') }, get(path), shipped),
		bad: badId,
	},
	getAll: {
		seed,
		minimal: caseWith({}, get('/templates'), shipped, greeting),
		full: caseWith(
			{ returnAll: true, filters: { category: 'orders', isActive: true, search: 'shipped' } },
			get('/templates', { category: 'orders', is_active: 'true', search: 'shipped' }),
			shipped,
		),
		bad: [badLimit, wrong('filters.isActive', 'sometimes', 'Active')],
	},
	send: {
		seed,
		minimal: caseWith(
			{
				to: byPhone('+90 555 123 45 67'),
				templateId: fromList(greeting.id, 'greeting'),
				templateVariables: { mappingMode: 'defineBelow', value: null },
			},
			sent({ template_id: greeting.id }),
			answer,
		),
		full: caseWith(
			{ ...toAda, templateId: fromList(shipped.id, 'order_shipped'), templateVariables: filled },
			sent({ template_id: shipped.id, ...fill }),
			answer,
		),
		more: {
			'names the template by its name': caseWith(
				{ ...toAda, templateId: byName('order_shipped'), templateVariables: filled },
				sent({ template_name: 'order_shipped', ...fill }),
				answer,
			),
			'takes the texts as JSON for a template from the list, whose fields are left empty': {
				...caseWith(
					{
						...toAda,
						templateId: fromList(shipped.id, 'order_shipped'),
						templateVariables: { ...variables({ name: null, order: null }), value: null },
						additionalFields: { variables: '={{ { name: $json.name, order: $json.order } }}' },
					},
					sent({ template_id: shipped.id, ...fill }),
					answer,
				),
				input: [{ json: { name: 'Ada', order: 42 } }],
			},
		},
		bad: [
			wrong('to.value', 'Ada', 'To', "'Ada'"),
			wrong('templateId.value', '', 'Template'),
			wrong('templateVariables', variables({ name: 'Ada', order: null }), 'Template Variables', "'order'"),
			wrong('additionalFields.variables', '{ "name": ', 'Variables (JSON)'),
		],
	},
	update: {
		seed,
		minimal: caseWith(
			{ templateId: byId(shipped.id), updateFields: { isActive: false } },
			put(path, { is_active: false }),
			{ ...shipped, is_active: false },
		),
		full: caseWith(
			{
				templateId: byId(shipped.id),
				updateFields: { ...changed, variables: 'customer', isActive: true },
			},
			put(path, { ...changed, variables: ['customer'], is_active: true }),
			{ id: shipped.id, ...changed, variables: ['customer'], is_active: true },
		),
		bad: [...badId, wrong('updateFields', {}, 'Update Fields')],
	},
});
