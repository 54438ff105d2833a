import { pages, textOf } from './pages';

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
