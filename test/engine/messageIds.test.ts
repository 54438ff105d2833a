import type { IDataObject } from 'n8n-workflow';

import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const FINDS = { findMessageId: true };

const chat = (to: string) => `${to}@c.us`;

/** The IDs of a chat's messages that did not come from elsewhere, oldest first. */
const ownIds = async (to: string, elsewhere: readonly string[] = []) =>
	(await engine.service.control.messages({ chatId: chat(to) }))
		.filter(({ id, from_me }) => from_me && !elsewhere.includes(id))
		.map(({ id }) => id);

/** Lets the account's owner write in a chat by hand. */
const byHand = async (to: string, body: string) =>
	(await engine.service.control.incomingMessage({ from: to, body, fromMe: true })).messageId;

const idsIn = (output: Array<{ json: IDataObject }>) => output.map(({ json }) => json.message_id);

/** The sends of a run, with the message that each of them really became. */
const trueIds = async (items: IDataObject[], elsewhere: readonly string[] = []) => {
	const left = new Map<string, string[]>();
	for (const to of new Set(items.map((item) => String(item.to)))) left.set(to, await ownIds(to, elsewhere));
	return items.map((item) => left.get(String(item.to))?.shift());
};

test('each send gets the ID of its message, and pairs with its item', async () => {
	const items = [0, 1, 0, 2, 0].map((number, index) => ({ to: person(number), message: `Hello ${index}` }));

	const { output, error } = await engine.run({ items, options: FINDS });

	expect(error).toBeUndefined();
	expect(idsIn(output)).toEqual(await trueIds(items));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(output[0]?.json).toMatchObject({ queued: true, to: chat(person(0)) });
	// Nobody had a chat before. After the run, two reads for each: the second shows that nothing is older.
	expect(await engine.requests('chat.getMessages')).toHaveLength(6);
});

test('of 500 sends, with equal texts, texts from before, and others writing meanwhile, no ID is wrong', async () => {
	const items = Array.from({ length: 500 }, (_, index) => ({
		to: person(index % 60),
		message: index % 3 === 0 ? 'Hello' : `Order ${index}`,
	}));
	for (let number = 0; number < 60; number += 2) await byHand(person(number), 'Hello');
	const before = (
		await Promise.all(Array.from({ length: 60 }, async (_, n) => await ownIds(person(n))))
	).flat();
	const meanwhile: Array<Promise<string>> = [];
	let sent = 0;

	const { output } = await engine.run({
		items,
		options: FINDS,
		watch: {
			answered: ({ statusCode }) => {
				sent += statusCode === 202 ? 1 : 0;
				if (statusCode !== 202 || sent % 10 !== 0) return;
				const number = sent % 60;
				meanwhile.push(byHand(person(number), sent % 20 === 0 ? 'Hello' : 'Anything else'));
				void engine.service.control.incomingMessage({ from: person(number), body: 'Hello' });
			},
		},
	});

	const elsewhere = [...before, ...(await Promise.all(meanwhile))];
	const truth = await trueIds(items, elsewhere);
	const found = idsIn(output);
	expect(found.filter((id, index) => id !== undefined && id !== truth[index])).toEqual([]);
	// A text that is sent several times has no ID, and all others have theirs.
	expect(found.map((id) => id !== undefined)).toEqual(items.map(({ message }) => message !== 'Hello'));
});

test('while the queue still holds a message, the same text from somebody else is not taken for it', async () => {
	const to = person(1);
	await engine.service.control.holdQueue();
	const { output } = await engine.run({
		items: [{ to, message: 'Hello' }],
		options: FINDS,
		watch: {
			answered: ({ statusCode }) => {
				if (statusCode === 202) void byHand(to, 'Hello');
			},
		},
	});

	expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
	expect(idsIn(output)).toStrictEqual([undefined]);
});

test('two notations of a number, and somebody who writes the same meanwhile: no ID is wrong', async () => {
	const to = person(1);
	const items = [
		{ to, message: 'Hello' },
		{ to: `0${to.slice(2)}`, message: 'Order 2' },
	];
	const elsewhere: string[] = [];
	const { output } = await engine.run({
		items,
		options: { ...FINDS, maxConcurrency: 1 },
		transport: async ({ body }, send) => {
			// The second look at the chat shows the first message already, and not this one.
			if ((body as IDataObject | undefined)?.message === 'Order 2') elsewhere.push(await byHand(to, 'Hello'));
			return await send();
		},
	});

	const [, second] = await ownIds(to, elsewhere);
	expect(idsIn(output)).toStrictEqual([undefined, second]);
});

test('a message that leaves the queue a little later is found', async () => {
	await engine.service.control.holdQueue();
	const items = [{ to: person(1), message: 'Hello' }];
	let looks = 0;
	const { output } = await engine.run({
		items,
		options: FINDS,
		watch: {
			sending: ({ url }) => {
				if (url.endsWith('/messages/queue') && ++looks === 3) void engine.service.control.releaseQueue();
			},
		},
	});

	expect(idsIn(output)).toEqual(await trueIds(items));
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

test.each([
	['to one person', person(1)],
	['to two notations of a number', `0${person(1).slice(2)}`],
])('of equal texts %s, neither gets an ID', async (_, to) => {
	const { output } = await engine.run({
		items: [person(1), to].map((each) => ({ to: each, message: 'Hello' })),
		options: { ...FINDS, maxConcurrency: 1 },
	});

	expect(idsIn(output)).toStrictEqual([undefined, undefined]);
});

test('a message that was found in the chat instead of confirmed has its ID, too, and so has an equal one', async () => {
	const items = [1, 2].map(() => ({ to: person(1), message: 'Hello' }));
	await engine.service.control.addFault({
		operationId: 'message.send',
		kind: 'status',
		status: 504,
		when: 'after',
	});

	const { output } = await engine.run({ items, options: FINDS });

	expect(output[0]?.json).toMatchObject({ verified: true });
	expect(idsIn(output)).toEqual(await trueIds(items));
});

test.each([
	['the chats', 'chat.getMessages'],
	['the queue', 'message.getQueue'],
	['who has a chat', 'chat.resolve'],
])('a failed look at %s costs the ID, not the message', async (_, operationId) => {
	await engine.service.control.addFault({ operationId, kind: 'status', status: 500, times: 'always' });

	const { output, error } = await engine.run({
		items: [{ to: person(1), message: 'Hello' }],
		options: FINDS,
	});

	expect(error).toBeUndefined();
	expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
	expect(idsIn(output)).toStrictEqual([undefined]);
	expect(await engine.accepted()).toEqual(['Hello']);
});

test.each<[string, number, { hides?: number; most?: number }]>([
	['hides a message in each full page', 250, { hides: 199 }],
	['shows 100 messages in each page', 250, { most: 100 }],
	['shows two messages in each page', 5, { most: 2 }],
	['shows one message in each page', 0, { most: 1 }],
])('a service that %s: no ID is wrong in a chat of %i', async (_, count, chatPages) => {
	const to = person(1);
	const now = Math.floor(engine.now() / 1000);
	const messages = Array.from({ length: count }, (__, number) => ({
		chatId: chat(to),
		body: 'Hello',
		fromMe: true,
		timestamp: now - 1000 + number,
	}));
	await engine.service.control.seed({ messages });
	const before = await ownIds(to);
	const meanwhile: string[] = [];
	await engine.service.control.configure({ chatPages });
	const items = [1, 2, 3].map((number) => ({ to, message: `Order ${number}` }));

	const { output } = await engine.run({
		items,
		options: FINDS,
		watch: {
			answered: ({ statusCode }) => {
				if (statusCode === 202) void byHand(to, 'Order 2').then((id) => meanwhile.push(id));
			},
		},
	});

	const truth = await trueIds(items, [...before, ...meanwhile]);
	const found = idsIn(output);
	expect(found.filter((id, index) => id !== undefined && id !== truth[index])).toEqual([]);
	if ((chatPages.most ?? 100) === 100) expect(found[0]).toBe(truth[0]);
});

test('a text that the chat shows with other line breaks has its ID', async () => {
	await engine.service.control.configure({ shownTexts: 'crlf' });
	const { output } = await engine.run({
		items: [{ to: person(1), message: ' Good\nmorning ' }],
		options: FINDS,
	});

	expect(idsIn(output)).toEqual(await ownIds(person(1)));
});

test('without the option, nothing is read', async () => {
	const { output } = await engine.run({ items: [{ to: person(1), message: 'Hello' }] });

	expect(output[0]?.json).not.toHaveProperty('message_id');
	expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(['message.send']);
});
