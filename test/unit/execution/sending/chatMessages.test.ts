import {
	chatIdOf,
	identifiedMessages,
} from '../../../../nodes/MessagingChannel/execution/sending/chatMessages';
import { answer, scripted } from '../../api/scripted';

const number = '905551234567';
const chatId = `${number}@c.us`;

test.each([
	[200, { success: true, data: {} }],
	[403, { success: false, error: 'forbidden' }],
])('the chat of a number may exist after the response %d %j', async (status, body) => {
	const { client } = scripted(answer(status, body));
	await expect(chatIdOf(client, number)).rejects.toMatchObject({ name: 'ApiError' });
});

test.each([null, []])('a number has no chat if the service says %j in place of one', async (data) => {
	const { client } = scripted(answer(200, { success: true, data }));
	expect(await chatIdOf(client, number)).toBeUndefined();
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
