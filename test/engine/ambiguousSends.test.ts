import type { Fault } from '../support/service/core/control';
import { CONTINUES, person, useEngine } from '../support/engine/engine';
import { remembered } from '../support/engine/memory';

const engine = useEngine();
const { spoilSend } = engine;

const to = person(1);
const chatId = `${to}@c.us`;

const unconfirmed = {
	error: 'The service did not confirm the message, but it may have been sent',
	ambiguous: true,
	description: expect.stringContaining('Before you send it again, check the chat'),
};

const answers: Array<[string, Fault]> = [
	['504 send_timeout', { kind: 'status', status: 504 }],
	['500', { kind: 'status', status: 500 }],
	['502 from a proxy', { kind: 'html', status: 502 }],
	['503', { kind: 'status', status: 503 }],
	['an internal error in a successful answer', { kind: 'status', status: 200, error: 'internal_error' }],
	['a connection that breaks', { kind: 'reset' }],
	['a page instead of an answer', { kind: 'html', status: 200 }],
	['half an answer', { kind: 'bad-json' }],
	['an empty answer', { kind: 'empty' }],
];

describe.each(answers)('after %s', (_, fault) => {
	test('a message that is in the chat counts as sent', async () => {
		await spoilSend({ ...fault, when: 'after' });

		const { output } = await engine.run({ items: [{ to, message: 'Hello' }], node: CONTINUES });

		const [message] = await engine.service.control.messages({ chatId });
		expect(output).toEqual([
			{ json: { ...message, verified: true, outcome: 'verified' }, pairedItem: { item: 0 } },
		]);
		expect(await engine.accepted()).toEqual(['Hello']);
	});

	test('a message that is not in the chat is reported as one that may still arrive', async () => {
		await spoilSend({ ...fault, when: 'before' });

		const { output } = await engine.run({ items: [{ to, message: 'Hello' }], node: CONTINUES });

		expect(output).toEqual([{ json: expect.objectContaining(unconfirmed), pairedItem: { item: 0 } }]);
		expect(await engine.requests('message.send')).toHaveLength(1);
	});
});

test.each(['trimmed', 'crlf', 'nfd'] as const)(
	'a message that the chat shows otherwise, %s, counts as sent',
	async (shownTexts) => {
		await engine.service.control.configure({ shownTexts });
		await spoilSend({ kind: 'status', status: 504, when: 'after' });

		const { output } = await engine.run({ items: [{ to, message: ' Café\nat nine ' }], node: CONTINUES });

		expect(output[0]?.json).toMatchObject({ verified: true, outcome: 'verified' });
	},
);

test.each([
	['false', false, 'sent'],
	['false as text', 'false', 'sent'],
	['nothing', undefined, 'queued'],
])('an answer whose queued is %s means what it says', async (_, queued, outcome) => {
	await spoilSend({
		kind: 'status',
		status: 202,
		body: { success: true, queued, job_id: 'job-1', to: chatId },
	});

	const { output } = await engine.run({ items: [{ to, message: 'Hello' }] });

	expect(output[0]?.json.outcome).toBe(outcome);
	// What is not queued comes into the memory when the chat shows it.
	expect(await remembered(await engine.memory([{ chat: { id: chatId } }]))).toEqual(
		outcome === 'queued' ? ['assistant: Hello'] : [],
	);
});

test('a message that shows in the chat only later is found', async () => {
	await engine.service.control.holdQueue();
	await spoilSend({ kind: 'status', status: 504, when: 'after' });
	let looks = 0;

	const { output } = await engine.run({
		items: [{ to: chatId, message: 'Hello' }],
		transport: async ({ url }, send) => {
			if (url.endsWith('/messages') && ++looks === 3) {
				await engine.service.control.releaseQueue();
				await engine.service.control.idle();
			}
			return await send();
		},
	});

	expect(looks).toBe(3);
	expect(output[0]?.json.verified).toBe(true);
});

test("'Fail' does not look", async () => {
	await spoilSend({ kind: 'status', status: 504, when: 'after' });

	const { output } = await engine.run({
		items: [{ to, message: 'Hello' }],
		options: { afterAmbiguousSend: 'fail' },
		node: CONTINUES,
	});

	expect(output[0]?.json).toMatchObject({ ...unconfirmed, code: 'send_timeout', httpStatus: 504 });
	expect(await engine.requests('message.send')).toHaveLength(1);
	expect(await engine.requests()).toHaveLength(1);
});

test('without Continue On Fail the error says that the message may have been sent', async () => {
	await spoilSend({ kind: 'reset' });

	const { error } = await engine.run({ items: [{ to, message: 'Hello' }] });

	expect(error).toMatchObject({
		name: 'NodeApiError',
		message: unconfirmed.error,
		description: expect.stringMatching(
			/^The connection to the service was lost \(ECONNRESET\)\. Before you send it again/,
		),
	});
});

describe('of identical texts to one recipient', () => {
	const identical = [
		{ to, message: 'Hello' },
		{ to, message: 'Hello' },
	];

	test.each([
		['first', 0],
		['second', 1],
	])('the %s, unconfirmed and not sent, is not taken for the other', async (_, which) => {
		let sent = 0;

		const { output } = await engine.run({
			items: identical,
			node: CONTINUES,
			transport: async ({ url }, send) => {
				if (url.endsWith('/send') && sent++ === which) await spoilSend({ kind: 'status', status: 504 });
				return await send();
			},
		});

		expect(output.map(({ json }) => json.ambiguous === true)).toEqual([which === 0, which === 1]);
		expect(await engine.accepted()).toEqual(['Hello']);
	});

	test('both unconfirmed, each sent message counts for one of them', async () => {
		await spoilSend({ kind: 'status', status: 504, when: 'after', times: 2 });

		const { output } = await engine.run({ items: identical, node: CONTINUES });

		const sent = await engine.service.control.messages({ chatId });
		expect(output.map(({ json }) => json.verified)).toEqual([true, true]);
		expect(output.map(({ json }) => json.id).sort()).toEqual(sent.map(({ id }) => id).sort());
	});
});

test.each<[string, Fault]>([
	[
		'waits for the rate limit no longer',
		{ kind: 'status', status: 429, headers: { 'Retry-After': '250', 'X-RateLimit-Reset': '' } },
	],
	['is tried no more often', { kind: 'status', status: 500 }],
])('a poll %s than its item says', async (_, fault) => {
	await spoilSend({ kind: 'status', status: 504 });
	await engine.service.control.addFault({ ...fault, operationId: 'chat.resolve', times: 'always' });

	const { output, clock } = await engine.run({
		items: [{ to, message: 'Hello' }],
		options: { maxRateLimitWait: 1, maxAttempts: 1 },
		node: CONTINUES,
	});

	expect(output[0]?.json.ambiguous).toBe(true);
	expect(clock.waits).toEqual([1000, 2000, 4000]);
});

const others: Array<[string, Parameters<typeof engine.run>[0]]> = [
	[
		'an image',
		{
			operation: 'media:sendImage',
			items: [{}],
			parameters: {
				to: { __rl: true, mode: 'phone', value: to },
				mediaSource: 'url',
				mediaUrl: 'https://example.com/cat.png',
			},
		},
	],
	[
		'a template message',
		{
			operation: 'template:send',
			items: [{}],
			parameters: {
				to: { __rl: true, mode: 'phone', value: to },
				templateId: { __rl: true, mode: 'name', value: 'greeting' },
			},
		},
	],
];

test.each(others)(
	'%s cannot be recognized in the chat and is reported without a look',
	async (_, options) => {
		await engine.service.control.seed({ templates: [{ name: 'greeting', content: 'Hello' }] });
		await engine.service.control.addFault({ kind: 'reset', method: 'POST', when: 'after' });

		const { output } = await engine.run({ ...options, node: CONTINUES });

		expect(output[0]?.json).toMatchObject({ ...unconfirmed, code: 'network_error', httpStatus: null });
		expect(await engine.requests()).toHaveLength(1);
	},
);
