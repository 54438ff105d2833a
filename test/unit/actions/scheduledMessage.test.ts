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

const scheduled = (scheduledAt: string) => {
	const entered = { to: located('phone', '905551234567'), message: 'Hello', scheduledAt };
	const { parameters, beforeAttempt } = requestFor(create, entered);
	beforeAttempt?.(Date.now());
	return parameters;
};

test.each([
	['2030-06-01T11:59:59Z', '2030-06-01T11:59:59.000Z'],
	[now, now],
	['2030-06-01T14:59:00', '2030-06-01T11:59:00.000Z'],
])('%s is in the past', (scheduledAt, shown) => {
	expect(() => scheduled(scheduledAt)).toThrow(
		expect.objectContaining({
			message: `'Scheduled At' is in the past: '${shown}'`,
			description: 'Enter a date and time in the future.',
		}),
	);
});

test('an update to a time that has passed meanwhile is refused before its attempt', () => {
	const entered = {
		scheduledMessageId: 'scheduled-1',
		updateFields: { scheduledAt: '2030-06-01T12:01:00Z' },
	};
	const { beforeAttempt } = requestFor(update, entered);
	expect(() => beforeAttempt?.(Date.now())).not.toThrow();
	expect(() => beforeAttempt?.(Date.now() + 60_000)).toThrow("'Scheduled At' is in the past");
});

test('an update of something else has no time', () => {
	const entered = { scheduledMessageId: 'scheduled-1', updateFields: { message: 'Hello' } };
	expect(() => requestFor(update, entered).beforeAttempt?.(Date.now())).not.toThrow();
});

test('a millisecond from now is not', () => {
	expect(scheduled('2030-06-01T12:00:00.001Z')).toMatchObject({ scheduledAt: '2030-06-01T12:00:00.001Z' });
});

test('a cancelled message is put out as the service returns it, or else as deleted', () => {
	const record = { id: 'scheduled-1', status: 'cancelled' };
	expect(cancel.output?.({ success: true, data: record })).toEqual([record]);
	expect(cancel.output?.({ success: true })).toEqual([{ deleted: true }]);
	expect(cancel.output?.({})).toEqual([{ deleted: true }]);
});
