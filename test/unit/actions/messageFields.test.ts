import { getAll } from '../../../nodes/MessagingChannel/actions/chat/getAll';
import { getMessages } from '../../../nodes/MessagingChannel/actions/chat/getMessages';
import type { Input } from '../../../nodes/MessagingChannel/operation/input';

test.each([
	['messages', getMessages],
	// A service can show the latest message of each.
	['chats', getAll],
])(
	'of %s, a model gets no link that answers a question, wherever the service puts it',
	(_, { pickFields }) => {
		const link = 'https://n8n.example.com/webhook-waiting/17/node?chat=abc&run=0&signature=abc';
		const record = { id: '1', raw: { links: [{ url: link }], preview: [link] } };
		const input = { parameters: {}, settings: { output: 'raw' } } as unknown as Input;

		expect(pickFields?.(record, input, true)).toEqual({
			id: '1',
			raw: { links: [{ url: '[link]' }], preview: ['[link]'] },
		});
		expect(pickFields?.(record, input, false)).toEqual(record);
	},
);
