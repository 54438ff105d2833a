import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { page, root, textOf } from './pages';

const folder = 'nodes/MessagingChannel';
const code = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => textOf(join(folder, file)))
	.join('\n');

const [, monitoring = ''] = page('docs/administration.md').text.split('And these lines of n8n');
const [section = ''] = monitoring.split('\n## ');
const lines = [...section.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line);

test('there are lines to monitor', () => {
	expect(lines.length).toBeGreaterThan(10);
});

test.each(lines)('the code writes the line "%s"', (line) => {
	expect(code).toContain(line.trim());
});
