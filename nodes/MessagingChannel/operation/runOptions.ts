import type { RequestLimits } from '../api/apiRequest';
import type { Input } from './input';
import type { Field, Operation } from './operation';

const maxConcurrency: Field = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 25,
	placeholder: 'e.g. 25',
	description:
		'How many requests can be in flight. Messages to one recipient stay in order. Without this option, messages without an upload use up to 100 while the rate limit has room.',
	api: [],
	// A missing limit would allow many more requests in flight than wanted.
	mustResolve: true,
};

const maxAttempts: Field = {
	displayName: 'Max Attempts',
	name: 'maxAttempts',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10, numberPrecision: 0 },
	default: 4,
	placeholder: 'e.g. 4',
	description:
		'How many times to try a request, including the first attempt. A message that may have been sent is never sent again.',
	api: [],
};

const maxRateLimitWait: Field = {
	displayName: 'Max Rate Limit Wait (Seconds)',
	name: 'maxRateLimitWait',
	type: 'number',
	// A rate limit for a day resets by then.
	typeOptions: { minValue: 0, maxValue: 86_400 },
	default: 300,
	placeholder: 'e.g. 300',
	description:
		'How long an item may wait for the rate limit to reset. If the reset is later, the item fails immediately.',
	api: [],
};

const afterAmbiguousSend: Field = {
	displayName: 'If Delivery Is Uncertain',
	name: 'afterAmbiguousSend',
	type: 'options',
	default: 'verify',
	description: 'What to do if the service did not confirm a message, so it may or may not have been sent',
	options: [
		{
			name: 'Look for It in the Chat',
			value: 'verify',
			description: 'If it is a text and in the chat, it counts as sent. Otherwise, the item fails.',
		},
		{ name: 'Fail', value: 'fail', description: 'The item fails immediately' },
	],
	api: [],
};

const pauseWhenQueueAbove: Field = {
	displayName: 'Pause When Queue Above',
	name: 'pauseWhenQueueAbove',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	placeholder: 'e.g. 100',
	description:
		"Pause while more messages than this wait in the service's queue. The item fails if the queue does not get shorter for 5 minutes. 0 means no pause.",
	api: [],
	// A missing number would mean no pause.
	mustResolve: true,
};

const requestId: Field = {
	displayName: 'Request ID',
	name: 'requestId',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.row_number }}-march',
	description:
		'ID of your own, different for each item. What was sent or created with an ID is not sent or created again, even if the workflow starts again. Executions from the editor count too. Empty means no ID.',
	api: [],
	// A misspelled field would leave all items without an ID, or with one that they share.
	mustResolve: true,
	mustBeWhole: true,
	toApi: (id: string) => ({ requestId: id.normalize().trim() }),
};

/** The options of every operation that control how its requests are sent. Those for many requests are offered where items differ. */
export function runOptionsOf({
	endpoint,
	fields = [],
	interaction,
	pagination,
	value,
}: Pick<Operation, 'endpoint'> & Partial<Operation>): Field[] {
	const isOnce = interaction !== undefined || (fields.length === 0 && !pagination);
	const options = [maxAttempts, maxConcurrency, maxRateLimitWait].map((field): Field =>
		isOnce ? { ...field, isHidden: true } : field,
	);
	// The answer to a question goes to the execution that asked it, so another one has to ask again.
	if (!interaction && (endpoint.sends || value === 'create')) options.push(requestId);
	return endpoint.sends ? [...options, afterAmbiguousSend, pauseWhenQueueAbove] : options;
}

/** How the requests of an item are sent. */
export interface RunOptions extends RequestLimits {
	/** How many requests can be in flight; undefined if the user did not say. */
	maxConcurrency?: number;
	afterAmbiguousSend: 'verify' | 'fail';
	pauseWhenQueueAbove: number;
	/** The user's own ID of the request; undefined if it has none. */
	requestId?: string;
}

/** The run options of an item, with the defaults of those that were not added. */
export function runOptionsIn({ settings }: Pick<Input, 'settings'>): RunOptions {
	const all = [maxAttempts, maxRateLimitWait, afterAmbiguousSend, pauseWhenQueueAbove];
	const options = all.map((field) => [field.name, settings[field.name] ?? field.default]);
	const { requestId: id, maxConcurrency: most } = settings;
	return {
		...Object.fromEntries(options),
		waitOption: maxRateLimitWait.displayName,
		requestId: id,
		maxConcurrency: most,
	} as RunOptions;
}
