import { inFormat } from '../../../nodes/MessagingChannel/fields/messageText';

test('Markdown becomes the marks of the channel', () => {
	expect(inFormat('**Sale**', { format: 'markdown' })).toBe('*Sale*');
});

test.each([{}, { format: 'none' }])('with the settings %j, a text is sent as it is', (settings) => {
	expect(inFormat('**Sale**', settings)).toBe('**Sale**');
});
