import type { Endpoint, RequestLimits } from '../api/apiRequest';
import type { Input } from './input';
import type { Field } from './operation';

const maxConcurrency: Field = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 25,
	placeholder: 'e.g. 25',
	description: 'How many requests can be in flight. Messages to one recipient stay in order.',
	api: [],
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
	displayName: 'Max Rate Limit Wait',
	name: 'maxRateLimitWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	placeholder: 'e.g. 300',
	description:
		'How many seconds an item may wait for the rate limit to reset. If the reset is later, the item fails immediately.',
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
			description: 'If the message is in the chat, it counts as sent. Otherwise, the item fails.',
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
};

/** The options of every operation that control how its requests are sent. */
export function runOptionsOf(endpoint: Endpoint): Field[] {
	const options = [maxAttempts, maxConcurrency, maxRateLimitWait];
	return endpoint.sends ? [...options, afterAmbiguousSend, pauseWhenQueueAbove] : options;
}

/** How the requests of an item are sent. */
export interface RunOptions extends RequestLimits {
	maxConcurrency: number;
	afterAmbiguousSend: 'verify' | 'fail';
	pauseWhenQueueAbove: number;
}

/** The run options of an item, with the defaults of those that were not added. */
export function runOptionsIn({ settings }: Pick<Input, 'settings'>): RunOptions {
	const all = [maxConcurrency, maxAttempts, maxRateLimitWait, afterAmbiguousSend, pauseWhenQueueAbove];
	return Object.fromEntries(
		all.map((field) => [field.name, settings[field.name] ?? field.default]),
	) as unknown as RunOptions;
}
