import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { create } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import type { Account } from '../../../nodes/MessagingChannel/execution/account';
import type { SentText } from '../../../nodes/MessagingChannel/execution/findMessageIds';
import { hintsFor, missingIdHints } from '../../../nodes/MessagingChannel/execution/hints';
import type { Entry, ItemResult, Task } from '../../../nodes/MessagingChannel/execution/task';

const accountOf = (digest: string, ms = 0) => ({ digest, rateLimitWait: { ms } }) as Account;
const account = accountOf('account');

const task = (request: Partial<ApiRequest>, requestId?: string, own = account) =>
	({
		account: own,
		options: { requestId },
		pairedItem: { item: 0 },
		request: { endpoint: SEND_MESSAGE, parameters: { message: 'Hello' }, ...request },
	}) as unknown as Task;
const text = (message: string, requestId?: string, own = account) =>
	task({ parameters: { message } }, requestId, own);

const resultWith = (...records: IDataObject[]): ItemResult => ({ items: records.map((json) => ({ json })) });
const queued = resultWith({ queued: true });
const sentBefore = resultWith({ already_sent: true });

const SEND_MEDIA = { ...SEND_MESSAGE, sends: 'other' } as const;
const failed = (error: unknown): ItemResult => ({ error });
const uncertain = new ApiError({ message: '', description: '', code: '', httpStatus: null, ambiguous: true });

const sent = (count: number, textOf: (index: number) => string): Entry[] =>
	Array.from({ length: count }, (_, index) => ({ task: text(textOf(index)), result: queued }));

const broadcastsTo = (...recipients: string[][]): Entry[] =>
	recipients.map((each, index) => ({
		task: task({ endpoint: create.endpoint, parameters: { name: `Sale ${index}`, recipients: each } }),
		result: queued,
	}));

const hintsOf = (entries: readonly Entry[]) =>
	hintsFor(entries).map(({ type, message }) => `${type}: ${message}`);

test('what needs attention is a warning, and what went as intended is not', () => {
	const entries = [
		{
			task: text('One', 'march', accountOf('slow', 5_000)),
			result: resultWith({ skipped: true }, { already_sent: true }),
		},
		{ task: text('Two', 'april'), result: queued },
		{ task: text('Three', 'april'), result: sentBefore },
		{ task: text('Four'), result: failed(uncertain) },
	];
	expect(hintsOf(entries)).toEqual([
		expect.stringMatching(/^warning: Uncertain: 1\./),
		expect.stringMatching(/^warning: Shared Request ID: 1\./),
		expect.stringMatching(/^info: Skipped recipients: 1\./),
		expect.stringMatching(/^info: Sent before: 1\./),
		expect.stringMatching(/^info: The node waited 5 seconds/),
	]);
});

test.each<[string, Entry[]]>([
	[
		'a wait of less than five seconds',
		[{ task: text('One', undefined, accountOf('slow', 4_999)), result: queued }],
	],
	['a request without parameters', [{ task: task({ parameters: undefined }), result: queued }]],
	['50 sends of one text', sent(50, () => 'Sale')],
	['many sends of different texts', sent(60, (index) => `Sale ${index}`)],
	['one broadcast to one recipient', broadcastsTo(['1'])],
	[
		'many sends without a text',
		sent(60, () => 'Sale').map(({ result }) => ({ task: task({ endpoint: SEND_MEDIA }), result })),
	],
])('%s gets no hint', (_, entries) => {
	expect(hintsOf(entries)).toEqual([]);
});

test.each<[string, Entry[], string]>([
	[
		'51 sends of one text',
		sent(51, () => 'Sale'),
		'info: 51 messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.',
	],
	[
		'several broadcasts',
		broadcastsTo(['1', '2'], ['1', '2'], ['3']),
		"info: 3 broadcasts were created, one for each item. Who is in several of them gets several messages. To create one broadcast for all items, set 'Recipients From' to 'All Items'.",
	],
	[
		'a failure for many reasons',
		[
			...['One', 'Two', 'Three', 'Four'].map((reason) => ({ result: failed(new Error(reason)) })),
			{ task: text('Five'), result: queued },
		],
		'warning: Not sent: 4 of 5: One; Two; Three; ….',
	],
	[
		'the last of 51 sends of one text, if it was made before',
		[...sent(50, () => 'Sale'), { task: text('Sale'), result: sentBefore }],
		"info: Sent before: 1. They were not sent again. Their items have 'already_sent: true'.",
	],
	[
		'the last of 51 sends of one text, if it was not begun',
		[...sent(50, () => 'Sale'), { task: text('Sale') }],
		'warning: Not sent: 1 of 51: Not begun, because another item failed.',
	],
	[
		'a failure for three reasons',
		['One', 'Two', 'Three'].map((reason) => ({ result: failed(new Error(reason)) })),
		'warning: None of 3 was sent: One; Two; Three.',
	],
	[
		'items that were not begun, which come after the failure',
		[
			{ task: text('Three') },
			{ task: text('One'), result: failed(new Error('No')) },
			{ task: text('Two'), result: queued },
			{},
		],
		'warning: Not sent: 2 of 3: No; Not begun, because another item failed.',
	],
])('%s gets a hint', (_, entries, expected) => {
	expect(hintsOf(entries)).toEqual([expected]);
});

test('items that n8n leaves out, and messages without an ID, get a hint in the output', () => {
	const info = { type: 'info', location: 'outputPane' };
	const texts = [{ message_id: 'true_1' }, {}].map((record) => ({ record }) as SentText);

	expect(
		hintsFor(
			sent(1, () => 'Hello'),
			'sent',
			2,
		),
	).toEqual([{ ...info, message: expect.stringMatching(/^Left out: 2 of 3 items\./) as string }]);
	expect(missingIdHints(texts)).toEqual([
		{ ...info, message: expect.stringMatching(/^Without a message ID: 1 of 2\./) as string },
	]);
	expect(missingIdHints(texts.slice(0, 1))).toEqual([]);
});

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
	const [first, next] = tasks;
	const entries = [
		{ task: first, result: queued },
		{ task: next, result: sentBefore },
	];
	expect(hintsOf(entries)).toEqual([
		expect.stringContaining(sharedRequestIds ? 'Shared Request ID: 1.' : 'Sent before: 1.'),
	]);
});

test('of two items that share an ID by mistake, the one is counted that was not sent', () => {
	const entries = [
		{ task: text('One', 'march'), result: sentBefore },
		{ task: text('Two', 'march'), result: queued },
	];
	expect(hintsOf(entries)).toEqual([expect.stringContaining('Shared Request ID: 1.')]);
});

test('of a request with skipped recipients, the others tell that it was sent before', () => {
	const entries = [
		{ task: text('One', 'march'), result: queued },
		{ task: text('Two', 'march'), result: resultWith({ already_sent: true }, { skipped: true }) },
	];
	expect(hintsOf(entries)).toEqual([
		expect.stringContaining('Shared Request ID: 1.'),
		expect.stringContaining('Skipped recipients: 1.'),
	]);
});
