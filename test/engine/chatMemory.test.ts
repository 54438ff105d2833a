import { virtualClock } from '../support/engine/clock';
import { person, useEngine } from '../support/engine/engine';
import { memoryFor, remembered } from '../support/engine/memory';
import { SETTINGS } from '../support/engine/nodeSettings';
import { callerOf } from '../support/service/testing';

const engine = useEngine();

const ADA = person(1);
const chatOf = (phone: string) => `${phone}@c.us`;

/** An event of the trigger. */
const eventOf = (phone: string, messageId?: string) => ({
	chat: { id: chatOf(phone) },
	...(messageId === undefined ? {} : { message: { id: messageId } }),
});

const writes = async (from: string, body: string, more: object = {}) =>
	(await engine.service.control.incomingMessage({ from, body, ...more })).messageId;

/** Ada writes so many messages from now on. */
const laterMessages = async (count: number, second = Math.floor(engine.now() / 1000)) =>
	await engine.service.control.seed({
		messages: Array.from({ length: count }, (_, number) => ({
			chatId: chatOf(ADA),
			body: `Later ${number}`,
			timestamp: second + number,
		})),
	});

test('the model gets the chat up to the message that started the run', async () => {
	await writes(ADA, 'Hello');
	await writes(ADA, 'Hi Ada, this is Tom', { fromMe: true });
	await writes(person(2), 'Somebody else');
	const prompt = await writes(ADA, 'Where is my parcel?');
	await writes(ADA, 'Are you there?');

	const memory = await engine.memory([eventOf(ADA, prompt)]);

	expect(await remembered(memory)).toEqual(['user: Hello', 'assistant: Hi Ada, this is Tom']);
	const reads = await engine.requests('chat.getMessages');
	expect(reads.map(({ query }) => query)).toEqual([
		{ limit: '30', include_raw: 'false', include_presigned_url: 'false' },
	]);
});

test('the message that started the workflow counts when the items of the agent do not have it', async () => {
	await writes(ADA, 'Before');
	const prompt = await writes(ADA, 'The prompt');

	const memory = await engine.memory([{ name: 'Ada' }], {}, eventOf(ADA, prompt));

	expect(await remembered(memory)).toEqual(['user: Before']);
});

test.each(Object.entries(SETTINGS))('the setting %s changes nothing', async (_, settings) => {
	await writes(ADA, 'Hello');
	const prompt = await writes(ADA, 'Where is my parcel?');

	const memory = await memoryFor(
		engine.account,
		virtualClock(),
		[eventOf(ADA, prompt)],
		{},
		undefined,
		settings,
	);

	expect(await remembered(memory)).toEqual(['user: Hello']);
});

test('of a long chat no more is read than the model gets, when no message started the run', async () => {
	await laterMessages(40);

	const memory = await engine.memory([eventOf(ADA)], { contextWindowLength: 1 });

	expect(await remembered(memory)).toEqual(['user: Later 39']);
	expect(await engine.requests('chat.getMessages')).toHaveLength(1);
});

test('with messages that were combined, the first of them counts', async () => {
	await writes(ADA, 'Before');
	const first = await writes(ADA, 'Hello');
	await writes(ADA, 'I have a question');

	const memory = await engine.memory([{ ...eventOf(ADA), messages: [{ id: first }] }]);

	expect(await remembered(memory)).toEqual(['user: Before']);
});

test('with messages of the same second that arrived in another order, none of them counts', async () => {
	const now = { timestamp: Math.floor(engine.now() / 1000) };
	await writes(ADA, 'Before');
	const first = await writes(ADA, 'Hello', now);
	const second = await writes(ADA, 'I have a question', now);

	const memory = await engine.memory([{ ...eventOf(ADA), messages: [{ id: second }, { id: first }] }]);

	expect(await remembered(memory)).toEqual(['user: Before']);
});

test('a given message takes the place of the one that started the run', async () => {
	await writes(ADA, 'One');
	const two = await writes(ADA, 'Two');
	const three = await writes(ADA, 'Three');

	const memory = await engine.memory([eventOf(ADA, three)], { options: { excludeMessageId: two } });

	expect(await remembered(memory)).toEqual(['user: One']);
});

test('the length and the age are those of the panel', async () => {
	const now = Math.floor(engine.now() / 1000);
	const hour = 3600;
	for (const hours of [5, 3, 2, 1]) await writes(ADA, `${hours} h ago`, { timestamp: now - hours * hour });

	const short = await engine.memory([eventOf(ADA)], { contextWindowLength: 2 });
	const young = await engine.memory([eventOf(ADA)], { options: { maxAge: 4 } });

	expect(await remembered(short)).toEqual(['user: 2 h ago', 'user: 1 h ago']);
	expect(await remembered(young)).toEqual(['user: 3 h ago', 'user: 2 h ago', 'user: 1 h ago']);
});

test('a message that started the run long ago is found', async () => {
	await writes(ADA, 'Before');
	const prompt = await writes(ADA, 'The prompt');
	await laterMessages(400);

	const memory = await engine.memory([eventOf(ADA, prompt)]);

	expect(await remembered(memory)).toEqual(['user: Before']);
});

test('a reply that is still queued is remembered, once', async () => {
	await writes(ADA, 'Hello');
	await engine.service.control.holdQueue();
	await engine.run({ items: [{ to: ADA, message: 'Hi Ada' }] });
	const memory = await engine.memory([eventOf(ADA)]);

	expect(await remembered(memory)).toEqual(['user: Hello', 'assistant: Hi Ada']);
	expect(await remembered(await engine.memory([eventOf(person(2))]))).toEqual([]);

	await engine.service.control.releaseQueue();
	await engine.service.control.idle();
	expect(await remembered(memory)).toEqual(['user: Hello', 'assistant: Hi Ada']);
});

test('a reply that is still queued stands before a question that came later', async () => {
	const now = Math.floor(engine.now() / 1000);
	await writes(ADA, 'Where is my parcel?', { timestamp: now - 10 });
	await engine.service.control.holdQueue();
	await engine.run({ items: [{ to: ADA, message: 'On Monday' }] });
	await writes(ADA, 'And when do you open?', { timestamp: now + 20 });
	const memory = await engine.memory([eventOf(ADA)]);

	expect(await remembered(memory)).toEqual([
		'user: Where is my parcel?',
		'assistant: On Monday',
		'user: And when do you open?',
	]);
});

test('a reply that the chat shows with other line breaks is remembered once', async () => {
	await engine.service.control.configure({ shownTexts: 'crlf' });
	await engine.run({ items: [{ to: ADA, message: 'Hi\nAda' }] });
	await engine.service.control.idle();

	expect(await remembered(await engine.memory([eventOf(ADA)]))).toEqual(['assistant: Hi\r\nAda']);
});

test('a reply that was sent, and not queued, is the one that the chat shows, however late the response came', async () => {
	await engine.run({
		items: [{ to: ADA, message: 'Hi Ada' }],
		options: { sync: true },
		transport: async (request, send) => {
			const response = await send();
			if (request.url.endsWith('/messages/send')) await engine.shiftServiceClock(60_000);
			return response;
		},
	});

	expect(await remembered(await engine.memory([eventOf(ADA)]))).toEqual(['assistant: Hi Ada']);
});

test('a page that hides a message is read once, unless it lacks the one that started the run', async () => {
	const prompt = await writes(ADA, 'The prompt');
	await laterMessages(29);
	await engine.service.control.configure({ chatPages: { hides: 29 } });

	expect(await remembered(await engine.memory([eventOf(ADA)]))).toHaveLength(10);
	expect(await engine.requests('chat.getMessages')).toHaveLength(1);

	expect(await remembered(await engine.memory([eventOf(ADA, prompt)]))).toEqual([]);
});

test('a short chat is one request, with any length of the memory', async () => {
	const prompt = await writes(ADA, 'The prompt');
	for (const contextWindowLength of [10, 500])
		await remembered(await engine.memory([eventOf(ADA, prompt)], { contextWindowLength }));

	expect(await engine.requests('chat.getMessages')).toHaveLength(2);
});

test('a reply that was queued before the message that started the run, and is shown after it, is remembered', async () => {
	await writes(ADA, 'Where is my parcel?');
	await engine.service.control.holdQueue();
	await engine.run({ items: [{ to: ADA, message: 'It arrives on Monday' }] });
	const prompt = await writes(ADA, 'And when do you open?');
	const expected = ['user: Where is my parcel?', 'assistant: It arrives on Monday'];
	const memory = await engine.memory([eventOf(ADA, prompt)]);
	expect(await remembered(memory)).toEqual(expected);

	await engine.service.control.releaseQueue();
	await engine.service.control.idle();
	const { body } = await callerOf(() => engine.service)('GET', `/chats/${chatOf(ADA)}/messages`);
	expect((body.data as Array<{ body: string }>)[0]?.body).toBe('It arrives on Monday');
	expect(await remembered(memory)).toEqual(expected);
});

test('a reply that the chat has shown many messages ago is not taken for a queued one', async () => {
	await writes(ADA, 'Hello');
	await engine.run({ items: [{ to: ADA, message: 'Hi Ada' }] });
	await engine.service.control.idle();
	await laterMessages(40);

	const memory = await engine.memory([eventOf(ADA)], { contextWindowLength: 2 });

	expect(await remembered(memory)).toEqual(['user: Later 38', 'user: Later 39']);
});

describe('with a clock that differs from that of the service', () => {
	test('a reply that the chat shows is remembered once', async () => {
		await engine.shiftServiceClock(-60_000);
		await writes(ADA, 'Hello');
		await engine.run({ items: [{ to: ADA, message: 'Hi Ada' }] });
		await engine.service.control.idle();

		expect(await remembered(await engine.memory([eventOf(ADA)]))).toEqual([
			'user: Hello',
			'assistant: Hi Ada',
		]);
	});

	test.each([-2, 2])('the age is that by the clock of the service, %i h ahead', async (hours) => {
		await engine.shiftServiceClock(hours * 3_600_000);
		const now = Math.floor(engine.now() / 1000) + hours * 3600;
		const ages = Array.from({ length: 10 }, (_, index) => 50 - index);
		for (const age of [70, ...ages]) await writes(ADA, `${age} min ago`, { timestamp: now - age * 60 });
		const prompt = await writes(ADA, 'The prompt', { timestamp: now - 1200 });
		// More of those before it are on the second page.
		await laterMessages(25, now - 1000);

		const memory = await engine.memory([eventOf(ADA, prompt)], { options: { maxAge: 1 } });

		expect(await remembered(memory)).toEqual(ages.map((age) => `user: ${age} min ago`));
	});
});

test('saving sends nothing', async () => {
	const memory = await engine.memory([eventOf(ADA)]);

	await memory.saveContext({ input: 'Hello' }, { output: 'Hi' });
	await memory.chatHistory.addUserMessage('Hello');

	const methods = (await engine.requests()).map(({ method }) => method);
	expect(methods.filter((method) => method !== 'GET')).toEqual([]);
	expect(await remembered(memory)).toEqual([]);
});

test('nothing can be deleted', async () => {
	const memory = await engine.memory([eventOf(ADA)]);
	await expect(memory.clear()).rejects.toMatchObject({
		message: 'The messages of a chat cannot be deleted',
		description: expect.stringContaining('limit their age'),
	});
});

describe('an error says what to do', () => {
	test('when the items belong to different chats', async () => {
		await expect(engine.memory([eventOf(ADA), eventOf(ADA), eventOf(person(2))])).rejects.toMatchObject({
			message:
				"'Chat' differs between the items of this run, but an agent uses the memory of the first item for all of them",
			description: expect.stringContaining("set 'Combine Events' of the trigger to 'Per Chat'"),
		});
		expect(await engine.requests()).toEqual([]);
	});

	test('when the items have different accounts', async () => {
		const events = ['a', 'b'].map((key) => ({ ...eventOf(ADA), key }));
		const account = { ...engine.account, apiKey: '={{ $json.key }}' };
		await expect(memoryFor(account, virtualClock(), events)).rejects.toMatchObject({
			message: expect.stringContaining("'Credential' differs between the items of this run"),
		});
		expect(await engine.requests()).toEqual([]);
	});

	test('when the chat is given by its phone number, for which the service has no messages', async () => {
		await writes(ADA, 'Hello');
		const event = { ...eventOf(ADA), chat: { id: chatOf(ADA), phone: ADA } };
		const chatId = { __rl: true, mode: 'id', value: '={{ $json.chat.phone }}' };

		await expect(engine.memory([event], { chatId })).rejects.toMatchObject({
			message: `'Chat' is a phone number, not a chat ID: '${ADA}'`,
			description: expect.stringContaining('chat.id'),
		});
	});

	test('when there is no chat', async () => {
		await expect(
			engine.memory([{}], { chatId: { __rl: true, mode: 'id', value: '' } }),
		).rejects.toMatchObject({
			message: "'Chat' is empty",
		});
	});

	test('when the messages cannot be read', async () => {
		const memory = await engine.memory([eventOf(ADA)]);
		const fault = {
			kind: 'status',
			status: 403,
			error: 'forbidden',
			operationId: 'chat.getMessages',
		} as const;
		await engine.service.control.addFault(fault);

		await expect(remembered(memory)).rejects.toMatchObject({
			message: "The API key lacks the permission 'messages:read'",
		});
	});

	test('when the messages have no end, without options of another node', async () => {
		const memory = await engine.memory([eventOf(ADA)]);
		const body = {
			success: true,
			data: Array.from({ length: 30 }, () => ({ id: 'same', timestamp: 1_700_000_000 })),
		};
		const fault = { kind: 'status', status: 200, body, operationId: 'chat.getMessages' } as const;
		await engine.service.control.addFault({ ...fault, times: 'always' });

		await expect(remembered(memory)).rejects.toMatchObject({
			message: 'The service keeps returning the same page of the list',
			description: 'Report this to the provider of the service.',
		});
	});
});

test('several items of one chat have one memory', async () => {
	await writes(ADA, 'Hello');
	expect(await remembered(await engine.memory([eventOf(ADA), eventOf(ADA)]))).toEqual(['user: Hello']);
});
