import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const photo = { mimeType: 'image/jpeg', fileName: 'photo.jpg', data: 'aGVsbG8gaW1hZ2U=' };

describe('a list', () => {
	const names = ['VIP', 'New', 'Old'];
	const list = { operation: 'tag:getAll', items: [{ most: 1 }, { most: 2 }] };

	beforeEach(async () => await engine.service.control.seed({ tags: names.map((name) => ({ name })) }));

	test('is put out up to the limit of each item', async () => {
		const { output } = await engine.run({ ...list, parameters: { limit: '={{ $json.most }}' } });

		expect(output).toEqual(
			[
				['VIP', 0],
				['VIP', 1],
				['New', 1],
			].map(([name, item]) => ({ json: expect.objectContaining({ name }) as unknown, pairedItem: { item } })),
		);
	});

	test('is put out whole with Return All', async () => {
		const { output } = await engine.run({ ...list, items: [{}], parameters: { returnAll: true } });

		expect(output.map(({ json }) => json.name)).toEqual(names);
	});
});

test('each downloaded file belongs to the item that named it', async () => {
	const media = { mimetype: photo.mimeType, filename: photo.fileName, base64: photo.data };
	const chatId = `${person(1)}@c.us`;
	await engine.service.control.seed({
		messages: [1, 2].map((number) => ({ chatId, body: `Look ${number}`, media })),
	});

	const { output } = await engine.run({
		operation: 'media:downloadFile',
		items: [{ name: '2-photo.jpg' }, { name: '1-photo.jpg' }],
		parameters: { filename: '={{ $json.name }}', binaryPropertyName: 'picture' },
	});

	expect(output).toEqual(
		['2-photo.jpg', '1-photo.jpg'].map((filename, item) => ({
			json: { filename, mimetype: 'image/jpeg', size: 11 },
			binary: {
				picture: expect.objectContaining({ fileName: filename, data: photo.data }) as unknown,
			},
			pairedItem: { item },
		})),
	);
});

test('a file of the item is uploaded', async () => {
	const { output } = await engine.run({
		operation: 'media:sendImage',
		items: [{}],
		binary: { data: photo },
		parameters: { to: { __rl: true, mode: 'phone', value: person(1) } },
	});

	expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
	expect((await engine.requests('media.sendImage')).map(({ multipart }) => multipart)).toEqual([
		{
			fields: { to: person(1) },
			file: expect.objectContaining({ filename: 'photo.jpg', mimetype: 'image/jpeg', size: 11 }),
		},
	]);
});

test('options of a send do not affect another operation', async () => {
	const { output } = await engine.run({
		operation: 'tag:create',
		items: [{}],
		parameters: { name: 'VIP' },
		options: { pauseWhenQueueAbove: 1 },
	});

	expect(output.map(({ json }) => json.name)).toEqual(['VIP']);
	expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(['tag.create']);
});

test.each([
	['message:send', 'message.send', {}, { to: person(1), outcome: 'queued' }],
	['tag:create', 'tag.create', { name: 'VIP' }, {}],
	['scheduledMessage:cancel', 'scheduledMessage.cancel', { scheduledMessageId: '7' }, { deleted: true }],
])(
	'what %s has done is an item, also without data in the answer',
	async (operation, operationId, own, json) => {
		await engine.service.control.addFault({
			kind: 'status',
			status: 200,
			body: { success: true, data: null },
			operationId,
		});
		const parameters = operation === 'message:send' ? {} : { parameters: own };

		const { output } = await engine.run({
			operation,
			items: [{ to: person(1), message: 'Hello' }],
			...parameters,
		});

		expect(output).toEqual([{ json, pairedItem: { item: 0 } }]);
	},
);
