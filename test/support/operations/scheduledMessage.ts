import { badIds, badLimit, caseWith, dateTime, get, operationsOf, post, put, remove, wrong } from './case';
import { byPhone } from './parameters';

const scheduled = (scheduled_at: string | RegExp) =>
	post('/messages/schedule', { to: '905551234567', message: 'Hello', scheduled_at });

const calls = [scheduled('2035-06-01T06:00:00.000Z'), scheduled('2035-06-02T06:00:00.000Z')];

const pending = (id: string, day = 1) => ({
	id,
	to: '905551234567@c.us',
	message: 'Hello',
	scheduled_at: `2035-06-0${day}T06:00:00.000Z`,
	status: 'pending',
});

/** A date as it is entered, and as the service must receive it. */
const scheduling = (scheduledAt: string, scheduled_at: string | RegExp) =>
	caseWith({ to: byPhone('+90 555 123 45 67'), message: 'Hello', scheduledAt }, scheduled(scheduled_at), {
		...pending('scheduled-1'),
		scheduled_at,
		outcome: 'queued',
	});

const first = { scheduledMessageId: 'scheduled-1' };
const path = '/messages/scheduled/scheduled-1';
const badId = badIds('scheduledMessageId', 'Scheduled Message ID');

const cancelled = { ...pending('scheduled-2', 2), status: 'cancelled' };

export const scheduledMessage = operationsOf('scheduledMessage', {
	cancel: {
		calls,
		minimal: caseWith(first, remove(path), { ...pending('scheduled-1'), status: 'cancelled' }),
		bad: badId,
		again: 'scheduled-2',
	},
	create: {
		minimal: scheduling('2035-06-01T09:00:00', '2035-06-01T06:00:00.000Z'),
		more: {
			'takes a date relative to now': scheduling('={{ $now.plus({ days: 1 }) }}', dateTime),
		},
		bad: [
			wrong('to.value', 'Ada', 'To', "'Ada'"),
			wrong('message', '', 'Message'),
			wrong('scheduledAt', '2020-01-01T00:00:00', 'Scheduled At', 'past'),
			wrong('scheduledAt', '', 'Scheduled At'),
		],
		corrections: { message: 'Corrected' },
	},
	get: { calls, minimal: caseWith(first, get(path), pending('scheduled-1')), bad: badId },
	getAll: {
		calls: [...calls, remove('/messages/scheduled/scheduled-2')],
		minimal: caseWith(
			{},
			get('/messages/scheduled', { page: '1', limit: '50' }),
			pending('scheduled-1'),
			cancelled,
		),
		full: caseWith(
			{ returnAll: false, limit: 5, filters: { status: 'cancelled' } },
			get('/messages/scheduled', { page: '1', limit: '5', status: 'cancelled' }),
			cancelled,
		),
		bad: [badLimit, wrong('filters.status', 'gone', 'Status', 'gone')],
	},
	update: {
		calls,
		minimal: caseWith({ ...first, updateFields: { message: 'Later' } }, put(path, { message: 'Later' }), {
			...pending('scheduled-1'),
			message: 'Later',
		}),
		full: caseWith(
			{
				...first,
				updateFields: {
					to: byPhone('+90 555 123 45 68'),
					message: 'Later',
					scheduledAt: '2035-07-01T09:00:00',
				},
			},
			put(path, { to: '905551234568', message: 'Later', scheduled_at: '2035-07-01T06:00:00.000Z' }),
			{
				id: 'scheduled-1',
				to: '905551234568@c.us',
				message: 'Later',
				scheduled_at: '2035-07-01T06:00:00.000Z',
				status: 'pending',
			},
		),
		bad: [
			...badId,
			wrong('updateFields', {}, 'Update Fields'),
			wrong('updateFields.scheduledAt', 'tomorrow', 'Scheduled At', 'tomorrow'),
			wrong('updateFields.to', byPhone('Ada'), 'To', "'Ada'"),
			wrong('updateFields.message', '', 'Message'),
		],
		corrections: { message: 'Corrected' },
	},
});
