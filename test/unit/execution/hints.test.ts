import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import { create } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import type { Account } from '../../../nodes/MessagingChannel/execution/account';
import { hintsFor, summaryOf, type RunSummary } from '../../../nodes/MessagingChannel/execution/hints';
import type { ItemResult, Task } from '../../../nodes/MessagingChannel/execution/task';

const nothing: RunSummary = {
	requests: [],
	skipped: 0,
	sentBefore: 0,
	sharedRequestIds: 0,
	ambiguous: 0,
	failed: 0,
	items: 0,
	reasons: [],
	rateLimitWaitMs: 0,
};

const texts = (count: number, textOf: (index: number) => string): ApiRequest[] =>
	Array.from({ length: count }, (_, index) => ({
		endpoint: SEND_MESSAGE,
		parameters: { message: textOf(index) },
	}));

const broadcastsTo = (...recipients: string[][]): ApiRequest[] =>
	recipients.map((each, index) => ({
		endpoint: create.endpoint,
		parameters: { name: `Sale ${index}`, message: 'Hello', recipients: each },
	}));

const hintsOf = (summary: Partial<RunSummary>) =>
	hintsFor({ ...nothing, ...summary }).map(({ type, message }) => `${type}: ${message}`);

test('what needs attention is a warning, and what went as intended is not', () => {
	const summary = { skipped: 1, sentBefore: 1, sharedRequestIds: 1, ambiguous: 1, rateLimitWaitMs: 5_000 };

	expect(hintsOf(summary)).toEqual([
		expect.stringMatching(/^warning: Uncertain: 1\./),
		expect.stringMatching(/^warning: Shared Request ID: 1\./),
		expect.stringMatching(/^info: Skipped recipients: 1\./),
		expect.stringMatching(/^info: Sent before: 1\./),
		expect.stringMatching(/^info: The node waited 5 seconds/),
	]);
});

test.each<[string, Partial<RunSummary>]>([
	['a wait of less than five seconds', { rateLimitWaitMs: 4_999 }],
	['a request without parameters', { requests: [{ endpoint: SEND_MESSAGE }] }],
	['50 sends of one text', { requests: texts(50, () => 'Sale') }],
	['many sends of different texts', { requests: texts(60, (index) => `Sale ${index}`) }],
	['one broadcast to one recipient', { requests: broadcastsTo(['1']) }],
])('%s gets no hint', (_, summary) => {
	expect(hintsOf(summary)).toEqual([]);
});

test.each<[string, Partial<RunSummary>, string]>([
	[
		'51 sends of one text',
		{ requests: texts(51, () => 'Sale') },
		'info: 51 messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.',
	],
	[
		'several broadcasts',
		{ requests: broadcastsTo(['1', '2'], ['1', '2'], ['3']) },
		"info: 3 broadcasts were created, one for each item. Who is in several of them gets several messages. To create one broadcast for all items, set 'Recipients From' to 'All Items'.",
	],
	[
		'a failure for many reasons',
		{ failed: 4, items: 5, reasons: ['One', 'Two', 'Three', 'Four'] },
		'warning: Not sent: 4 of 5: One; Two; Three; ….',
	],
])('%s gets a hint', (_, summary, expected) => {
	expect(hintsOf(summary)).toEqual([expected]);
});

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
