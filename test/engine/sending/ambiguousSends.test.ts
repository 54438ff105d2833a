import type { Fault } from '../../support/service/core/faults';
import { CONTINUES, person, useEngine } from '../../support/engine/engine';
import { remembered } from '../../support/engine/memory';

const engine = useEngine();
const { spoilSend } = engine;

const to = person(1);
const chatId = `${to}@c.us`;

const unconfirmed = {
	error: 'The service did not confirm the message, but it may have been sent',
	ambiguous: true,
	description: expect.stringContaining('Before you send it again, check the chat'),
};

describe.each<[string, Fault]>([
	['504 send_timeout', { kind: 'status', status: 504 }],
	['a connection that breaks', { kind: 'reset' }],
	['a page instead of an answer', { kind: 'html', status: 200 }],
])('after %s', (_, fault) => {
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
