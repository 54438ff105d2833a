// cspell:ignore forbiddenword
import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';

const engine = useEngine();

const items = [
	{ to: person(1), message: 'first' },
	{ to: person(1), message: 'a forbiddenword' },
	{ to: person(1), message: 'third' },
	{ to: person(2), message: 'other' },
];

test('with Continue On Fail the next messages to the recipient are sent, and the failed item keeps its place', async () => {
	const { output } = await engine.run({ items, node: CONTINUES });

	expect((await engine.accepted()).sort()).toEqual(['first', 'other', 'third']);
	expect(output).toHaveLength(4);
	expect(output[1]).toEqual({
		json: {
			error: 'The service blocked the message because of its content policy',
			code: 'content_blocked',
			httpStatus: 400,
			description: expect.stringContaining('Message > Validate Text checks a text'),
			to: `${person(1)}@c.us`,
			outcome: 'not_sent',
		},
		pairedItem: { item: 1 },
	});
});

test('no further item starts if the node stops, and the error names the item', async () => {
	const { error } = await engine.run({ items, options: { maxConcurrency: 1 } });

	expect(await engine.accepted()).toEqual(['first']);
	expect(error).toMatchObject({
		name: 'NodeApiError',
		message: 'The service blocked the message because of its content policy',
		httpCode: '400',
		context: { itemIndex: 1 },
	});
});

test.each([0, 3])(
	'an invalid item stops the node before anything is sent, also as item %d',
	async (itemIndex) => {
		const { error } = await engine.run({
			items: toEach(4).toSpliced(itemIndex, 1, { to: 'nobody', message: 'Hello' }),
		});

		expect(error).toMatchObject({
			message: "'To' is not a valid phone number: 'nobody'",
			context: { itemIndex },
		});
		expect(await engine.requests()).toEqual([]);
	},
);

test('the error names the item that failed, not one before it that waited for its turn', async () => {
	const hello = { to: person(1), message: 'Hello' };
	let refuse = () => {};
	const refused = new Promise<void>((resolve) => (refuse = resolve));

	const { error } = await engine.run({
		items: [hello, hello, { to: person(2), message: 'a forbiddenword' }],
		transport: async ({ body }, send) => {
			const response = await send();
			if ((body as { to: string }).to === person(2)) refuse();
			await refused;
			// The node deals with the refusal before the first message is answered.
			if (response.statusCode < 400) await new Promise(setImmediate);
			return response;
		},
	});

	expect(error).toMatchObject({ context: { itemIndex: 2 } });
	expect(await engine.accepted()).toEqual(['Hello']);
});

test.each([
	[
		1,
		{ baseUrl: 'https://service.example.com/api/v2', apiKey: 'secret-key' },
		"The 'Base URL' in the credential ends with '/api/v2'",
	],
	[
		3,
		(): never => {
			throw new Error('Credential with ID "1" does not exist.');
		},
		'Credential with ID "1" does not exist.',
	],
])(
	'when the credential cannot be used, each of %d items is put out as failed, not as it came in',
	async (count, credential, problem) => {
		const { output } = await engine.run({ items: toEach(count), credential, node: CONTINUES });

		expect(output).toEqual(
			toEach(count).map(({ to }, item) => ({
				json: {
					to,
					outcome: 'not_sent',
					error: expect.stringContaining(problem) as string,
					code: 'credential_error',
					httpStatus: null,
					description: 'Check the credential of the node, then run again.',
				},
				pairedItem: { item },
			})),
		);
	},
);

test('an unknown operation is reported', async () => {
	const { error } = await engine.run({ operation: 'message:shout', items: [{}] });

	expect(error).toMatchObject({
		name: 'NodeOperationError',
		message: "'Operation' is 'shout', which is not supported for the resource 'message'",
		context: { itemIndex: 0 },
	});
	expect(await engine.requests()).toEqual([]);
});

test.each([
	['message:shout', "'shout', which is not supported for the resource 'message'"],
	// n8n offers it for each node, and without an operation.
	['__CUSTOM_API_CALL__:', "'', which is not supported for the resource '__CUSTOM_API_CALL__'"],
])(
	'with Continue On Fail, %s fails each item, so that none goes on as if it had been sent',
	async (operation, is) => {
		const { output } = await engine.run({ operation, items: toEach(2), node: CONTINUES });

		expect(output).toEqual(
			[0, 1].map((item) => ({
				json: {
					error: `'Operation' is ${is}`,
					code: 'validation_error',
					httpStatus: null,
					description: 'Choose the resource and the operation again.',
				},
				pairedItem: { item },
			})),
		);
		expect(await engine.requests()).toEqual([]);
	},
);

test('a corrected path that cannot be called fails its own item alone', async () => {
	const { output } = await engine.run({
		operation: 'autoReply:delete',
		items: [{ path: '/auto-replies/{other}' }, { path: '/auto-replies/{id}' }],
		parameters: { autoReplyId: 'rule-1' },
		options: { endpointPath: '={{ $json.path }}' },
		node: CONTINUES,
	});

	expect(output.map(({ json }) => json.code)).toEqual(['validation_error', 'not_found']);
});
