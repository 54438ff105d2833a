import type { IDataObject } from 'n8n-workflow';

import { messageTimestampIn } from '../../../../nodes/MessagingChannel/trigger/delivery/event';

test.each<[IDataObject, number | undefined]>([
	[{ message: { timestamp: 1_900_000_000 } }, 1_900_000_000],
	[{ message: { timestamp: '1900000000' } }, 1_900_000_000],
	[{ message: { timestamp: 0 } }, undefined],
	[{ message: { timestamp: -1 } }, undefined],
	[{ message: { timestamp: 'today' } }, undefined],
	[{ message: {} }, undefined],
	[{ message: null }, undefined],
	[{}, undefined],
])('the time of the message in %j is %s', (body, timestamp) => {
	expect(messageTimestampIn(body)).toBe(timestamp);
});
