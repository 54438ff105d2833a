import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import { create } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import { hintsFor, type RunSummary } from '../../../nodes/MessagingChannel/execution/hints';

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
	['broadcasts to others', { requests: broadcastsTo(['1', '2'], ['3', '4']) }],
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
		'broadcasts to one recipient each',
		{ requests: broadcastsTo(['1'], ['2']) },
		"warning: 2 broadcasts were created with one recipient each, without a pause between them. To create one broadcast for all items, set 'Recipients From' to 'All Items'.",
	],
	[
		'the same broadcast again',
		{ requests: broadcastsTo(['1', '2'], ['1', '2'], ['1', '2']) },
		"warning: 2 broadcasts send the same message to the same people again. To create one broadcast for all items, set 'Recipients From' to 'All Items'.",
	],
	[
		'a failure for many reasons',
		{ failed: 4, items: 5, reasons: ['One', 'Two', 'Three', 'Four'] },
		'warning: Not sent: 4 of 5: One; Two; Three; ….',
	],
])('%s gets a hint', (_, summary, expected) => {
	expect(hintsOf(summary)).toEqual([expected]);
});
