import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { virtualClock } from '../support/engine/clock';
import { person, useEngine } from '../support/engine/engine';
import { memoryFor, remembered } from '../support/engine/memory';
import { SETTINGS } from '../support/engine/nodeSettings';
import { byId } from '../support/operations/parameters';

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

test('with messages that were combined, the first of them counts', async () => {
	await writes(ADA, 'Before');
	const first = await writes(ADA, 'Hello');
	await writes(ADA, 'I have a question');

	const memory = await engine.memory([{ ...eventOf(ADA), messages: [{ id: first }] }]);

	expect(await remembered(memory)).toEqual(['user: Before']);
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

test.each([-2, 2])(
	'with a clock that differs, the age is that by the clock of the service, %i h ahead',
	async (hours) => {
		await engine.shiftServiceClock(hours * 3_600_000);
		const now = Math.floor(engine.now() / 1000) + hours * 3600;
		const ages = Array.from({ length: 10 }, (_, index) => 50 - index);
		for (const age of [70, ...ages]) await writes(ADA, `${age} min ago`, { timestamp: now - age * 60 });
		const prompt = await writes(ADA, 'The prompt', { timestamp: now - 1200 });
		// More of those before it are on the second page.
		await laterMessages(25, now - 1000);

		const memory = await engine.memory([eventOf(ADA, prompt)], { options: { maxAge: 1 } });

		expect(await remembered(memory)).toEqual(ages.map((age) => `user: ${age} min ago`));
	},
);

test('saving sends and reads nothing, so that no failure there takes the answer of an agent', async () => {
	await writes(ADA, 'Hello');
	const memory = await engine.memory([eventOf(ADA)]);
	const messages = await memory.chatHistory.getMessages();
	await engine.service.control.addFault({ operationId: 'chat.getMessages', kind: 'status', status: 403 });

	await memory.saveContext({ input: 'Hello' }, { output: 'Hi' });
	await memory.chatHistory.addMessages(messages);

	expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(['chat.getMessages']);
	await expect(memory.chatHistory.getMessages()).rejects.toThrow('lacks the permission');
});

// The Chat Memory Manager does this.
test('nothing can be deleted or added', async () => {
	const memory = await engine.memory([eventOf(ADA)]);
	const refused = {
		message: 'The messages of a chat can only be read here',
		description: expect.stringContaining('limit their age'),
	};
	await expect(memory.clear()).rejects.toMatchObject(refused);
	await expect(memory.chatHistory.clear()).rejects.toMatchObject(refused);
	await expect(memory.chatHistory.addUserMessage('Hello')).rejects.toMatchObject(refused);
});

describe('an error says what to do', () => {
	test.each<[string, IDataObject[], INodeParameters, string, string]>([
		[
			'when the items belong to different chats',
			[eventOf(ADA), eventOf(ADA), eventOf(person(2))],
			{},
			"'Chat' differs between the items of this run, but an agent uses the memory of the first item for all of them",
			"set 'Combine Events' of the trigger to 'Per Chat'",
		],
		[
			'when the chat is given by its phone number, for which the service has no messages',
			[{ phone: ADA }],
			{ chatId: byId('={{ $json.phone }}') },
			`'Chat' is a phone number, not a chat ID: '${ADA}'`,
			'chat.id',
		],
		[
			'when the age is missing, so that all messages would count',
			[eventOf(ADA)],
			{ options: { maxAge: '={{ $json.hours }}' } },
			"'Max Age (Hours)' has an expression that gives nothing",
			'Correct the expression',
		],
	])('%s', async (_, events, parameters, message, advice) => {
		await expect(engine.memory(events, parameters)).rejects.toMatchObject({
			message,
			description: expect.stringContaining(advice),
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
});
