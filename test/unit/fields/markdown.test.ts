import fc from 'fast-check';

import { toChannelMarks } from '../../../nodes/MessagingChannel/fields/markdown';

const lines = (...all: string[]): string => all.join('\n');

describe('text', () => {
	test.each([
		['**bold** __bold__', '*bold* *bold*'],
		['*italic* _italic_', '_italic_ _italic_'],
		['~~gone~~ ~gone~', '~gone~ ~gone~'],
		['***both***', '_*both*_'],
		['**a *b* c** *a **b** c*', '*a _b_ c* _a *b* c_'],
		['*a **b***', '_a *b*_'],
		['a***b***c', 'a_*b*_c'],
		['*a**b*', '_a**b_'],
		['**a **b** c**', '*a b c*'],
		['**Note:**text', '*Note:*text'],
		['“**a**”, (*b*)!', '“*a*”, (_b_)!'],
		['这是**重要。**的', '这是*重要。*的'],
		['👋**Hi**👋', '👋*Hi*👋'],
		['*(a)* b', '_(a)_ b'],
		['a**(b)** c', 'a*(b)* c'],
		['a~~b~~c', 'a~b~c'],
		['"__(a)__"', '"*(a)*"'],
		['*a** b', '_a_* b'],
		['~~a ~b~~ c', '~a ~b~ c'],
		['👋 *buy a* 👋*(b)*', '👋 _buy a_ 👋_(b)_'],
		['xhttps://shop.example/*a*', 'xhttps://shop.example/_a_'],
	])('%s becomes %s', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test.each([
		'',
		'Hello, Ada!',
		'2*3*4 = 24, 5 * 6 * 7 and a_file_name.txt, ~5 km or 3~4',
		'** not bold ** * nor italic *',
		'** not bold** and * not italic*',
		'a *b _c d~~ e~~ f',
		'a*(b)* c',
		'a*(b)*c',
		'*(a)*b',
		'a~~(b)~~c',
		'a__b c__',
		'__a b__c',
		'**open, and __open, and ~~open',
		'*',
		'****',
		'a~~~b~~~',
		'**a__',
		'~~a~',
		'![] [x] (y) [x]() [x](y z) [x](y "z) [x](y',
		'a](b)',
		'C:\\temp\\new, <b>, 1 < 2 > 0',
		'+90 555 123 45 67',
		'#hashtag ####### #',
		'-5 degrees',
		'| a | b |',
		' spaces  stay \n\n\n  here\t',
	])('%j stays as it is', (text) => {
		expect(toChannelMarks(text)).toBe(text);
	});

	test('a backslash takes the meaning from a mark', () => {
		expect(toChannelMarks('\\*\\*not bold\\*\\* \\_x\\_ \\`**b**\\` \\\\ \\a')).toBe(
			'**not bold** _x_ `*b*` \\ \\a',
		);
	});

	test('a backslash at the end of a line is a line break', () => {
		expect(toChannelMarks('Ada Street 1\\\n**Ankara**\\\r\nTurkey\\')).toBe(
			'Ada Street 1\n*Ankara*\nTurkey\\',
		);
		expect(toChannelMarks('**one\\\ntwo** `a\\\nb`')).toBe('*one*\n*two* `a\\\nb`');
	});

	test('a mark ends with its line and begins again in the next', () => {
		expect(toChannelMarks('**one \n  two *three\nfour***\n_five_')).toBe(
			'*one*\n*two _three_*\n*_four_*\n_five_',
		);
	});

	test('a mark does not reach into the next paragraph', () => {
		expect(toChannelMarks('**one\n\ntwo**')).toBe('**one\n\ntwo**');
	});
});

describe('links', () => {
	test.each([
		['[the shop](https://shop.example/a_b_c*d*)', 'the shop (https://shop.example/a_b_c*d*)'],
		['[**the** shop](https://shop.example "Our shop")', '*the* shop (https://shop.example)'],
		['[x](<https://shop.example>)', 'x (https://shop.example)'],
		['[x](https://shop.example/a_(b))', 'x (https://shop.example/a_(b))'],
		['[https://shop.example](https://shop.example)', 'https://shop.example'],
		['[](https://shop.example)', 'https://shop.example'],
		['[ ](https://shop.example)', ' https://shop.example'],
		['[Sale!](https://shop.example)', 'Sale! (https://shop.example)'],
		['[x](<https://shop.example)', 'x (<https://shop.example)'],
		['[x](https://shop.example>)', 'x (https://shop.example>)'],
		['![a pen](https://shop.example/pen.png)', 'a pen (https://shop.example/pen.png)'],
		['[![a pen](https://a.example)](https://b.example)', 'a pen (https://a.example) (https://b.example)'],
		['<https://shop.example/a_b_> <ada@shop.example>', 'https://shop.example/a_b_ ada@shop.example'],
		['**https://shop.example/*a*/__b__**.', '*https://shop.example/*a*/__b__*.'],
		['(www.shop.example/*a*(b)), *now*', '(www.shop.example/*a*(b)), _now_'],
		['https://shop.example/*a*', 'https://shop.example/*a*'],
		['(*www.shop.example*)', '(_www.shop.example_)'],
		['*www.shop.example/(a*)', '*www.shop.example/(a*)'],
		['(*www.shop.example/(a*))', '(*www.shop.example/(a*))'],
		['www.shop.example/*a b*', 'www.shop.example/*a b*'],
		['www.shop.example)/*a b*', 'www.shop.example)/*a b*'],
		['*a [b* c](https://shop.example)', '*a b* c (https://shop.example)'],
		['*a [b* c]', '_a [b_ c]'],
	])('%s becomes %s', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});
});

describe('blocks', () => {
	test.each([
		['# Title', '*Title*'],
		['### The **big** `sale` ###', '*The big `sale`*'],
		['# The sale #  ', '*The sale*'],
		['# The C#', '*The C#*'],
		['# ##', '*##*'],
		['# *Title*\ntext', '*_Title_*\ntext'],
		['Title\n=====\ntext', '*Title*\ntext'],
		['Two\nlines\n---', '*Two*\n*lines*'],
		['> ## Title', '> *Title*'],
		['- Title\n  ---\n  text', '- *Title*\n  text'],
		['10. Title\n    ---\n    text', '10. *Title*\n    text'],
	])('the heading %j becomes %j', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test('lists keep their numbers and levels, and bullets become hyphens', () => {
		const markdown = lines('* **a**', '+  b', '  * c', '    *d*', '1. *e*', '\t- f', '10) g', '- * h');
		const expected = lines('- *a*', '-  b', '  - c', '    _d_', '1. _e_', '\t- f', '10) g', '- - h');
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test('quotes and lines across the page keep their marks', () => {
		const markdown = lines('> **a**', '> > *b*', '', '***', '- - -', '___');
		expect(toChannelMarks(markdown)).toBe(lines('> *a*', '> > _b_', '', '***', '- - -', '___'));
	});

	test.each([
		['- a\n- **b**\n-----\nc', '- a\n- *b*\n-----\nc'],
		['1. a\n   b\n---', '1. a\n   b\n---'],
		['> **a**\n-----\n*b*', '> *a*\n-----\n_b_'],
		['> **a**\n  ---\n*b*', '> *a*\n  ---\n_b_'],
		['- a\n===', '- a\n==='],
	])('a line below a list or a quote makes no heading of it (%j)', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test.each(['**a\n***\nb**', '**a\n* * *\nb**', '**a\n_\t_ _\nb**', '- **a\n---\nb**'])(
		'a line across the page ends a paragraph (%j)',
		(markdown) => {
			expect(toChannelMarks(markdown)).toBe(markdown);
		},
	);

	test('Windows line breaks become line breaks', () => {
		expect(toChannelMarks('**a**\r\n\r\n*b*\rc')).toBe('*a*\n\n_b_\nc');
	});
});

describe('code', () => {
	test.each([
		['in backticks', 'Run `**a** _b_` and ``*`c`*``, **now**', 'Run `**a** _b_` and ``*`c`*``, *now*'],
		['over two lines', '**x** `**a\nb**` **y**', '*x* `**a\nb**` *y*'],
		['that never ends in its block', '**x** `a\n\nb` **c**', '*x* `a\n\nb` *c*'],
		['in a link', '[`**a**`](https://b.example)', '`**a**` (https://b.example)'],
		['in bold text', '**a `*b*` c**', '*a `*b*` c*'],
		['over two lines of bold text', '**a `b\nc` d**', '*a `b\nc` d*'],
		['between fences', '```js\n**a**\n\n# b\n```\n**c**', '```js\n**a**\n\n# b\n```\n*c*'],
		['between longer fences', '````\n```\n**a**\n```\n````\n**c**', '````\n```\n**a**\n```\n````\n*c*'],
		['between tildes', '~~~ js\n**a**\n```\n~~\n~~~~\n**c**', '``` js\n**a**\n```\n~~\n```\n*c*'],
		['without an end', '**a**\n```\n**b**', '*a*\n```\n**b**'],
		['in a list', '- a\n  ```\n  * **b**\n  ```\n- **c**', '- a\n  ```\n  * **b**\n  ```\n- *c*'],
		['in a quote', '> ```\n> **a**\n> ```\n> **b**', '> ```\n> **a**\n> ```\n> *b*'],
		[
			'in a quote of a quote',
			'> > ```\n> > **a**\n> > ```\n> > **b**',
			'> > ```\n> > **a**\n> > ```\n> > *b*',
		],
		['in a quote that ends', '> ```\n> **a**\n**b**', '> ```\n> **a**\n*b*'],
		['in a quote that is indented', '> ```\n > **a**\n > ```', '> ```\n > **a**\n > ```'],
		['in two lines that are indented', 'a\n\n    **b**\n    **c**', 'a\n\n    **b**\n    **c**'],
		['in a first line that is indented', '    **a**\n\n**b**', '    **a**\n\n*b*'],
		['that is indented below a line of spaces', 'a\n \n    **b**', 'a\n \n    **b**'],
		['that is indented below a quote', '> a\n\n    **b**', '> a\n\n    **b**'],
		['that is indented', 'a\n\n    **b**\n\n    # c\n\n**d**', 'a\n\n    **b**\n\n    # c\n\n*d*'],
	])('code %s is left untouched', (_, markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test.each([
		['- a\n\n    **b**', '- a\n\n    *b*'],
		['- a\nb\n\n    **c**', '- a\nb\n\n    *c*'],
		['- a\n\n  b\n\n    **c**', '- a\n\n  b\n\n    *c*'],
		['- a\n\n    **b**\n\nc d\n\n    **e**', '- a\n\n    *b*\n\nc d\n\n    **e**'],
	])('what is indented below a list item is not code (%j)', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	const marks = fc.constantFrom(
		...'*_~`[]()!#>-+. \\<1ab\t',
		'**',
		'~~',
		'\n',
		'\n\n',
		'```',
		'https://x/_y_',
		'👋',
	);
	const markdown = fc.array(marks, { maxLength: 40 }).map((parts) => parts.join(''));

	test('code between fences is left untouched, whatever it holds and whatever stands around it', () => {
		const block = markdown.filter((code) => !code.includes('```'));
		fc.assert(
			fc.property(markdown, block, markdown, (before, code, after) => {
				// Backticks before it could begin another block.
				const start = before.replaceAll('`', '').replaceAll('~', '');
				const fenced = `\n\n\`\`\`\n${code}\n\`\`\`\n`;
				expect(toChannelMarks(`${start}${fenced}${after}`)).toContain(fenced);
			}),
			{ numRuns: 2000 },
		);
	});

	test('code in a line is left untouched, whatever it holds and whatever stands around it', () => {
		const inLine = (text: string): string => text.replace(/[`\n\\<]/g, '');
		const code = markdown.map(inLine).filter((text) => text.trim() !== '');
		fc.assert(
			fc.property(markdown.map(inLine), code, markdown.map(inLine), (before, text, after) => {
				// Four spaces would make a block of code, and an address would reach up to it.
				const line = `a ${before.replaceAll('https:', '')} \`${text}\`${after}`;
				expect(toChannelMarks(line)).toContain(`\`${text}\``);
			}),
			{ numRuns: 2000 },
		);
	});

	test('no letter, digit or line is lost or added', () => {
		const words = (text: string): string => text.replace(/[^a-z0-9👋]/gu, '');
		const withoutTitles = markdown.map((text) => text.replaceAll('https://x/_y_', 'b'));
		fc.assert(
			fc.property(withoutTitles, (text) => {
				const shown = toChannelMarks(text);
				// An address that is its own text is shown once.
				fc.pre(!/\[([^\]]*)\]\(\1\)/.test(text));
				expect(words(shown)).toBe(words(text));
			}),
			{ numRuns: 2000 },
		);
	});
});
