// cspell:ignore cdefghijkl klmnopqrst
import fc from 'fast-check';

import { splitText } from '../../../nodes/MessagingChannel/fields/splitText';

test.each<[string, string, number, string[]]>([
	['not at all when it is short enough', ' Hello, Ada\n', 12, [' Hello, Ada\n']],
	['between paragraphs', 'One.\n\nTwo.\nTwo.\n\nThree.', 18, ['One.\n\nTwo.\nTwo.', 'Three.']],
	['between paragraphs rather than lines', 'One one.\n\nTwo.\nThree.', 16, ['One one.', 'Two.\nThree.']],
	['between lines rather than sentences', 'One one.\nTwo. Three.', 16, ['One one.', 'Two. Three.']],
	[
		'where a line of spaces is between paragraphs',
		'One two.\n \t\nThree four.',
		12,
		['One two.', 'Three four.'],
	],
	[
		'with Windows line breaks',
		'One two.\r\n\r\nThree four.\r\nFive',
		16,
		['One two.', 'Three four.', 'Five'].slice(0, 3),
	],
	['between lines', 'One two.\nThree four.\nFive six.', 21, ['One two.\nThree four.', 'Five six.']],
	['between sentences', 'One two. Three! Four five? Six.', 15, ['One two. Three!', 'Four five? Six.']],
	[
		'between sentences without spaces',
		'今日は晴れです。明日は雨です。',
		10,
		['今日は晴れです。', '明日は雨です。'],
	],
	['after a sentence without a space', '今日は晴れです。Sale now', 12, ['今日は晴れです。', 'Sale now']],
	['between words', 'One two three four five', 13, ['One two three', 'four five']],
	[
		'before an address, not in it',
		'See https://shop.example/?a=b.c now',
		30,
		['See', 'https://shop.example/?a=b.c', 'now'],
	],
	['in a word that is too long alone', 'Hi abcdefghijklmnopqrst', 10, ['Hi', 'abcdefghij', 'klmnopqrst']],
	['between emoji', '👩‍👩‍👧‍👦👍🏽🇹🇷🇩🇪', 15, ['👩‍👩‍👧‍👦👍🏽', '🇹🇷🇩🇪']],
	['around an emoji that is too long alone', 'ab👩‍👩‍👧‍👦cdefghijkl', 10, ['ab', '👩‍👩‍👧‍👦', 'cdefghijkl']],
	[
		'with the indentation of its lines',
		'- One two\n  - three\n  - four',
		12,
		['- One two', '  - three', '  - four'],
	],
	[
		'without the space around it',
		'\n \n  One two\n\n\n\nthree\nfour  \n\n',
		10,
		['  One two', 'three\nfour'],
	],
	['although it is mostly space', `One${' '.repeat(50)}two`, 10, ['One', 'two']],
])('a text is split %s', (_, text, maxLength, parts) => {
	expect(splitText(text, maxLength)).toEqual(parts);
});

describe('any text', () => {
	const pieces = fc.oneof(
		fc.constantFrom(
			'a',
			'Word',
			' ',
			'\n',
			'\n\n',
			'. ',
			'? ',
			'。',
			'  ',
			'\t',
			'👩‍👩‍👧‍👦',
			'🇹🇷',
			'e\u0301',
			'👍🏽',
			' \u0301',
		),
		fc.string({ unit: 'grapheme', maxLength: 12 }),
	);
	const text = fc
		.array(pieces, { minLength: 1, maxLength: 60 })
		.map((all) => all.join(''))
		.filter((all) => all.trim() !== '');
	const maxLength = fc.integer({ min: 10, max: 60 });
	const withoutSpace = (all: string): string => all.replace(/\s/g, '');
	const charactersOf = (all: string) => [...new Intl.Segmenter('en').segment(all)];

	test('has no part that shows nothing', () => {
		expect(
			splitText(`Hello${'\u200b'.repeat(500)}`, 20).map((part) => part.replaceAll('\u200b', '')),
		).toEqual(['Hello']);
	});

	test('loses nothing but space', () => {
		fc.assert(
			fc.property(text, maxLength, (all, max) => {
				expect(withoutSpace(splitText(all, max).join(''))).toBe(withoutSpace(all));
			}),
			{ numRuns: 2000 },
		);
	});

	test('has no part that is too long or empty', () => {
		fc.assert(
			fc.property(text, maxLength, (all, max) => {
				for (const part of splitText(all, max)) {
					expect(part.trim()).not.toBe('');
					expect(part.length <= max || charactersOf(part).length === 1).toBe(true);
				}
			}),
			{ numRuns: 2000 },
		);
	});

	test('is never cut within a character', () => {
		fc.assert(
			fc.property(text, maxLength, (all, max) => {
				const borders = new Set([all.length, ...charactersOf(all).map(({ index }) => index)]);
				let position = 0;
				for (const part of splitText(all, max)) {
					const start = all.indexOf(part, position);
					position = start + part.length;
					expect(borders.has(start) && borders.has(position)).toBe(true);
				}
			}),
			{ numRuns: 2000 },
		);
	});
});
