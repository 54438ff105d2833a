import type { INodeParameters } from 'n8n-workflow';

import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const chatId = `${person(1)}@c.us`;

const TOOL = { type: 'n8n-nodes-messaging-channel.messagingChannelTool' };
const NOT_ASKED_FOR = { include_raw: 'false', include_presigned_url: 'false' };

const file = { mimetype: 'image/jpeg', filename: 'photo.jpg', base64: 'aGVsbG8gaW1hZ2U=' };

/** A conversation of 30 messages, three of them with a photo. */
const seed = async () =>
	await engine.service.control.seed({
		messages: Array.from({ length: 30 }, (_, index) => ({
			chatId,
			body: `Message ${index}: could you tell me when my order arrives?`,
			timestamp: 1_750_000_000 + index,
			...(index % 10 === 0 ? { media: file } : {}),
		})),
	});

const read = async (
	parameters: INodeParameters,
	more: { isTool?: true; options?: INodeParameters; count?: number } = {},
) => {
	const { output, error } = await engine.run({
		operation: 'chat:getMessages',
		items: [{}],
		parameters: { chatId: { __rl: true, mode: 'id', value: chatId }, ...parameters },
		options: more.options ?? {},
		...(more.isTool ? { node: TOOL } : {}),
	});
	expect(error).toBeUndefined();
	expect(output).toHaveLength(more.count ?? 30);
	const [request] = (await engine.requests('chat.getMessages')).slice(-1);
	return { messages: output.map(({ json }) => json), asked: request?.query ?? {} };
};

const SIMPLIFIED = ['id', 'from', 'from_me', 'timestamp', 'type', 'body', 'has_media'];

const fieldsIn = (messages: object[]) => [...new Set(messages.flatMap((message) => Object.keys(message)))];

test('a message is simplified unless the user wants all of it', async () => {
	await seed();
	const simple = await read({});
	expect(fieldsIn(simple.messages).sort()).toEqual(SIMPLIFIED.toSorted());
	expect(simple.asked).toMatchObject(NOT_ASKED_FOR);

	const all = await read({ simplify: false });
	expect(fieldsIn(all.messages)).toEqual(
		expect.arrayContaining([...SIMPLIFIED, 'to', 'raw_type', 'media', 'raw']),
	);
	expect(all.asked).toEqual({ limit: '50' });
});

describe("as an agent's tool", () => {
	test('it gives the fields that the user has chosen, and always the ID', async () => {
		await seed();
		const texts = await read({ output: 'selectedFields', fields: ['body', 'from_me'] }, { isTool: true });
		expect(fieldsIn(texts.messages)).toEqual(['id', 'body', 'from_me']);
		expect(texts.asked).toMatchObject(NOT_ASKED_FOR);

		const ids = await read({ output: 'selectedFields', fields: [] }, { isTool: true });
		expect(fieldsIn(ids.messages)).toEqual(['id']);
	});

	test.each([
		[{}, { include_presigned_url: 'true' }, expect.stringContaining('/links/')],
		[{ includePresignedUrl: false }, { include_presigned_url: 'false' }, undefined],
	])('it asks for download links only with the files, and with %j', async (options, asked, link) => {
		await seed();
		const files = await read({ output: 'selectedFields', fields: ['media'] }, { isTool: true, options });

		expect(files.asked).toMatchObject({ ...asked, include_raw: 'false' });
		const [photo] = files.messages.filter(({ media }) => media !== null);
		expect((photo?.media as { presigned_url?: string }).presigned_url).toEqual(link);
	});

	test.each([{}, { output: 'raw' }])(
		'it gives the model no link that answers a question, with %j, and people get it',
		async (parameters) => {
			const link = 'https://n8n.example.com/webhook-waiting/17/node?chat=abc&run=0&signature=abc';
			const body = `Ship it?\n\nOr answer here: ${link}`;
			await engine.service.control.seed({ messages: [{ chatId, body, fromMe: true, media: file }] });

			const { messages } = await read(parameters, { isTool: true, count: 1 });

			expect(JSON.stringify(messages)).not.toContain('webhook-waiting');
			expect(messages).toMatchObject([{ body: 'Ship it?\n\nOr answer here: [link]', from_me: true }]);
			const all = await read({ simplify: false }, { count: 1 });
			expect(all.messages).toMatchObject([{ body }]);
		},
	);

	test('its choice does not count when people use the node', async () => {
		await seed();
		expect(fieldsIn((await read({ output: 'raw' })).messages).sort()).toEqual(SIMPLIFIED.toSorted());
		const tool = await read({ simplify: false }, { isTool: true });
		expect(fieldsIn(tool.messages).sort()).toEqual(SIMPLIFIED.toSorted());
	});
});
