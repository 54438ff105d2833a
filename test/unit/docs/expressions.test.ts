import { expressionsIn, problemsOfExpression } from './expressions';
import { blocksOf, codeSpansOf, pages } from './pages';

const found = pages.flatMap((page) =>
	[...codeSpansOf(page), ...blocksOf(page).map(({ code }) => code)]
		.flatMap(expressionsIn)
		.map((expression) => ({ file: page.file, expression })),
);

test('there are expressions to check', () => {
	expect(found.length).toBeGreaterThan(20);
});

test.each(found)('$expression in $file gives something', ({ expression }) => {
	expect(problemsOfExpression(expression)).toEqual([]);
});

test('what is pasted in double braces stands in code, so that it is checked', () => {
	const loose = pages.filter(({ text }) =>
		/\{\{/.test(text.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]+`/g, '')),
	);
	expect(loose.map(({ file }) => file)).toEqual([]);
});
