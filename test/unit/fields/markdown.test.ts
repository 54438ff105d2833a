// cspell:ignore commonmark Preis kitap אביב kwargs uuml Ccedil gbreve Idot inodot scedil szlig İışß iquest hellip rarr
import { tests } from 'commonmark-spec';
import fc from 'fast-check';

import { toChannelMarks } from '../../../nodes/MessagingChannel/fields/markdown';

test.each([
	['**bold** __bold__', '*bold* *bold*'],
	['*italic* _italic_', '_italic_ _italic_'],
	['~~gone~~ ~gone~', '~gone~ ~gone~'],
	['***both*** **_both_** _**both**_', '_*both*_ *_both_* _*both*_'],
	['**a *b* c** *a **b** c* *a **b*** **a *b***', '*a _b_ c* _a *b* c_ _a *b*_ *a _b_*'],
	['**a **b** c**', '**a *b* c**'],
	['“**a**”, "*b*", (*c*)! "__(d)__"', '“*a*”, "_b_", (_c_)! "*(d)*"'],
	['**Preis:** 5€, **Preis**: 5€, **Preis:**5€', '*Preis:* 5€, *Preis*: 5€, *Preis:*5€'],
	['**2 * 3 = 6**, **a_b**', '*2 * 3 = 6*, *a_b*'],
	["the *Titanic*'s *x*-axis", "the _Titanic_'s _x_-axis"],
	['👋**Hi**👋 👋*Hi*👋', '👋*Hi*👋 👋_Hi_👋'],
	['这是**重要。**的，*是*。这是**重要**的', '这是*重要。*的，_是_。这是*重要*的'],
	["**한국**은, **kitap**lar, **Ankara**'da", "*한국*은, *kitap*lar, *Ankara*'da"],
	['ב**תל אביב** (**مهم**)، *نعم*؛ \u200f*כן*\u200f', 'ב*תל אביב* (*مهم*)، _نعم_؛ \u200f_כן_\u200f'],
	['| **a** | *b* |\n|---|:-:|\n|~~c~~|d|', '| *a* | _b_ |\n|---|:-:|\n|~c~|d|'],
	['\\*\\*a\\*\\* \\_b\\_ \\`**c**\\` 1\\. \\# \\d', '**a** _b_ `*c*` 1. # \\d'],
	['**a**\r\n\r\n*b*\rc', '*a*\n\n_b_\nc'],
])('%s becomes %s', (markdown, expected) => {
	expect(toChannelMarks(markdown)).toBe(expected);
});

describe('stays as it is:', () => {
	test.each([
		...['', ' spaces  stay \n\n\n  here\t', 'Hello, Ada!', '+90 555 123 45 67', '-5 degrees'],
		...['#hashtag', '2*3*4 = 24, 5 * 6 * 7, (10+5)*2*(1-0.1), 2 *3* 4', 'x**2 + y**2'],
		...['|x|**2 + |y|**2', 'a*(b)*c', '(a)**(n) + (b)**(m)', '5!**2 + 5%**2 + 2.**3'],
		...['a *b+c* d *e=f*', 'price*qty*rate', '价格*数量*折扣', '单价**2 + 数量**2'],
		...['+ Shipping 20\n- Discount 10', '100 net\n* 1.2\n* 1.1\n= 132', 'a_file_name.txt _a_b'],
		...['__init__.py __init__()', '*.txt,*.doc|*', '**/*.ts,**/*.js', 'f(*args, **kwargs)'],
		...['f(x,**a,**b) y**z', 'x **y**z', '/* note */ /*note*/'],
		...['SELECT *, a.* FROM count(*), max(*)', 'C:\\temp\\new', '\\\\server\\share'],
		...['**** **** **** 1234', '****1234****', '4* or 5* hotels', 'Name: ____ Date: ___ _'],
		...['~5 km, 3~4', '** a ** * b * __ c __', '**a', '*a\nb*', '**a\nb**', '**a__', '~~a~'],
		...['~~~a~~~', '*', '~~', '*1*', '** a** *b *', '* * *', '***', '- - -', '___'],
		...['Total\n-----\nTotal\n=====', '####### #', '# #', '#', '>  1 < 2 > 0', '1) a\n+ b\n- c'],
		...['[a][b] [a]\n\n[b]: https://a_b_c.example', '![] [x] (y) [x]() [x](y z) [x](u.v "z) [x](u.v'],
		...['a](b.c)', 'x[1](y), (10)[2](3)', '[a\nb](https://a.example)', '<https://a.example/_b_>'],
		...['<b title="**">x</b>', 'a<b>c', 'https://a.example/*b*/__c__', 'www.a.example/_b_,'],
		...['ada_b_c@a.example', '&amp &foo; &x; &#; &#12345678;'],
	])('%j', (text) => {
		expect(toChannelMarks(text)).toBe(text);
	});

	const number = fc.oneof(
		fc.nat(999).map(String),
		fc.constantFrom('x', 'y', 'α', '0.5', '5%', '(a+1)', '|x|'),
	);
	const operator = fc.constantFrom('*', '*', '**', '+', '-', '/', ' * ', ' ** ', ' + ', ' - ');
	const sum = fc
		.tuple(number, fc.array(fc.tuple(operator, number), { minLength: 1, maxLength: 8 }))
		.map(([first, others]) => [first, ...others.flat()].join(''));

	test('any sum', () => {
		fc.assert(
			fc.property(sum, (text) => expect(toChannelMarks(text)).toBe(text)),
			{ numRuns: 5000 },
		);
	});
});

describe('a link', () => {
	test.each([
		['[the shop](https://shop.example/a_b_c*d*)', 'the shop (https://shop.example/a_b_c*d*)'],
		['[**the** shop](https://shop.example "Our shop")', '*the* shop (https://shop.example)'],
		['**[a](https://shop.example)** [`**a**`](u.v)', '*a (https://shop.example)* `**a**` (u.v)'],
		['[a](</my uri>) [a](<u.v>) [a](u.v/a_(b))', 'a (/my%20uri) a (u.v) a (u.v/a_(b))'],
		["[a](u.v 'b') [a](u.v (b)) [a]( u.v )", 'a (u.v) a (u.v) a (u.v)'],
		['[](https://a.example) [u.v](u.v) [ ](u.v)', 'https://a.example u.v u.v'],
		['[a\\]b](u.v/\\_&amp;c=1)', 'a]b (u.v/_&c=1)'],
		['![a pen](u.v/pen.png), Wow![a](u.v)', 'a pen (u.v/pen.png), Wow!a (u.v)'],
		['[![a pen](u.v/pen.png)](u.v)', '[a pen (u.v/pen.png)](u.v)'],
		['*[a*](u.v) [a `](u.v)`', '*a* (u.v) [a `](u.v)`'],
	])('%s becomes %s', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test('an address in the text keeps its signs, and the marks around it count', () => {
		expect(
			toChannelMarks('**https://a.example/*a*/__b__**. (*www.a.example*) https://a.example?a\\_b&amp;c'),
		).toBe('*https://a.example/*a*/__b__*. (_www.a.example_) https://a.example?a_b&c');
	});
});

test.each([
	['AT&amp;T, a&nbsp;b, &lt;b&gt; &quot;c&quot;', 'AT&T, a\u00a0b, <b> "c"'],
	['&#42;a&#42; &#x2A;&#X1F44B; &#0; &#xD800; &#1114112;', '*a* *👋 \ufffd \ufffd \ufffd'],
	['&uuml;&Ccedil;&gbreve;&Idot;&inodot;&scedil;&szlig;', 'üÇğİışß'],
	['&frac34; &iquest; &euro; &hellip; &times; &rarr; &rlm;', '¾ ¿ € … × → \u200f'],
	['&amp;lt; **&amp;**', '&lt; *&*'],
])('the entities in %s are decoded', (markdown, expected) => {
	expect(toChannelMarks(markdown)).toBe(expected);
});

describe('blocks', () => {
	test.each([
		['# Title', '*Title*'],
		['### The **big** `sale` ###', '*The big `sale`*'],
		['# The sale #  ', '*The sale*'],
		['# The C#', '*The C#*'],
		['# *Title*\ntext', '*_Title_*\ntext'],
		['> ## Title', '> *Title*'],
		['1. # Title', '1. *Title*'],
		['a\n    # b', 'a\n    # b'],
	])('the heading %j becomes %j', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});

	test.each([
		['* **a**\n+  b\n  * c\n    *d*\n1. *e*\n\t* f', '- *a*\n+  b\n  - c\n    _d_\n1. _e_\n\t- f'],
		['> * a\n>   * b', '> - a\n>   - b'],
		['To buy:\n* 2 eggs\n* 3 pears', 'To buy:\n- 2 eggs\n- 3 pears'],
		['To buy\n\n* 2 eggs\n* **3** pears', 'To buy\n\n- 2 eggs\n- *3* pears'],
		['You need\n* eggs\n* 3 pears', 'You need\n- eggs\n- 3 pears'],
	])('the list %j becomes %j', (markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});
});

describe('code', () => {
	test.each([
		['in backticks', 'Run `**a** _b_` and ``*`c`*``, **now**', 'Run `**a** _b_` and ``*`c`*``, *now*'],
		['over two lines', '**x** `**a\n**b**` **y**', '*x* `**a\n**b**` *y*'],
		['that never ends in its paragraph', '**x** `a\n\nb` **c**', '*x* `a\n\nb` *c*'],
		['that is multiplied', '`a`*b*`c` `a`**2 + `b`**2', '`a`*b*`c` `a`**2 + `b`**2'],
		['in bold text', '**a `*b*` c**', '*a `*b*` c*'],
		[
			'with other signs',
			'`&amp; \\* [a](u.v) https://a.example/\\_`',
			'`&amp; \\* [a](u.v) https://a.example/\\_`',
		],
		[
			'between fences',
			'```js\n**a** &lt;\n\n# b\n* c\n```\n**c**',
			'```js\n**a** &lt;\n\n# b\n* c\n```\n*c*',
		],
		['between longer fences', '````\n```\n**a**\n```\n````\n**c**', '````\n```\n**a**\n```\n````\n*c*'],
		['between tildes', '~~~ js\n**a**\n```\n~~\n~~~~\n**c**', '~~~ js\n**a**\n```\n~~\n~~~~\n*c*'],
		['without an end', '**a**\n```\n**b**', '*a*\n```\n**b**'],
		['in a list', '- a\n  ```\n  * **b**\n  ```\n- **c**', '- a\n  ```\n  * **b**\n  ```\n- *c*'],
		['in a quote', '> ```\n> **a**\n> ```\n> **b**', '> ```\n> **a**\n> ```\n> *b*'],
		['that begins a list item', '- ```\n  **a**\n  ```\n**b**', '- ```\n  **a**\n  ```\n*b*'],
		['that is indented', '    **a**\n\n\t**b**\n\nc\n    **d**', '    **a**\n\n\t**b**\n\nc\n    *d*'],
		['that a list item is not', '- a\n\n    **b**\n\nc\n\n    **d**', '- a\n\n    *b*\n\nc\n\n    **d**'],
	])('%s is left untouched', (_, markdown, expected) => {
		expect(toChannelMarks(markdown)).toBe(expected);
	});
});

describe('any text', () => {
	const marks = fc.constantFrom(
		...'*_~`[]()!#>-+. \\<1ab\t',
		...['**', '~~', '\n', '\n\n', '```', 'https://x/_y_', '👋', '](x.y)', '**a**', ' *b* '],
	);
	const markdown = fc.array(marks, { maxLength: 40 }).map((parts) => parts.join(''));

	test('keeps code between fences, whatever it holds and whatever stands around it', () => {
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

	test('keeps its letters, digits and lines', () => {
		const kept = (text: string): string => text.replace(/[^a-z0-9👋\n]/gu, '');
		fc.assert(
			fc.property(markdown, (text) => {
				// An address that is its own text is shown once.
				fc.pre(!/\[([^\]]*)\]\(\1\)/.test(text));
				expect(kept(toChannelMarks(text))).toBe(kept(text));
			}),
			{ numRuns: 2000 },
		);
	});
});

describe('of the CommonMark examples, the text that a browser shows', () => {
	const examples = tests.map(({ markdown, html, ...example }) => ({
		...example,
		markdown: markdown.replaceAll('→', '\t'),
		html: html.replaceAll('→', '\t'),
	}));
	const decoded = (html: string): string =>
		html.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '&');
	const textOf = (html: string): string =>
		decoded(
			html.replace(/<img[^>]*?alt="([^"]*)"[^>]*>/g, '$1').replace(/<!--[^]*?-->|<\/?[a-z][^>]*>/gi, ''),
		).replace(/\s/g, '');
	/** Whether the characters of one text are in the other, in their order. */
	const isIn = (one: string, other: string): boolean => {
		let rest = other;
		return [...one].every((character) => {
			const index = rest.indexOf(character);
			rest = rest.slice(index + 1);
			return index >= 0;
		});
	};
	/** The page says so: rare entities, HTML, marks that overlap, and what is in reference links. */
	const isDocumented = ({ section, number }: (typeof tests)[number]): boolean =>
		section === 'HTML blocks' || [25, 470, 534, 535, 564].includes(number);

	test.each(examples.filter((example) => !isDocumented(example)))(
		'is whole in $number, $section',
		({ markdown, html }) => {
			expect(isIn(textOf(html), toChannelMarks(markdown))).toBe(true);
		},
	);
});
