import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { readInput } from '../../../nodes/MessagingChannel/operation/readInput';
import { runOptionsIn, runOptionsOf } from '../../../nodes/MessagingChannel/operation/runOptions';

const endpoint: Operation['endpoint'] = {
	method: 'POST',
	path: '/messages/send',
	permission: 'messages:send',
	sends: 'text',
};

/** The run options of an item with these options. */
const optionsOf = (options: object) =>
	runOptionsIn(
		readInput(
			{ endpoint, options: runOptionsOf({ endpoint }) },
			{
				read: () => options,
				timezone: 'UTC',
				file: () => {
					throw new Error('No file here.');
				},
			},
		),
	);

test('options that were not added have their defaults', () => {
	expect(optionsOf({})).toEqual({
		maxAttempts: 4,
		maxRateLimitWait: 300,
		waitOption: 'Max Rate Limit Wait (Seconds)',
		afterAmbiguousSend: 'verify',
		pauseWhenQueueAbove: 0,
		maxConcurrency: undefined,
		requestId: undefined,
	});
});

test('options that were added count', () => {
	const added = {
		maxAttempts: 1,
		maxRateLimitWait: 0,
		afterAmbiguousSend: 'fail',
		pauseWhenQueueAbove: 100,
		maxConcurrency: 5,
		requestId: '17',
	};
	expect(optionsOf(added)).toMatchObject(added);
});

test('a request ID is the same with spaces around it', () => {
	expect(optionsOf({ requestId: ' 17-march\n' }).requestId).toBe('17-march');
});
