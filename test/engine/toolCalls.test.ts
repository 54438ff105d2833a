import { eventually } from '../support/service/testing';
import { newExecution } from '../support/engine/context';
import { person, useEngine } from '../support/engine/engine';
import { newKeyRow } from '../support/engine/keyRow';
import type { RunOptions } from '../support/engine/run';

const engine = useEngine();

/** A call of the node by an agent: n8n gives each call, and each try of one, a run index. */
const call = (message: string, options: Partial<RunOptions> = {}): RunOptions => ({
	items: [{ to: person(1), message }],
	node: { type: 'n8n-nodes-messaging-channel.messagingChannelTool' },
	...options,
});

const lose = async (when: 'before' | 'after') =>
	await engine.service.control.addFault({ kind: 'reset', operationId: 'message.send', when });

test('what may have been sent is not sent again by the next try, though n8n counts that as another run', async () => {
	await lose('before');
	const first = await engine.run(call('Hello'));

	const second = await engine.run(call('Hello', { execution: first.execution, runIndex: 1 }));

	expect(first.error?.message).toContain('may have been sent');
	expect(second.error?.message).toContain('may have been sent');
	expect(await engine.requests('message.send')).toHaveLength(1);
});

test('what was found in the chat is put out again as sent', async () => {
	await lose('after');
	const first = await engine.run(call('Hello'));

	const second = await engine.run(call('Hello', { execution: first.execution, runIndex: 1 }));

	expect(first.output[0]?.json).toMatchObject({ body: 'Hello', verified: true });
	expect(second.output).toEqual([
		{ json: { ...first.output[0]?.json, already_sent: true }, pairedItem: { item: 0 } },
	]);
	expect(await engine.accepted()).toEqual(['Hello']);
});

test('what was refused is sent by the next try', async () => {
	await engine.service.control.addFault({ kind: 'status', status: 400, operationId: 'message.send' });
	const first = await engine.run(call('Hello'));

	const second = await engine.run(call('Hello', { execution: first.execution, runIndex: 1 }));

	expect(second.output[0]?.json).toMatchObject({ queued: true });
	expect(second.output[0]?.json.already_sent).toBeUndefined();
});

test('another message of a call with the same run index is sent', async () => {
	await lose('before');
	const first = await engine.run(call('Hello'));

	await engine.run(call('Good morning', { execution: first.execution }));

	expect(await engine.accepted()).toEqual(['Good morning']);
});

test('the same message of two calls at once is sent once', async () => {
	let answer = () => {};
	const answered = new Promise<void>((resolve) => (answer = resolve));
	const { execution } = await engine.run(call('First'));
	const first = engine.runBeside(
		call('Hello', {
			execution,
			transport: async (_, send) => {
				const response = await send();
				await answered;
				return response;
			},
		}),
	);
	await eventually(engine.accepted, (texts) => texts.length === 2);

	const second = await engine.run(call('Hello', { execution, runIndex: 1 }));
	answer();

	expect((await first).output[0]?.json.queued).toBe(true);
	expect(second.output[0]?.json.verified).toBe(true);
	expect(await engine.accepted()).toEqual(['First', 'Hello']);
});

test('an agent that sends the same file under another name sends another message', async () => {
	const sticker = (mediaUrl: string): Partial<RunOptions> => ({
		operation: 'media:sendSticker',
		parameters: { to: { __rl: true, mode: 'phone', value: person(1) }, mediaSource: 'url', mediaUrl },
	});
	const { execution } = await engine.run(call('', sticker('https://example.com/one.webp')));

	const again = await engine.run(call('', { ...sticker('https://example.com/one.webp'), execution }));
	const other = await engine.run(call('', { ...sticker('https://example.com/two.webp'), execution }));

	expect(again.output[0]?.json.already_sent).toBe(true);
	expect(other.output[0]?.json.already_sent).toBeUndefined();
	expect(await engine.requests('media.sendSticker')).toHaveLength(2);
});

test.each(['manual', 'retry'] as const)(
	'the same message of calls that begin at the same moment is sent once in mode %s',
	async (mode) => {
		const execution = newExecution();
		const row = newKeyRow();

		await Promise.all(
			[0, 0, 1].map(async (runIndex) => await engine.run(call('Hello', { execution, row, mode, runIndex }))),
		);

		expect(await engine.accepted()).toEqual(['Hello']);
	},
);
