import { person, useEngine } from '../support/engine/engine';
import { byPhone } from '../support/operations/parameters';

const engine = useEngine();

const photo = { mimeType: 'image/jpeg', fileName: 'photo.jpg', data: 'aGVsbG8gaW1hZ2U=' };

test('a list is put out up to the limit of each item', async () => {
	await engine.service.control.seed({ tags: ['VIP', 'New', 'Old'].map((name) => ({ name })) });

	const { output } = await engine.run({
		operation: 'tag:getAll',
		items: [{ most: 1 }, { most: 2 }],
		parameters: { limit: '={{ $json.most }}' },
	});

	expect(output.map(({ json, pairedItem }) => [json.name, pairedItem])).toEqual([
		['VIP', { item: 0 }],
		['VIP', { item: 1 }],
		['New', { item: 1 }],
	]);
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

test('options of a send do not affect another operation', async () => {
	const { output } = await engine.run({
		operation: 'tag:create',
		items: [{}],
		parameters: { name: 'VIP' },
		options: { pauseWhenQueueAbove: 1 },
	});

	expect(output.map(({ json }) => json.name)).toEqual(['VIP']);
	const asked = (await engine.requests()).map(({ operationId, headers }) => [operationId, headers.accept]);
	expect(asked).toEqual([['tag.create', 'application/json']]);
});

test.each([
	['message:send', 'message.send', {}, { to: person(1), outcome: 'queued' }],
	['tag:create', 'tag.create', { name: 'VIP' }, {}],
	['account:getHealth', 'account.getHealth', {}, {}],
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

test.each([
	[
		'contact:get',
		'contact.get',
		{ phone: byPhone(person(1)) },
		'The service did not find what this request names',
	],
	['webhook:get', 'webhook.get', {}, 'The account has no webhook'],
])(
	'%s that gets nothing fails, so that the workflow does not end without a word',
	async (operation, operationId, parameters, message) => {
		for (const found of [{ data: null }, { data: {} }, {}]) {
			await engine.service.control.addFault({
				kind: 'status',
				status: 200,
				body: { success: true, ...found },
				operationId,
			});

			const { error, output } = await engine.run({ operation, items: [{}], parameters });

			expect(output).toEqual([]);
			expect(error?.message).toMatch(message);
		}
	},
);

test('of several webhooks, the last item has the account, also if an earlier one is refused first', async () => {
	await engine.service.control.addFault({
		kind: 'status',
		status: 500,
		operationId: 'webhook.set',
		times: 1,
	});

	const { error } = await engine.run({
		operation: 'webhook:set',
		items: [{ path: 'a' }, { path: 'b' }],
		parameters: { url: '=https://example.com/{{ $json.path }}' },
	});

	expect(error).toBeUndefined();
	const { output } = await engine.run({ operation: 'webhook:get', items: [{}] });
	expect(output.map(({ json }) => json.url)).toEqual(['https://example.com/b']);
});

test('the secret is rotated once for all items', async () => {
	const { output } = await engine.run({ operation: 'webhook:rotateSecret', items: [{}, {}, {}] });

	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([[{ item: 0 }, { item: 1 }, { item: 2 }]]);
	expect(await engine.requests('webhook.rotateSecret')).toHaveLength(1);
});

test('a rotation whose response is lost says what to do, because there is nothing to check', async () => {
	await engine.service.control.addFault({
		kind: 'reset',
		when: 'after',
		operationId: 'webhook.rotateSecret',
	});

	const { error } = await engine.run({ operation: 'webhook:rotateSecret', items: [{}] });

	expect(error?.description).toMatch(
		/^The old secret may have stopped working\. Run again to create another/,
	);
	expect(await engine.requests('webhook.rotateSecret')).toHaveLength(1);
});

test('a rotation whose response lacks the secret fails, because the old one may have ended', async () => {
	await engine.service.control.addFault({
		kind: 'status',
		status: 200,
		body: { success: true },
		operationId: 'webhook.rotateSecret',
	});

	const { error, output } = await engine.run({ operation: 'webhook:rotateSecret', items: [{}] });

	expect(output).toEqual([]);
	expect(error).toMatchObject({
		message: 'The response of the service has no new secret',
		description: expect.stringMatching(/^The old secret may have stopped working\. Run again/),
	});
});
