import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import { hintsFor } from '../../../nodes/MessagingChannel/execution/hints';
import type { RunSummary } from '../../../nodes/MessagingChannel/execution/summary';

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

test('what needs attention is a warning, and what went as intended is not', () => {
	const hints = hintsFor({
		...nothing,
		skipped: 1,
		sentBefore: 1,
		sharedRequestIds: 1,
		ambiguous: 1,
		rateLimitWaitMs: 5_000,
	});
	expect(hints.map(({ type, message }) => `${type}: ${message.slice(0, 15)}`)).toEqual([
		'warning: Uncertain: 1. T',
		'warning: Shared Request ',
		'info: Skipped recipie',
		'info: Sent before: 1.',
		'info: The node waited',
	]);
});

test('a wait of less than five seconds is not told', () => {
	expect(hintsFor({ ...nothing, rateLimitWaitMs: 4_999 })).toEqual([]);
});

test('a request without parameters gets no hint', () => {
	expect(hintsFor({ ...nothing, requests: [{ endpoint: SEND_MESSAGE }] })).toEqual([]);
});
