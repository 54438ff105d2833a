import { partsOf, splitLongText } from '../../../nodes/MessagingChannel/fields/messageText';
import { cpuMs } from '../../support/cpuMs';
import { refusal } from './refusal';

const read = (length: number) => splitLongText.toApi?.(length as never, {});
const partsFor = (message: string, settings: object) =>
	partsOf({ parameters: { message } } as never, { settings } as never);

test.each([0, 10, 1000])('a text can be split after %j characters', (length) => {
	expect(read(length)).toEqual({ splitLongText: length });
});

test.each([-1, 1, 9])('%j characters are too few', (length) => {
	expect(() => read(length)).toThrow(
		refusal(
			`is too small to split a text: ${length}`,
			'Enter 10 or more, or 0 to send each text as one message.',
		),
	);
});

test.each([{}, { splitLongText: 0 }])('with the settings %j, a text is not split', (settings) => {
	expect(partsFor('word '.repeat(1000), settings)).toBeUndefined();
});

test('a text becomes up to 100 messages', () => {
	expect(partsFor('full-words  '.repeat(100), { splitLongText: 10 })).toEqual(Array(100).fill('full-words'));
});

test('a text of white space alone, which is too long, is refused', () => {
	expect(() => partsFor(' \n'.repeat(10), { splitLongText: 10 })).toThrow(
		refusal('is empty', 'Enter a value.'),
	);
});

describe('more messages are refused', () => {
	const isRefused = (text: string) => {
		expect(() => partsFor(text, { splitLongText: 10 })).toThrow(
			refusal('splits the text into more than 100 messages', 'Enter a larger number, or shorten the text.'),
		);
	};

	test('when the parts are too many', () => {
		isRefused('any-word '.repeat(101));
	});

	test('without splitting a huge text first, which would hold up n8n', () => {
		expect(cpuMs(() => isRefused('x'.repeat(1_000_000)))).toBeLessThan(1000);
	});
});
