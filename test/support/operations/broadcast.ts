import { badIds, caseWith, dateTime, get, listOf, operationsOf, post, wrong, type Expected } from './case';
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
const created = post('/messages/broadcast', { ...body, delay_between_messages: 3600 });

const calls = [created, created];

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

const filled = {
	templateId: byId(template.id),
	variables: '{ "name": "Ada", "discount": "10%" }',
};
const fill = { template_id: template.id, variables: { name: 'Ada', discount: '10%' } };

const request = (more: { [name: string]: Expected } = {}) =>
	post('/messages/broadcast', { ...body, ...more });

const sent = { ...running('broadcast-1'), delay_between_messages: 1, outcome: 'queued' };

const first = { broadcastId: 'broadcast-1' };
const path = '/messages/broadcast/broadcast-1';
const badId = badIds('broadcastId', 'Broadcast ID');

export const broadcast = operationsOf('broadcast', {
	cancel: {
		calls,
		minimal: caseWith(first, post(`${path}/cancel`), { ...running('broadcast-1'), status: 'cancelled' }),
		bad: badId,
		again: 'broadcast-2',
	},
	create: {
		seed: { templates: [template] },
		minimal: caseWith(parameters, request(), sent),
		full: caseWith(
			{ ...parameters, delayBetweenMessages: 3600, additionalFields: filled },
			request({ delay_between_messages: 3600, ...fill }),
			{ ...running('broadcast-1'), outcome: 'queued', ...fill },
		),
		more: {
			'takes a list of recipients from an expression': {
				...caseWith({ ...parameters, recipients: '={{ $json.recipients }}' }, request(), sent),
				input: [{ json: { recipients: [905551234567, '120363041234567890@g.us'] } }],
			},
			'makes one broadcast of all items': {
				parameters: { ...parameters, recipientsFrom: 'allItems', recipients: '={{ $json.phone }}' },
				input: ['+90 555 123 45 67', '120363041234567890@g.us', '905551234567@c.us'].map((phone) => ({
					json: { phone },
				})),
				requests: [request()],
				items: [{ json: sent, from: [0, 1, 2] }],
			},
			'makes a broadcast of each item': {
				parameters: { ...parameters, recipientsFrom: 'thisItem', recipients: '={{ $json.phones }}' },
				input: [1, 2].map(() => ({ json: { phones: parameters.recipients } })),
				requests: [request(), request()],
				items: [{ json: sent }, { json: { ...sent, id: 'broadcast-2' }, from: 1 }],
			},
			'sends a template instead of a text': caseWith(
				{ name: 'Spring sale', recipients: '905551234567', message: '', additionalFields: filled },
				post('/messages/broadcast', { name: 'Spring sale', recipients: ['905551234567'], ...fill }),
				{ ...sent, recipients: ['905551234567@c.us'], message: null, ...fill, total: 1 },
			),
		},
		bad: [
			wrong('recipients', '905551234567, Ada', 'Recipients', "'Ada'"),
			wrong('recipients', '', 'Recipients'),
			wrong('name', '', 'Name'),
			wrong('message', '', 'Message'),
			wrong('additionalFields.variables', '{ "name": "" }', 'Variables (JSON)', "'name'"),
			wrong('delayBetweenMessages', -1, 'Delay Between Messages', '-1'),
		],
		corrections: { message: 'Corrected' },
	},
	get: { calls, minimal: caseWith(first, get(path), running('broadcast-1')), bad: badId },
	getAll: {
		calls,
		...listOf('/messages/broadcast', [running('broadcast-1'), running('broadcast-2')], (limit) => ({
			page: '1',
			limit,
		})),
	},
	getProgress: {
		calls,
		minimal: caseWith(first, get(`${path}/progress`), {
			id: 'broadcast-1',
			status: 'running',
			total: 2,
			sent: 0,
			failed: 0,
			pending: 2,
		}),
		bad: badId,
	},
}).map((cases) => ({ ...cases, queueHeld: true as const }));
