import { WAIT_INDEFINITELY } from 'n8n-workflow';

import { deadlineOf, type WaitLimit } from '../../../nodes/MessagingChannel/sendAndWait/deadline';

const now = Date.parse('2030-01-31T09:00:00Z');

test.each<[WaitLimit | undefined, string]>([
	[{ limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' }, '2030-01-31T09:45:00.000Z'],
	[{ limitType: 'afterTimeInterval', resumeAmount: 1.5, resumeUnit: 'hours' }, '2030-01-31T10:30:00.000Z'],
	[{ limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'days' }, '2030-02-02T09:00:00.000Z'],
	[{ limitType: 'atSpecifiedTime', maxDateAndTime: '2030-03-01T00:00:00.000Z' }, '2030-03-01T00:00:00.000Z'],
	[undefined, WAIT_INDEFINITELY.toISOString()],
	[
		{ limitType: 'afterTimeInterval', resumeAmount: 1e15, resumeUnit: 'days' },
		WAIT_INDEFINITELY.toISOString(),
	],
])('%j ends at %s', (limit, end) => {
	expect(deadlineOf(limit, now).toISOString()).toBe(end);
});
