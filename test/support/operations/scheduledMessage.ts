import { get, post, put, remove, type ApiCall, type OperationCases } from './case';
import { byPhone } from './parameters';

const scheduled = (scheduled_at: string): ApiCall =>
	post('/messages/schedule', { to: '905551234567', message: 'Hello', scheduled_at });

const calls = [scheduled('2035-06-01T06:00:00.000Z'), scheduled('2035-06-02T06:00:00.000Z')];

const pending = (id: string, day = 1) => ({
	id,
	to: '905551234567@c.us',
	message: 'Hello',
	scheduled_at: `2035-06-0${day}T06:00:00.000Z`,
	status: 'pending',
});

const created = (scheduled_at: string | RegExp, message = 'Hello') => ({
	requests: [post('/messages/schedule', { to: '905551234567', message, scheduled_at })],
	items: [{ json: { ...pending('scheduled-1'), message, scheduled_at, outcome: 'queued' } }],
});

const schedule = (scheduledAt: string) => ({
	to: byPhone('+90 555 123 45 67'),
	message: 'Hello',
	scheduledAt,
});

const badId = [
	{ at: 'scheduledMessageId', value: '', label: 'Scheduled Message ID' },
	{ at: 'scheduledMessageId', value: '..', label: 'Scheduled Message ID', says: "'..'" },
	{ at: 'scheduledMessageId', value: '.', label: 'Scheduled Message ID', says: "'.'" },
] as const;

const badDates = (at: string) => [
	{ at, value: 'tomorrow', label: 'Scheduled At', says: 'tomorrow' },
	{ at, value: '2020-01-01T00:00:00', label: 'Scheduled At', says: 'past' },
	{ at, value: '2035-02-30T00:00:00', label: 'Scheduled At', says: '2035-02-30' },
	{ at, value: '', label: 'Scheduled At' },
];

export const scheduledMessage: readonly OperationCases[] = [
	{
		resource: 'scheduledMessage',
		operation: 'cancel',
		calls,
		minimal: {
			parameters: { scheduledMessageId: 'scheduled-1' },
			requests: [remove('/messages/scheduled/scheduled-1')],
			items: [{ json: { ...pending('scheduled-1'), status: 'cancelled' } }],
		},
		bad: badId,
		again: 'scheduled-2',
	},
	{
		resource: 'scheduledMessage',
		operation: 'create',
		minimal: { parameters: schedule('2035-06-01T09:00:00'), ...created('2035-06-01T06:00:00.000Z') },
		more: {
			'reads a date of the date picker in the time zone of the workflow': {
				parameters: schedule('2035-01-31 23:30:00'),
				...created('2035-01-31T20:30:00.000Z'),
			},
			'turns a date with an offset into UTC': {
				parameters: schedule('2035-06-01T09:00:00-05:00'),
				...created('2035-06-01T14:00:00.000Z'),
			},
			'takes a date relative to now': {
				parameters: schedule('={{ $now.plus({ days: 1 }) }}'),
				...created(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
			},
		},
		bad: [
			{ at: 'to.value', value: 'Ada', label: 'To', says: "'Ada'" },
			{ at: 'message', value: '', label: 'Message' },
			...badDates('scheduledAt'),
		],
		corrections: { message: 'Corrected' },
	},
	{
		resource: 'scheduledMessage',
		operation: 'get',
		calls,
		minimal: {
			parameters: { scheduledMessageId: 'scheduled-1' },
			requests: [get('/messages/scheduled/scheduled-1')],
			items: [{ json: pending('scheduled-1') }],
		},
		bad: badId,
	},
	{
		resource: 'scheduledMessage',
		operation: 'getAll',
		calls: [...calls, remove('/messages/scheduled/scheduled-2')],
		minimal: {
			parameters: {},
			requests: [get('/messages/scheduled', { page: '1', limit: '50' })],
			items: [
				{ json: pending('scheduled-1') },
				{ json: { ...pending('scheduled-2', 2), status: 'cancelled' } },
			],
		},
		full: {
			parameters: { returnAll: false, limit: 5, filters: { status: 'cancelled' } },
			requests: [get('/messages/scheduled', { page: '1', limit: '5', status: 'cancelled' })],
			items: [{ json: { ...pending('scheduled-2', 2), status: 'cancelled' } }],
		},
		bad: [
			{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' },
			{ at: 'filters.status', value: 'gone', label: 'Status', says: 'gone', with: { filters: {} } },
		],
	},
	{
		resource: 'scheduledMessage',
		operation: 'update',
		calls,
		minimal: {
			parameters: { scheduledMessageId: 'scheduled-1', updateFields: { message: 'Later' } },
			requests: [put('/messages/scheduled/scheduled-1', { message: 'Later' })],
			items: [{ json: { ...pending('scheduled-1'), message: 'Later' } }],
		},
		full: {
			parameters: {
				scheduledMessageId: 'scheduled-1',
				updateFields: {
					to: byPhone('+90 555 123 45 68'),
					message: 'Later',
					scheduledAt: '2035-07-01T09:00:00',
				},
			},
			requests: [
				put('/messages/scheduled/scheduled-1', {
					to: '905551234568',
					message: 'Later',
					scheduled_at: '2035-07-01T06:00:00.000Z',
				}),
			],
			items: [
				{
					json: {
						id: 'scheduled-1',
						to: '905551234568@c.us',
						message: 'Later',
						scheduled_at: '2035-07-01T06:00:00.000Z',
						status: 'pending',
					},
				},
			],
		},
		bad: [
			...badId,
			{ at: 'updateFields', value: {}, label: 'Update Fields' },
			...badDates('updateFields.scheduledAt'),
			{ at: 'updateFields.to', value: byPhone('Ada'), label: 'To', says: "'Ada'" },
			{ at: 'updateFields.message', value: '', label: 'Message', with: { updateFields: {} } },
		],
		corrections: { message: 'Corrected' },
	},
];
