import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { page, root, textOf } from './pages';

const folder = 'nodes/MessagingChannel';
const code = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => textOf(join(folder, file)))
	.join('\n');

const { text } = page('docs/troubleshooting.md');

/** What stands as code in the first column of the table in a section. */
function firstColumn(heading: string): string[] {
	const [, section = ''] = text.split(`\n## ${heading}\n`);
	const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]+) \|/gm)];
	return rows.flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words));
}

/** The codes of the service, for which the client has texts, and those of this package. */
const known = [
	...textOf(`${folder}/api/errorTexts.ts`).matchAll(/^\t([a-z_]+): \(/gm),
	...code.matchAll(/\b(?:code: |CODE = |ApiError\(\s*)'([a-z]+(?:_[a-z]+)+)'/g),
].map(([, name = '']) => name);

const codes = firstColumn('Codes');

test('the page names every code that an item can have, and no other', () => {
	expect(known.length).toBeGreaterThan(25);
	expect(known.filter((name) => !codes.includes(name))).toEqual([]);
	expect(codes.filter((name) => !known.includes(name) && !code.includes(`'${name}'`))).toEqual([]);
});

/** What an administrator is to monitor. */
const [, monitoring = ''] = page('docs/administration.md').text.split('And these lines of n8n');
const monitored = [...(monitoring.split('\n## ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, line = '']) =>
	line.trim(),
);

test.each([...firstColumn("Lines in n8n's log"), ...monitored])('the code writes the line "%s"', (line) => {
	expect(code).toContain(line);
});

test('there are lines to monitor', () => {
	expect(monitored.length).toBeGreaterThan(10);
});
