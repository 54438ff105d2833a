import type { IDataObject } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import type { ItemResult } from '../../../nodes/MessagingChannel/execution/runTask';
import { summaryOf } from '../../../nodes/MessagingChannel/execution/summary';
import type { Account, Task } from '../../../nodes/MessagingChannel/execution/tasks';

const account = { digest: 'account', rateLimitWaitMs: () => 0 } as Account;

const taskWith = (message: string, requestId?: string) =>
	({
		account,
		options: { requestId },
		request: { endpoint: SEND_MESSAGE, parameters: { message } },
	}) as unknown as Task;

const resultWith = (...records: IDataObject[]): ItemResult => ({ items: records.map((json) => ({ json })) });

test('different messages without a request ID share none', () => {
	const { sharedRequestIds, sentBefore } = summaryOf(
		[taskWith('One'), taskWith('Two')],
		[resultWith({ already_sent: true }), resultWith({ already_sent: true })],
	);
	expect({ sharedRequestIds, sentBefore }).toEqual({ sharedRequestIds: 0, sentBefore: 2 });
});

test('of a request with skipped recipients, the others tell that it was sent before', () => {
	const { sharedRequestIds, sentBefore, skipped } = summaryOf(
		[taskWith('One', 'march'), taskWith('Two', 'march')],
		[resultWith({ queued: true }), resultWith({ already_sent: true }, { skipped: true })],
	);
	expect({ sharedRequestIds, sentBefore, skipped }).toEqual({
		sharedRequestIds: 1,
		sentBefore: 0,
		skipped: 1,
	});
});
