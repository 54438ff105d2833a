import { eventually } from '../../support/poll';
import { CONTINUES, person, useEngine } from '../../support/engine/engine';
import type { RunOptions } from '../../support/engine/run';

const engine = useEngine();
const { loseSend } = engine;

const to = person(1);
const chatId = `${to}@c.us`;
const hello = { items: [{ to, message: 'Hello' }], node: CONTINUES } satisfies RunOptions;

beforeEach(async () => await engine.service.control.seed({ chats: [{ id: chatId }] }));

/** Stands before the node's requests: when it looks in the chat, what is queued is there. */
const releasingQueue: RunOptions['transport'] = async ({ url }, send) => {
	if (url.endsWith('/messages')) {
		await engine.service.control.releaseQueue();
		await engine.service.control.idle();
	}
	return await send();
};

describe('a lost message is not confirmed by that of another execution', () => {
	test.each([
		['which has queued it', { to }],
		['which has queued it to the national number', { to: `0${to.slice(2)}` }],
	])('%s', async (_, other) => {
		await engine.service.control.holdQueue();
		await engine.run({ items: [{ ...other, message: 'Hello' }] });
		await loseSend('before');

		const { output } = await engine.run({ ...hello, transport: releasingQueue });

		expect(await engine.service.control.messages({ chatId })).toHaveLength(1);
		expect(output).toEqual([{ json: expect.objectContaining({ ambiguous: true }), pairedItem: { item: 0 } }]);
	});

	test('which has no answer yet', async () => {
		let answer = () => {};
		const answered = new Promise<void>((resolve) => (answer = resolve));
		const other = engine.runBeside({
			...hello,
			transport: async (_, send) => {
				const response = await send();
				await answered;
				return response;
			},
		});
		await eventually(engine.accepted, (texts) => texts.length === 1);
		await loseSend('before');

		const lost = await engine.run(hello);
		answer();

		expect(lost.output[0]?.json.ambiguous).toBe(true);
		expect((await other).output[0]?.json.queued).toBe(true);
	});
});

describe('a message whose text differs in the next try', () => {
	const later = { items: [{ to, message: 'Hello again' }], node: CONTINUES } satisfies RunOptions;

	test('is not confirmed by one of another execution with that text', async () => {
		await loseSend('before');
		const { execution } = await engine.run(hello);
		await engine.run(later);

		const { output } = await engine.run({ ...later, execution });

		expect(output[0]?.json.ambiguous).toBe(true);
	});

	test('is found by the text that was sent', async () => {
		await loseSend('after');
		const { execution } = await engine.run({ ...hello, options: { afterAmbiguousSend: 'fail' } });

		const { output } = await engine.run({ ...later, execution });

		expect(output[0]?.json).toMatchObject({ body: 'Hello', verified: true });
	});
});
