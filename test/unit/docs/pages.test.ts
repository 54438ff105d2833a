import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { page, pages, textOf } from './pages';

/** What somebody can read in a few hours, and one page in a few minutes. */
const MOST_KB = { page: 16, all: 160 };

const documents = [...pages, ...['CHANGELOG.md', 'SECURITY.md'].map((file) => ({ file, text: textOf(file) }))]
	// What is for machines is not counted.
	.filter(({ file }) => !file.startsWith('skills/') && file !== 'AGENTS.md')
	.map(({ file, text }) => ({ file, kB: Buffer.byteLength(text) / 1000 }));

test('no page is too long to be read', () => {
	expect(documents.filter(({ kB }) => kB > MOST_KB.page)).toEqual([]);
});

test('all documents together can be read', () => {
	expect(documents.length).toBeGreaterThan(20);
	expect(documents.reduce((sum, { kB }) => sum + kB, 0)).toBeLessThan(MOST_KB.all);
});

const readme = page('README.md').text;

const linksOfNode = (name: string): string[] =>
	[...textOf(`nodes/MessagingChannel/${name}.node.json`).matchAll(/"url": "([^"]+)"/g)].map(
		([, url = '']) => url,
	);

test('the documentation that the panel links to is there', () => {
	const urls = [
		new MessagingChannelApi().documentationUrl,
		...linksOfNode('MessagingChannel'),
		...linksOfNode('MessagingChannelTrigger'),
		...linksOfNode('MessagingChannelMemory'),
	];
	const headings = [...readme.matchAll(/^#+ (\w+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
	expect(urls).toHaveLength(7);
	expect(urls.filter((url) => !['readme', ...headings].includes(url.split('#')[1] ?? ''))).toEqual([]);
});

test('README.md leads to every page in docs', () => {
	const missing = pages.filter(({ file }) => file.startsWith('docs/') && !readme.includes(`](${file})`));
	expect(missing.map(({ file }) => file)).toEqual([]);
});

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
