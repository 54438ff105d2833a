import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { resources } from '../../nodes/MessagingChannel/actions';
import { operationsTable, withTable } from '../../scripts/operationsTable';

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const table = operationsTable(resources);

test('README.md has the table of operations as scripts/readme.ts writes it', () => {
	expect(readme).toBe(withTable(readme, table));
});

test('the table has a row for each operation under its headings', () => {
	const operations = resources.flatMap((resource) => resource.operations);
	expect(table.split('\n')).toHaveLength(2 + operations.length);
});

test.each([
	['Message', 'Send', 'POST /messages/send', '`messages:send`', 'yes'],
	['Account', 'Get Health', 'GET /health', 'any key', 'yes'],
	['Broadcast', 'Create', 'POST /messages/broadcast', '`messages:send`', 'path only, fields inferred'],
	['Auto-Reply', 'Get Many', 'GET /auto-replies', '`messages:read`', 'no, inferred'],
])('%s > %s says how it is called, with which key, and who says so', (resource, operation, call, ...rest) => {
	const cells = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
	expect(cells).toContainEqual(['', resource, operation, `\`${call}\``, ...rest, '']);
});

test('a change of an operation makes the table stale', () => {
	const [first, ...others] = resources;
	const [operation, ...rest] = first!.operations;
	const changed = { ...operation!, endpoint: { ...operation!.endpoint, permission: 'chats:write' as const } };
	const stale = operationsTable([{ ...first!, operations: [changed, ...rest] }, ...others]);
	expect(withTable(readme, stale)).not.toBe(readme);
});

test('a README.md without the marks is refused', () => {
	expect(() => withTable('# Title', table)).toThrow('README.md has no');
});
