import { color } from '../../../nodes/MessagingChannel/fields/color';
import { refusal } from './refusal';

const sent = (entered: string) => color.toApi?.(entered as never, {});

test.each([
	['#0f7', '#0f7'],
	['#0F7A', '#0F7A'],
	['#0f766e', '#0f766e'],
	['#0F766E80', '#0F766E80'],
	['0F766E', '0F766E'],
	[' #0f766e\n', '#0f766e'],
	['', ''],
])('the color %j is sent as %j', (entered, expected) => {
	expect(sent(entered)).toEqual({ color: expected });
});

test.each([
	...['red', '#', '#0', '#0f', '#0f766', '#0f766e8', '#0f766e800'],
	...['#xyz', '#wxyz', '#uvwxyz', '#ghijklmn', 'x#0f766e', '##0f766e', '#0f766e;'],
])('%j is no color', (entered) => {
	expect(() => sent(entered)).toThrow(
		refusal(`is not a hex color: '${entered}'`, 'Enter a color such as #0F766E.'),
	);
});
