import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import type { Account } from '../../../nodes/MessagingChannel/execution/account';
import { summaryOf } from '../../../nodes/MessagingChannel/execution/hints';
import type { ItemResult, Task } from '../../../nodes/MessagingChannel/execution/task';

const accountOf = (digest: string) => ({ digest, rateLimitWait: { ms: 0 } }) as Account;
const account = accountOf('account');

const task = (request: Partial<ApiRequest>, requestId?: string, own = account) =>
	({
		account: own,
		options: { requestId },
		request: { endpoint: SEND_MESSAGE, parameters: { message: 'Hello' }, ...request },
	}) as unknown as Task;
const text = (message: string, requestId?: string, own = account) =>
	task({ parameters: { message } }, requestId, own);

const resultWith = (...records: IDataObject[]): ItemResult => ({ items: records.map((json) => ({ json })) });
const queued = resultWith({ queued: true });
const sentBefore = resultWith({ already_sent: true });

test.each<[string, number, [Task, Task]]>([
	['two texts without an ID', 0, [text('One'), text('Two')]],
	['one text with one ID', 0, [text('One', 'march'), text('One', 'march')]],
	['two texts with one ID', 1, [text('One', 'march'), text('Two', 'march')]],
	['two accounts with one ID', 0, [text('One', 'march'), text('Two', 'march', accountOf('other'))]],
	[
		'two files with one ID',
		1,
		[
			task({ file: { filename: 'bill.pdf' } as never }, 'march'),
			task({ file: { filename: 'offer.pdf' } as never }, 'march'),
		],
	],
	[
		'two texts in Body Fields with one ID',
		1,
		[task({ bodyFields: { text: 'at 9' } }, 'march'), task({ bodyFields: { text: 'at 10' } }, 'march')],
	],
])('of %s, %d shares an ID by mistake', (_, sharedRequestIds, tasks) => {
	const [task, next] = tasks;
	const entries = [
		{ task, result: queued },
		{ task: next, result: sentBefore },
	];
	expect(summaryOf(entries)).toMatchObject({
		sharedRequestIds,
		sentBefore: 1 - sharedRequestIds,
	});
});

test('of a request with skipped recipients, the others tell that it was sent before', () => {
	const {
		sharedRequestIds,
		sentBefore: before,
		skipped,
	} = summaryOf([
		{ task: text('One', 'march'), result: queued },
		{ task: text('Two', 'march'), result: resultWith({ already_sent: true }, { skipped: true }) },
	]);
	expect({ sharedRequestIds, before, skipped }).toEqual({ sharedRequestIds: 1, before: 0, skipped: 1 });
});

test('items that were not begun after a failure are not sent, too', () => {
	const entries = [
		{ task: text('One'), result: { error: new Error('No') } },
		{ task: text('Two'), result: queued },
		{ task: text('Three') },
	].map(({ task: each, result }) => ({ task: { ...each, pairedItem: { item: 0 } }, result }));
	expect(summaryOf(entries)).toMatchObject({
		failed: 2,
		items: 3,
		reasons: ['No', 'Not begun, because another item failed'],
	});
});
