import { DateTime } from 'luxon';

import { cancel } from '../../../nodes/MessagingChannel/actions/scheduledMessage/cancel';
import { create } from '../../../nodes/MessagingChannel/actions/scheduledMessage/create';
import { update } from '../../../nodes/MessagingChannel/actions/scheduledMessage/update';
import { located, requestFor } from '../entered';

const now = '2030-06-01T12:00:00.000Z';

beforeEach(() => {
	jest.useFakeTimers({ now: new Date(now) });
});

afterEach(() => {
	jest.useRealTimers();
});

const created = (scheduledAt: unknown) =>
	requestFor(create, { to: located('phone', '905551234567'), message: 'Hello', scheduledAt }).parameters;
const updated = (updateFields: object) =>
	requestFor(update, { scheduledMessageId: 'scheduled-1', updateFields }).parameters;

test.each<[unknown, string, string]>([
	['2030-06-01T18:00:00', '2030-06-01T15:00:00.000Z', 'in the time zone of the workflow'],
	['2030-06-01 18:00:00', '2030-06-01T15:00:00.000Z', 'as the date picker writes it'],
	['2030-06-01T18:00:00Z', '2030-06-01T18:00:00.000Z', 'in UTC'],
	['2030-06-01T18:00:00-05:00', '2030-06-01T23:00:00.000Z', 'with an offset'],
	['2030-06-02', '2030-06-01T21:00:00.000Z', 'as a day'],
	[new Date('2030-06-01T18:00:00Z'), '2030-06-01T18:00:00.000Z', 'as a Date'],
	[
		DateTime.fromISO('2030-06-02T18:00:00', { zone: 'Asia/Tokyo' }),
		'2030-06-02T09:00:00.000Z',
		'as a DateTime',
	],
])('%s is sent as %s, %s', (scheduledAt, sent) => {
	expect(created(scheduledAt)).toMatchObject({ scheduledAt: sent });
});

test.each([
	['2030-06-01T11:59:59Z', "'Scheduled At' is in the past: '2030-06-01T11:59:59.000Z'"],
	[now, "'Scheduled At' is in the past"],
	['2030-06-01T14:59:00', "'Scheduled At' is in the past: '2030-06-01T11:59:00.000Z'"],
	['', "'Scheduled At' is empty"],
	['tomorrow', "'Scheduled At' is not a valid date: 'tomorrow'"],
	['2030-02-30T12:00:00Z', "'Scheduled At' is not a valid date"],
	[{}, "'Scheduled At' is not a valid date"],
])('%j is refused', (scheduledAt, problem) => {
	expect(() => created(scheduledAt)).toThrow(problem);
});

test('a change sends only what was added', () => {
	expect(updated({ message: 'Later' })).toEqual({ id: 'scheduled-1', message: 'Later' });
	expect(updated({ to: located('id', '120363@g.us'), scheduledAt: '2030-06-01T18:00:00Z' })).toEqual({
		id: 'scheduled-1',
		to: '120363@g.us',
		scheduledAt: '2030-06-01T18:00:00.000Z',
	});
});

test.each([
	[{}, "'Update Fields' is empty"],
	[{ scheduledAt: '' }, "'Scheduled At' is empty"],
	[{ scheduledAt: '2020-01-01T00:00:00Z' }, "'Scheduled At' is in the past"],
	[{ message: '' }, "'Message' is empty"],
	[{ to: located('phone', '') }, "'To' is empty"],
])('a change to %j is refused', (updateFields, problem) => {
	expect(() => updated(updateFields)).toThrow(problem);
});

test('a cancelled message is put out as the service gives it, or else as deleted', () => {
	const record = { id: 'scheduled-1', status: 'cancelled' };
	expect(cancel.output?.({ success: true, data: record })).toEqual([record]);
	expect(cancel.output?.({ success: true })).toEqual([{ deleted: true }]);
	expect(cancel.output?.({})).toEqual([{ deleted: true }]);
});
