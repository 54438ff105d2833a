import {
	chatIdOf,
	identifiedMessages,
} from '../../../../nodes/MessagingChannel/execution/sending/chatMessages';
import { answer, scripted } from '../../api/scripted';

const number = '905551234567';
const chatId = `${number}@c.us`;

describe('the chat of a number', () => {
	const found = async (status: number, body: object) => {
		const { client, sent } = scripted(answer(status, body));
		const id = await chatIdOf(client, number);
		expect(sent.map(({ qs }) => qs as object)).toEqual([{ phone: number }]);
		return id;
	};

	test('is the one that the service names', async () => {
		expect(await found(200, { success: true, data: { id: chatId } })).toBe(chatId);
	});

	test('does not exist if the service says so', async () => {
		expect(await found(404, { success: false, error: 'not_found' })).toBeUndefined();
	});

	test.each([
		[200, { success: true, data: {} }],
		[403, { success: false, error: 'forbidden' }],
	])('may exist after the response %d %j', async (status, body) => {
		await expect(found(status, body)).rejects.toMatchObject({ name: 'ApiError' });
	});
});

test.each([
	['is no list', { id: '1' }],
	['has a message without an ID', [{ id: '1' }, { id: '' }, { id: '3' }]],
])('a response that %s may lack a message', async (_, data) => {
	const { client } = scripted(answer(200, { success: true, data }));
	await expect(identifiedMessages(client, chatId, undefined)).rejects.toMatchObject({
		code: 'unexpected_answer',
	});
});
