import type { INodeParameters } from 'n8n-workflow';

import { CONTINUES, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';
import { byPhone } from '../support/operations/parameters';
import type { Control } from '../support/service/core/control';
import { permissions, type Permission } from '../support/service/core/records';

const engine = useEngine();

/** A way to make the service refuse, and what the user must be told. */
interface Refusal {
	code: string;
	httpStatus: number;
	/** Makes the service refuse what it would take otherwise. */
	given?: (control: Control) => Promise<unknown>;
	/** `<resource>:<operation>` */
	operation: string;
	parameters?: INodeParameters;
	options?: INodeParameters;
	/** What happened, and what to do. */
	says: RegExp;
	advises: RegExp;
	/** Words of the service itself, which the description quotes. */
	quotes: string;
	ambiguous?: true;
}

const message = { to: byPhone('905551234567'), message: 'Hello' };

// What is said of every other code stands in a table of unit tests.
const refusals: Refusal[] = [
	{
		code: 'validation_error',
		httpStatus: 400,
		operation: 'message:send',
		parameters: { ...message, message: 'x'.repeat(5000) },
		says: /rejected a value/,
		advises: /Correct the value/,
		quotes: 'The field message must NOT have more than 4096 characters.',
	},
	{
		code: 'rate_limit_exceeded',
		httpStatus: 429,
		given: async (control) => await control.setRateLimit({ limit: 0, windowSeconds: 3600 }),
		operation: 'account:get',
		options: { maxAttempts: 1, maxRateLimitWait: 0 },
		says: /reached its rate limit/,
		advises: /[Ww]ait until/,
		quotes: 'The rate limit is exceeded; wait for X-RateLimit-Reset.',
	},
	{
		code: 'send_timeout',
		httpStatus: 504,
		given: async (control) => {
			await control.configure({ syncTimeoutMs: 50 });
			await control.holdQueue();
		},
		operation: 'message:send',
		parameters: message,
		options: { sync: true, afterAmbiguousSend: 'fail' },
		says: /may have been sent/,
		advises: /Before you send it again/,
		quotes: 'The message was not sent in time; it may still be delivered.',
		ambiguous: true,
	},
];

/** Runs an operation until it stops, and again with Continue On Fail. */
async function failing(
	{ operation, parameters = {}, options = {} }: Pick<Refusal, 'operation' | 'parameters' | 'options'>,
	held: readonly Permission[] = permissions,
) {
	const run = async (more: Partial<RunOptions>) => {
		// Nothing is known yet of the rate limit of a new key.
		const { apiKey } = await engine.service.control.createKey({ permissions: [...held] });
		const credential = { baseUrl: engine.service.baseUrl, apiKey };
		return await engine.run({ operation, items: [{}], parameters, options, credential, ...more });
	};
	const { error } = await run({});
	const { output } = await run({ node: CONTINUES });
	return { error, output };
}

test.each(refusals)(
	'$code (HTTP $httpStatus) of $operation tells what happened, what to do and what the service said',
	async ({ given, ...refusal }) => {
		const { code, httpStatus, parameters, says, advises, quotes, ambiguous } = refusal;
		await given?.(engine.service.control);

		const { error, output } = await failing(refusal);

		expect(error?.message).toMatch(says);
		expect(error?.description).toMatch(advises);
		expect(error?.description).toContain(quotes);
		expect(error?.httpCode).toBe(String(httpStatus));
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		const outcome = ambiguous ? 'uncertain' : 'not_sent';
		expect(output).toEqual([
			{
				json: {
					error: error?.message,
					code,
					httpStatus,
					description: error?.description,
					...(ambiguous && { ambiguous }),
					...(parameters && { to: '905551234567', outcome }),
				},
				pairedItem: { item: 0 },
			},
		]);
	},
);

test('an unknown API key says where to enter another, and is tried once', async () => {
	const credential = { baseUrl: engine.service.baseUrl, apiKey: 'no-such-key' };

	const { error } = await engine.run({ operation: 'account:get', items: [{}], credential });

	expect(error).toMatchObject({ message: 'The service rejected the API key', httpCode: '401' });
	expect(error?.description).toContain('Open the credential');
	expect(error?.description).toContain('The API key is missing or invalid.');
	// n8n's own handling of a 401 would send the request twice.
	expect(await engine.requests()).toHaveLength(1);
});

test('a permission that the key lacks is named', async () => {
	const held = permissions.filter((one) => one !== 'messages:send');

	const { error, output } = await failing({ operation: 'message:send', parameters: message }, held);

	expect(error).toMatchObject({ message: expect.stringContaining("'messages:send'"), httpCode: '403' });
	expect(error?.description).toContain('Add the permission to the key in the account panel');
	expect(error?.description).toContain('The API key lacks the permission messages:send.');
	expect(output[0]?.json).toMatchObject({ code: 'forbidden', httpStatus: 403 });
});
