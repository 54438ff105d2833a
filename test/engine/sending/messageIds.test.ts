import type { IDataObject } from 'n8n-workflow';

import { person, useEngine } from '../../support/engine/engine';
import { retriedFromList } from '../../support/engine/retries';

const engine = useEngine();

const FINDS = { findMessageId: true };

const chat = (to: string) => `${to}@c.us`;

/** The IDs of the messages that went out in a chat, oldest first. */
const ownIds = async (to: string) =>
	(await engine.service.control.messages({ chatId: chat(to) }))
		.filter(({ from_me }) => from_me)
		.map(({ id }) => id);

/** Lets the account's owner write in a chat by hand. */
const byHand = async (to: string, body: string) =>
	await engine.service.control.incomingMessage({ from: to, body, fromMe: true });

const idsIn = (output: Array<{ json: IDataObject }>) => output.map(({ json }) => json.message_id);

/** The sends of a run, with the message that each of them really became. */
const trueIds = async (items: IDataObject[]) => {
	const left = new Map<string, string[]>();
	for (const to of new Set(items.map((item) => String(item.to)))) left.set(to, await ownIds(to));
	return items.map((item) => left.get(String(item.to))?.shift());
};

test('each send gets the ID of its message, and pairs with its item', async () => {
	const items = [0, 1, 0, 2, 0].map((number, index) => ({ to: person(number), message: `Hello ${index}` }));

	const { output, error } = await engine.run({ items, options: FINDS });

	expect(error).toBeUndefined();
	expect(idsIn(output)).toEqual(await trueIds(items));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(output[0]?.json).toMatchObject({ queued: true, to: chat(person(0)) });
	expect((await engine.requests()).map(({ operationId }) => operationId).slice(items.length)).toEqual(
		Array.from({ length: 3 }, () => 'chat.getMessages'),
	);
});

test('a response that has null in place of the ID does not keep it from being found', async () => {
	const items = [{ to: person(1), message: 'Hello' }];
	const body = { success: true, queued: true, to: chat(person(1)), message_id: null };
	await engine.spoilSend({ kind: 'status', status: 202, body, when: 'after' });

	const { output } = await engine.run({ items, options: FINDS });

	expect(idsIn(output)).toEqual(await ownIds(person(1)));
});

test('a hint says how many IDs were not found', async () => {
	const items = [1, 2].map((number) => ({ to: person(number), message: 'Hello' }));
	await engine.service.control.holdQueue();

	const { hints } = await engine.run({ items, options: FINDS });

	expect(hints.map(({ message }) => message)).toEqual([
		"Without a message ID: 2 of 2. The messages were not in their chats yet, or others there look the same. With 'Wait Until Sent', they are there before the node looks.",
	]);
});

test('each part of a long text gets the ID of its message', async () => {
	const message = 'First sentence. Second sentence. Third sentence.';
	const { output } = await engine.run({
		items: [{ to: person(1), message }],
		options: { ...FINDS, splitLongText: 20 },
	});

	const ids = (output[0]?.json.parts as IDataObject[]).map((part) => part.message_id);
	expect(ids).toHaveLength(3);
	expect(ids).toEqual(await ownIds(person(1)));
});

test('a run that fails has looked for the IDs of what it sent, which the retry puts out', async () => {
	const sending = {
		items: [1, 2].map((number) => ({ to: person(number), message: 'Hello' })),
		options: { ...FINDS, maxConcurrency: 1 },
	};
	await engine.spoilSend({ kind: 'status', status: 400, bodyHas: { to: person(2) } });
	const failed = await engine.run(sending);
	expect(failed.error?.context.itemIndex).toBe(1);
	const ids = await ownIds(person(1));
	await byHand(person(1), 'Hello');

	const { output } = await retriedFromList(engine)(failed, failed.row, sending);

	expect(idsIn(output)).toEqual([...ids, ...(await ownIds(person(2)))]);
});

test('what an execution sent before it was stopped, while it looked for IDs, is not sent again', async () => {
	const stopping = new AbortController();
	const sending = { items: [{ to: person(1), message: 'Hello' }], options: FINDS };
	const stopped = await engine.run({
		...sending,
		cancelled: stopping.signal,
		watch: {
			sending: ({ url }) => {
				if (url.includes('/chats/')) stopping.abort();
			},
		},
	});
	expect(stopped.output.map(({ json }) => [json.outcome, json.message_id])).toEqual([['queued', undefined]]);

	const { output } = await retriedFromList(engine)(stopped, stopped.row, sending);

	expect(output[0]?.json).toMatchObject({ already_sent: true });
	expect(await engine.accepted()).toEqual(['Hello']);
});

test('without the option, nothing is read', async () => {
	const { output } = await engine.run({ items: [{ to: person(1), message: 'Hello' }] });

	expect(output[0]?.json).not.toHaveProperty('message_id');
	expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(['message.send']);
});
