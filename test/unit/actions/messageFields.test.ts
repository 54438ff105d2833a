import { messageFields } from '../../../nodes/MessagingChannel/actions/chat/messageFields';
import type { Input } from '../../../nodes/MessagingChannel/operation/input';

test('a model gets no link that answers a question, wherever the service puts it', () => {
	const link = 'https://n8n.example.com/webhook-waiting/17/node?chat=abc&run=0&signature=abc';
	const message = { id: '1', raw: { links: [{ url: link }], preview: [link] } };
	const input = { parameters: {}, settings: { output: 'raw' } } as unknown as Input;

	expect(messageFields(message, input, true)).toEqual({
		id: '1',
		raw: { links: [{ url: '[link]' }], preview: ['[link]'] },
	});
	expect(messageFields(message, input, false)).toEqual(message);
});
