import { pages, textOf } from './pages';

/** What somebody can read in a few minutes. */
const MOST_KB = 16;

const documents = [...pages, ...['CHANGELOG.md', 'SECURITY.md'].map((file) => ({ file, text: textOf(file) }))]
	// What is for machines is not counted.
	.filter(({ file }) => !file.startsWith('skills/') && file !== 'AGENTS.md')
	.map(({ file, text }) => ({ file, kB: Buffer.byteLength(text) / 1000 }));

test('no page is too long to be read', () => {
	expect(documents.length).toBeGreaterThan(20);
	expect(documents.filter(({ kB }) => kB > MOST_KB)).toEqual([]);
});
