import type { Endpoint, RequestLimits } from '../api/apiRequest';
import type { Input } from './input';
import type { Field } from './operation';

const maxConcurrency: Field = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 25,
	description:
		'How many requests are under way at the same time. Those to the same recipient always go one after the other.',
	api: [],
};

const maxAttempts: Field = {
	displayName: 'Max Attempts',
	name: 'maxAttempts',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10, numberPrecision: 0 },
	default: 4,
	description:
		'How often a request is tried, the first time included. A message that may have arrived is never sent again.',
	api: [],
};

const maxRateLimitWait: Field = {
	displayName: 'Max Rate Limit Wait',
	name: 'maxRateLimitWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	description:
		"Seconds that an item may wait for the account's rate limit to reset. It fails as soon as it is known that the reset comes later.",
	api: [],
};

const afterAmbiguousSend: Field = {
	displayName: 'After Ambiguous Send',
	name: 'afterAmbiguousSend',
	type: 'options',
	default: 'verify',
	description: 'What to do when the service did not confirm a message, so that it may have arrived or not',
	options: [
		{
			name: 'Look for It in the Chat',
			value: 'verify',
			description: 'Count it as sent when it is found there; fail when it is not',
		},
		{ name: 'Fail', value: 'fail', description: 'Report it as ambiguous at once' },
	],
	api: [],
};

const pauseWhenQueueAbove: Field = {
	displayName: 'Pause When Queue Above',
	name: 'pauseWhenQueueAbove',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'Hold back while more messages than this wait in the queue of the service. The item fails when the queue has not become shorter for 5 minutes. 0 never holds back.',
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
