import { get, post, dateTime, type ApiCall, type Expected, type OperationCases } from './case';
import { byId } from './parameters';

const template = {
	id: '11111111-1111-4111-8111-111111111111',
	name: 'sale',
	content: 'Hello {{name}}, everything is {{discount}} off',
};

const body = {
	name: 'Spring sale',
	recipients: ['905551234567', '120363041234567890@g.us'],
	message: 'Everything is half price',
};

/** The delay keeps it running for longer than a test. */
const created = (): ApiCall => post('/messages/broadcast', { ...body, delay_between_messages: 3600 });

const calls = [created(), created()];

const running = (id: string): { [name: string]: Expected } => ({
	id,
	name: 'Spring sale',
	recipients: ['905551234567@c.us', '120363041234567890@g.us'],
	message: 'Everything is half price',
	template_id: null,
	variables: {},
	delay_between_messages: 3600,
	status: 'running',
	total: 2,
	sent: 0,
	failed: 0,
	created_at: dateTime,
});

const parameters = {
	name: 'Spring sale',
	recipients: '+90 555 123 45 67, 120363041234567890@g.us',
	message: 'Everything is half price',
};

const request = (more: { [name: string]: Expected } = {}) =>
	post('/messages/broadcast', { ...body, ...more });

const item = { json: { ...running('broadcast-1'), delay_between_messages: 1, outcome: 'queued' } };

const badId = [
	{ at: 'broadcastId', value: '', label: 'Broadcast ID' },
	{ at: 'broadcastId', value: '..', label: 'Broadcast ID', says: "'..'" },
	{ at: 'broadcastId', value: '.', label: 'Broadcast ID', says: "'.'" },
] as const;

export const broadcast: readonly OperationCases[] = [
	{
		resource: 'broadcast',
		queueHeld: true,
		operation: 'cancel',
		calls,
		minimal: {
			parameters: { broadcastId: 'broadcast-1' },
			requests: [post('/messages/broadcast/broadcast-1/cancel')],
			items: [{ json: { ...running('broadcast-1'), status: 'cancelled' } }],
		},
		bad: badId,
		again: 'broadcast-2',
	},
	{
		resource: 'broadcast',
		queueHeld: true,
		operation: 'create',
		seed: { templates: [template] },
		minimal: { parameters, requests: [request()], items: [item] },
		full: {
			parameters: {
				...parameters,
				delayBetweenMessages: 3600,
				additionalFields: {
					templateId: byId(template.id),
					variables: '{ "name": "Ada", "discount": "10%" }',
				},
			},
			requests: [
				request({
					delay_between_messages: 3600,
					template_id: '11111111-1111-4111-8111-111111111111',
					variables: { name: 'Ada', discount: '10%' },
				}),
			],
			items: [
				{
					json: {
						...running('broadcast-1'),
						outcome: 'queued',
						template_id: '11111111-1111-4111-8111-111111111111',
						variables: { name: 'Ada', discount: '10%' },
					},
				},
			],
		},
		more: {
			'takes a list of recipients from an expression': {
				parameters: { ...parameters, recipients: '={{ $json.recipients }}' },
				input: [{ json: { recipients: [905551234567, '120363041234567890@g.us'] } }],
				requests: [request()],
				items: [item],
			},
			'makes one broadcast of all items': {
				parameters: { ...parameters, recipientsFrom: 'allItems', recipients: '={{ $json.phone }}' },
				input: ['+90 555 123 45 67', '120363041234567890@g.us', '905551234567@c.us'].map((phone) => ({
					json: { phone },
				})),
				requests: [request()],
				items: [{ ...item, from: [0, 1, 2] }],
			},
			'makes a broadcast of each item': {
				parameters: { ...parameters, recipientsFrom: 'thisItem', recipients: '={{ $json.phones }}' },
				input: [1, 2].map(() => ({ json: { phones: parameters.recipients } })),
				requests: [request(), request()],
				items: [item, { json: { ...item.json, id: 'broadcast-2' }, from: 1 }],
			},
			'sends a template instead of a text': {
				parameters: {
					name: 'Spring sale',
					recipients: '905551234567',
					message: '',
					additionalFields: {
						templateId: byId(template.id),
						variables: '{ "name": "Ada", "discount": "10%" }',
					},
				},
				requests: [
					post('/messages/broadcast', {
						name: 'Spring sale',
						recipients: ['905551234567'],
						template_id: '11111111-1111-4111-8111-111111111111',
						variables: { name: 'Ada', discount: '10%' },
					}),
				],
				items: [
					{
						json: {
							...running('broadcast-1'),
							outcome: 'queued',
							recipients: ['905551234567@c.us'],
							message: null,
							template_id: '11111111-1111-4111-8111-111111111111',
							variables: { name: 'Ada', discount: '10%' },
							delay_between_messages: 1,
							total: 1,
						},
					},
				],
			},
		},
		bad: [
			{ at: 'recipients', value: '905551234567, Ada', label: 'Recipients', says: "'Ada'" },
			{ at: 'recipients', value: '', label: 'Recipients' },
			{ at: 'name', value: '', label: 'Name' },
			{ at: 'message', value: '', label: 'Message' },
			{
				at: 'additionalFields.variables',
				value: '{ "name": "" }',
				label: 'Variables (JSON)',
				says: "'name'",
				with: { additionalFields: {} },
			},
			{ at: 'delayBetweenMessages', value: -1, label: 'Delay Between Messages', says: '-1' },
		],
		corrections: { message: 'Corrected' },
	},
	{
		resource: 'broadcast',
		queueHeld: true,
		operation: 'get',
		calls,
		minimal: {
			parameters: { broadcastId: 'broadcast-1' },
			requests: [get('/messages/broadcast/broadcast-1')],
			items: [{ json: running('broadcast-1') }],
		},
		bad: badId,
	},
	{
		resource: 'broadcast',
		queueHeld: true,
		operation: 'getAll',
		calls,
		minimal: {
			parameters: {},
			requests: [get('/messages/broadcast', { page: '1', limit: '50' })],
			items: [{ json: running('broadcast-1') }, { json: running('broadcast-2') }],
		},
		full: {
			parameters: { returnAll: false, limit: 1 },
			requests: [get('/messages/broadcast', { page: '1', limit: '1' })],
			items: [{ json: running('broadcast-1') }],
		},
		bad: [{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' }],
	},
	{
		resource: 'broadcast',
		queueHeld: true,
		operation: 'getProgress',
		calls,
		minimal: {
			parameters: { broadcastId: 'broadcast-1' },
			requests: [get('/messages/broadcast/broadcast-1/progress')],
			items: [{ json: { id: 'broadcast-1', status: 'running', total: 2, sent: 0, failed: 0, pending: 2 } }],
		},
		bad: badId,
	},
];
