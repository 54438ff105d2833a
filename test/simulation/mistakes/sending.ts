import type { sharedAccountOf } from '../../../nodes/MessagingChannel/api/rateLimiter';
import { changing, wrap, type Mistakes, type Wrap } from './wrap';

type Queue = ReturnType<typeof sharedAccountOf>['queue'];

/** Changes those who wait for the rate limit when they join the queue. */
function changingWaiters(change: Partial<Queue extends Set<infer W> ? W : never>): Wrap {
	return wrap('api/rateLimiter', 'sharedAccountOf', (original) => (digest) => {
		const account = original(digest);
		const { queue } = account;
		queue.add = (waiter) => Set.prototype.add.call(queue, Object.assign(waiter, change)) as Queue;
		return account;
	});
}

/** Mistakes in sending, by their names. */
export const SENDING: Mistakes = {
	// Never twice
	'a run does not know what earlier tries have sent': [
		'was taken 2 times',
		changing('execution/sending/sendLog', 'sendLogOf', (log) => ({
			find: (send) => (log.find(send)?.answer ? log.find(send) : undefined),
		})),
	],
	'a tool does not know that it is one': [
		'was taken',
		changing('n8n/actionRun', 'actionRunOf', () => ({ isTool: false })),
	],
	'a send is repeated after a 5xx': [
		'was taken 2 times',
		wrap(
			'api/retry',
			'mayRetry',
			(original) => (endpoint, error) => original(endpoint, error) || (error.httpStatus ?? 0) >= 500,
		),
	],
	'a broken connection counts as never connected': [
		'was taken 2 times',
		wrap('api/networkFailure', 'networkFailureOf', (original) => (thrown) => ({
			...original(thrown),
			neverSent: true,
		})),
	],
	'retries do not ask what other retries have sent': [
		'was taken 2 times',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', () => ({
			begin: async () => await Promise.resolve({ state: 'absent' as const }),
		})),
	],
	'a retry withdraws what it has sent': [
		'was taken',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', ({ settle }) => ({
			settle: (send, end) => settle(send, end === 'made' ? 'notMade' : end),
		})),
	],
	'a send that nobody confirmed counts as not made': [
		'was taken 2 times',
		wrap(
			'execution/sending/sendOutcome',
			'settlementOf',
			(original) =>
				(...given) =>
					given[0].kind === 'uncertain' ? { log: 'forget', journal: 'notMade' } : original(...given),
		),
	],
	'a send is made although the row cannot be used': [
		'was taken 2 times',
		changing('n8n/journal/row', 'rowOf', ({ record, count }) => ({
			record: async (...given) => await record(...given).catch(() => new Set<string>()),
			count: async () => await count().catch(() => 0),
		})),
	],
	'whoever may be on the list of allowed recipients is': [
		'was not allowed, and got a',
		wrap('recipients/recipientList', 'listOfRecipients', () => () => () => true),
	],
	'whoever never wrote counts as somebody who did': [
		'never wrote, and got a',
		wrap(
			'execution/sending/whoWrote',
			'createWhoWrote',
			() => (_, clock) => async () => await Promise.resolve({ reason: undefined, knownAt: clock.now() }),
		),
	],
	'the list in the credential is not looked at': [
		'was not allowed, and got a',
		changing('n8n/actionRun', 'actionRunOf', (run) => ({
			connect: async (clock) => {
				const connectionOf = await run.connect(clock);
				return async (itemIndex) => ({ ...(await connectionOf(itemIndex)), allowedRecipients: undefined });
			},
		})),
	],
	'only the credential limits the recipients': [
		'was not allowed, and got a',
		wrap(
			'execution/allowedRecipients',
			'onlyAllowed',
			() =>
				(...[, entries]) =>
					entries,
		),
	],
	// True reports
	'a send that the service answered with an error is certainly not made': [
		'was sent, but execution',
		wrap(
			'api/responseErrors',
			'responseError',
			(original) =>
				(...given) =>
					original(...given).with({ ambiguous: false, neverSent: true }),
		),
	],
	'a send that was never made may have been made': [
		'was certainly not sent, and execution',
		wrap('api/networkFailure', 'networkFailureOf', (original) => (thrown) => ({
			...original(thrown),
			neverSent: false,
		})),
	],
	'a retry does not record that its send was refused': [
		'was certainly not sent, and execution',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', ({ settle }) => ({
			settle: (send, end) => (end === 'notMade' ? undefined : settle(send, end)),
		})),
	],
	'a send that was refused counts as unconfirmed': [
		'was certainly not sent, and execution',
		wrap(
			'execution/sending/sendOutcome',
			'settlementOf',
			(original) =>
				(...given) =>
					given[0].kind === 'refused' ? { log: 'keep', journal: 'uncertain' } : original(...given),
		),
	],
	'an item gets the result of another one': [
		'says nothing about item',
		wrap(
			'execution/runPartitioned',
			'runPartitioned',
			(original) =>
				async (...given) =>
					(await original(...given)).reverse(),
		),
	],
	'what other executions send is not counted': [
		'are reported as sent, but',
		wrap('execution/sending/sendReconciliation', 'knownSendsOf', () => () => new Map()),
	],
	'one message verifies all lost ones': [
		'is taken for',
		changing('execution/sending/sendReconciliation', 'createSendReconciliation', ({ find }) => {
			let found: ReturnType<typeof find> | undefined;
			return { find: async (send) => (found = (await found) ? found : find(send)) };
		}),
	],
	'an older message verifies a lost one': [
		'which is not from that time',
		changing('execution/sending/sendReconciliation', 'createSendReconciliation', ({ attempted, find }) => ({
			attempted: (send) => attempted({ ...send, attemptedAt: 0 }),
			find: async (send) => await find({ ...send, attemptedAt: 0 }),
		})),
	],
	"a customer's message verifies a lost one": [
		'was verified as',
		wrap('api/message', 'parseMessage', (original) => (record) => ({ ...original(record), fromMe: true })),
	],
	'a lost message counts as verified': [
		'another message',
		changing('execution/sending/sendReconciliation', 'createSendReconciliation', () => ({
			find: async () => await Promise.resolve({ id: 'nothing' }),
		})),
	],
	'any message with the text has its ID': [
		', of another message',
		changing('execution/sending/sendReconciliation', 'createSendReconciliation', ({ identify }) => ({
			identify: async (to, sends) =>
				await identify(
					to,
					sends.map((send) => ({ ...send, id: 'any', attemptedAt: 0 })),
				),
		})),
	],
	'an error quotes the API key': [
		'the API key is in',
		wrap('api/errors', 'withoutSecret', () => (error) => error),
	],
	// Order and number of requests
	'messages to one recipient are sent at the same time': [
		'was over',
		wrap(
			'execution/runPartitioned',
			'runPartitioned',
			(original) => async (tasks, options) => await original(tasks, { ...options, keys: [] }),
		),
	],
	'a recipient with and without @c.us are two': [
		'was over',
		wrap('recipients/recipient', 'recipientKey', () => (recipient) => recipient),
	],
	'the last message to a recipient goes first': [
		"' after '",
		wrap('execution/runPartitioned', 'runPartitioned', (original) => async (tasks, options) => {
			const keys = [...(options.keys ?? [])].reverse();
			return (await original([...tasks].reverse(), { ...options, keys })).reverse();
		}),
	],
	'one request more than allowed is in flight': [
		'requests in flight',
		wrap(
			'execution/runPartitioned',
			'runPartitioned',
			(original) => async (tasks, options) =>
				await original(tasks, { ...options, concurrency: () => options.concurrency() + 1 }),
		),
	],
	'items after a failed one are sent': [
		'had failed',
		wrap(
			'execution/runPartitioned',
			'runPartitioned',
			(original) => async (tasks, options) =>
				await original(tasks, {
					...options,
					run: async (task) => await options.run(task, () => {}),
				}),
		),
	],
	'there is no pause between two attempts': [
		'repeated a request after 0 ms',
		wrap('api/retry', 'backoffMs', () => () => 0),
	],
	'the Retry-After of a 503 is ignored': ['after a 503', wrap('api/retry', 'retryAfterMs', () => () => 0)],
	// Rate limit
	'requests do not wait for the rate limit': [
		'although none is left',
		changing('api/rateLimiter', 'createRateLimiter', () => ({ admit: async () => await Promise.resolve() })),
	],
	'an account that was not called yet gets all requests at once': [
		'before the first response',
		changing('api/rateWindow', 'createRateWindow', ({ obstacle }) => ({
			obstacle(now) {
				const found = obstacle(now);
				return found?.kind === 'unknown' ? undefined : found;
			},
		})),
	],
	'a 429 does not close the window': [
		'although none is left',
		changing('api/rateWindow', 'createRateWindow', ({ settle }) => ({
			settle: (headers, now) => settle(headers, now),
		})),
	],
	'a window counts as outdated at once': [
		'requests followed a 429',
		changing('api/rateWindow', 'createRateWindow', () => ({ isStale: () => true })),
	],
	'a request waits although requests are left': [
		'although requests are left',
		changing('api/rateLimiter', 'createRateLimiter', ({ admit }, clock) => ({
			async admit(...given) {
				await clock.sleep(1_000);
				await admit(...given);
			},
		})),
	],
	'an item waits longer than it may': [
		'went on waiting',
		changing('api/rateLimiter', 'createRateLimiter', ({ admit }) => ({
			admit: async (maxWaitMs) => await admit(maxWaitMs + 60_000),
		})),
	],
	'who leaves the queue does not wake the next': ['stood idle for', changingWaiters({ wake: () => {} })],
	'who leaves the queue keeps the place': ['does not come to an end', changingWaiters({ leave: () => {} })],
	// Ends
	'stopping does not end a wait': [
		'of execution',
		wrap('api/clock', 'systemClock', (original) => (_, sleep) => original(undefined, sleep)),
	],
	'a retry never knows what was sent before': [
		'does not succeed when all is quiet',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', () => ({
			begin: async () => await Promise.reject(new Error('The database is gone')),
		})),
	],
};
