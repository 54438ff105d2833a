import type { sharedAccountOf } from '../../../nodes/MessagingChannel/api/rateLimiter';
import { newSentTexts } from '../../../nodes/MessagingChannel/execution/sending/sentTexts';
import { changeInput, changeMethods, changeOutput, replace, stub, type Mistakes } from './wrap';
import type { Wrap } from '../n8n/package';

type Queue = ReturnType<typeof sharedAccountOf>['queue'];

/** Changes those who wait for the rate limit when they join the queue. */
const changeWaiters = (change: Partial<Queue extends Set<infer W> ? W : never>): Wrap =>
	changeOutput('api/rateLimiter', 'sharedAccountOf', (account) => {
		const { queue } = account;
		queue.add = (waiter) => Set.prototype.add.call(queue, Object.assign(waiter, change)) as Queue;
		return account;
	});

const JOURNAL = ['execution/sending/journal/openJournal', 'sendJournalOf'] as const;
const RECONCILIATION = ['execution/sending/sendReconciliation', 'createSendReconciliation'] as const;
const RUN_PARTITIONED = ['execution/runPartitioned', 'runPartitioned'] as const;

/** Mistakes in sending, by their names. */
export const SENDING: Mistakes = {
	// Never twice
	'a run does not know what earlier tries have sent': [
		'was taken 2 times',
		changeMethods('execution/sending/sendLog', 'sendLogOf', (log) => ({
			find: (send) => (log.find(send)?.answer ? log.find(send) : undefined),
		})),
	],
	'a tool does not know that it is one': [
		'was taken',
		changeMethods('n8n/actionRun', 'actionRunOf', () => ({ isTool: false })),
	],
	'retries do not ask what other retries have sent': [
		'was taken 2 times',
		changeMethods(...JOURNAL, () => ({
			begin: async () => await Promise.resolve({ state: 'absent' as const }),
		})),
	],
	'a send is made although the row cannot be used': [
		'was taken 2 times',
		changeMethods('n8n/journal/row', 'rowOf', ({ record, count }) => ({
			record: async (...given) => await record(...given).catch(() => new Set<string>()),
			count: async () => await count().catch(() => 0),
		})),
	],
	// True reports
	'a send that the service answered with an error is certainly not made': [
		'was sent, but execution',
		changeOutput('api/responseErrors', 'responseError', (error) =>
			error.with({ ambiguous: false, neverSent: true }),
		),
	],
	'a retry does not record that its send was refused': [
		'was certainly not sent, and execution',
		changeMethods(...JOURNAL, ({ settle }) => ({
			settle: (send, end) => (end === 'notMade' ? undefined : settle(send, end)),
		})),
	],
	'an item gets the result of another one': [
		'says nothing about item',
		changeOutput(...RUN_PARTITIONED, (results) => results.reverse()),
	],
	'what other executions send is not counted': [
		'are reported as sent, but',
		replace('execution/sending/sentTexts', 'sentTextsOf', () => newSentTexts),
	],
	'one message verifies all lost ones': [
		'is taken for',
		changeMethods(...RECONCILIATION, ({ find }) => {
			let found: ReturnType<typeof find> | undefined;
			return { find: async (send) => (found = (await found) ? found : find(send)) };
		}),
	],
	'an older message verifies a lost one': [
		'which is not from that time',
		changeMethods('execution/sending/sentTexts', 'sentTextsOf', ({ attempted }) => ({
			attempted: (send) => attempted({ ...send, attemptedAt: 0 }),
		})),
	],
	'a lost message counts as verified': [
		'another message',
		changeMethods(...RECONCILIATION, () => ({
			find: async () => await Promise.resolve({ id: 'nothing' }),
		})),
	],
	'any message with the text has its ID': [
		', of another message',
		changeMethods(...RECONCILIATION, ({ identify }) => ({
			identify: async (to, sends) =>
				await identify(
					to,
					sends.map((send) => ({ ...send, id: 'any', attemptedAt: 0 })),
				),
		})),
	],
	'an error quotes the API key': [
		'a secret is in',
		replace('api/errors', 'withoutSecret', () => (error) => error),
	],
	// Order and number of requests
	'messages to one recipient are sent at the same time': [
		'was over',
		changeInput(...RUN_PARTITIONED, (tasks, options) => [tasks, { ...options, keys: [] }]),
	],
	'the last message to a recipient goes first': [
		"' after '",
		replace(...RUN_PARTITIONED, (original) => async (tasks, options) => {
			const keys = [...(options.keys ?? [])].reverse();
			return (await original([...tasks].reverse(), { ...options, keys })).reverse();
		}),
	],
	'one request more than allowed is in flight': [
		'requests in flight',
		changeInput(...RUN_PARTITIONED, (tasks, options) => [
			tasks,
			{ ...options, concurrency: () => options.concurrency() + 1 },
		]),
	],
	'items after a failed one are sent': [
		'had failed',
		changeInput(...RUN_PARTITIONED, (tasks, options) => [
			tasks,
			{ ...options, run: async (task: unknown) => await options.run(task, () => {}) },
		]),
	],
	'there is no pause between two attempts': [
		'repeated a request after 0 ms',
		stub('api/retry', 'backoffMs', 0),
	],
	'the Retry-After of a 503 is ignored': ['after a 503', stub('api/retry', 'retryAfterMs', 0)],
	// Rate limit
	'requests do not wait for the rate limit': [
		'although none is left',
		changeMethods('api/rateLimiter', 'createRateLimiter', () => ({
			admit: async () => await Promise.resolve(),
		})),
	],
	'an account that was not called yet gets all requests at once': [
		'before the first response',
		changeMethods('api/rateWindow', 'createRateWindow', ({ obstacle }) => ({
			obstacle(now) {
				const found = obstacle(now);
				return found?.kind === 'unknown' ? undefined : found;
			},
		})),
	],
	'a window counts as outdated at once': [
		'requests followed a 429',
		changeMethods('api/rateWindow', 'createRateWindow', () => ({ isStale: () => true })),
	],
	'a request waits although requests are left': [
		'although requests are left',
		changeMethods('api/rateLimiter', 'createRateLimiter', ({ admit }, clock) => ({
			async admit(...given) {
				await clock.sleep(1_000);
				await admit(...given);
			},
		})),
	],
	'an item waits longer than it may': [
		'went on waiting',
		changeMethods('api/rateLimiter', 'createRateLimiter', ({ admit }) => ({
			admit: async (maxWaitMs) => await admit(maxWaitMs + 60_000),
		})),
	],
	'who leaves the queue does not wake the next': ['stood idle for', changeWaiters({ wake: () => {} })],
	'who leaves the queue keeps the place': ['does not come to an end', changeWaiters({ leave: () => {} })],
	// Ends
	'stopping does not end a wait': [
		'of execution',
		changeInput('api/clock', 'systemClock', (_, sleep) => [undefined, sleep]),
	],
	'a retry never knows what was sent before': [
		'does not succeed when all is quiet',
		changeMethods(...JOURNAL, () => ({
			begin: async () => await Promise.reject(new Error('The database is gone')),
		})),
	],
};
