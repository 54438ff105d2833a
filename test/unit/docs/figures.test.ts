import { page, textOf } from './pages';

/** Figures of several digits or with a decimal point, written without separators. */
function figuresIn(text: string): string[] {
	return [...text.replace(/(\d),(?=\d{3})/g, '$1').matchAll(/\d+\.\d+|\d{2,}/g)].map(([figure]) => figure);
}

/** What the README says was measured, and the page that shows it. */
const proofs = [
	...page('README.md').text.matchAll(/^- (\*\*(?:(?!\n- |\n\n)[\s\S])*)\[[^\]]+\]\(([^)#]+)[^)]*\)$/gm),
].map(([, claim = '', source = '']) => ({ claim, source }));

test.each(proofs)('the figures of $claim are in $source', ({ claim, source }) => {
	const known = new Set(figuresIn(textOf(source)));
	expect(figuresIn(claim).filter((figure) => !known.has(figure))).toEqual([]);
});

test('the measured figures of the comparison are in the results', () => {
	const { text } = page('docs/comparison.md');
	const measured = figuresIn(text.replaceAll('2.41.1', '')).filter((figure) => /\.|\d{4}/.test(figure));
	const known = new Set(figuresIn(textOf('test/bench/RESULTS.md')));
	expect(measured.length).toBeGreaterThan(5);
	expect(measured.filter((figure) => !known.has(figure))).toEqual([]);
});
