import { formatted } from '../../../nodes/MessagingChannel/fields/messageFormat';

const to = '905551234567';

test('Markdown becomes the marks of the channel, in the one text', () => {
	const input = {
		parameters: { to, message: '**Sale**', caption: '**Sale**' },
		settings: { format: 'markdown' },
	};
	expect(formatted(input, 'message')).toEqual({
		...input,
		parameters: { to, message: '*Sale*', caption: '**Sale**' },
	});
});

test.each([{}, { format: 'none' }])('with the settings %j, a text is sent as it is', (settings) => {
	const input = { parameters: { to, message: '**Sale**' }, settings };
	expect(formatted(input, 'message')).toEqual(input);
});

test('a file without a caption gets none', () => {
	const input = { parameters: { to }, settings: { format: 'markdown' } };
	expect(formatted(input, 'caption')).toEqual(input);
});
