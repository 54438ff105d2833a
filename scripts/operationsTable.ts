import type { Endpoint } from '../nodes/MessagingChannel/api/apiRequest';
import type { Resource } from '../nodes/MessagingChannel/operation/operation';

const START = '<!-- operations: written by scripts/readme.ts -->';
const END = '<!-- /operations -->';

const HEADINGS = ['Resource', 'Operation', 'Call', 'Permission of the key', 'Published by the service'];

const PUBLISHED: Record<Endpoint['inferred'] & string, string> = {
	body: 'path only, fields inferred',
	endpoint: 'no, inferred',
};

/** The operations as a table in Markdown, one row each, in the order of the panel. */
export function operationsTable(resources: readonly Resource[]): string {
	const rows = resources.flatMap((resource) =>
		resource.operations.map(({ name, endpoint }) => [
			resource.name,
			name,
			`\`${endpoint.method} ${endpoint.path}\``,
			endpoint.permission === 'valid key' ? 'any key' : `\`${endpoint.permission}\``,
			endpoint.inferred ? PUBLISHED[endpoint.inferred] : 'yes',
		]),
	);
	const widths = HEADINGS.map((heading, column) =>
		Math.max(...[heading, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
	);
	const line = (cells: string[], fill = ' '): string =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
	const rule = line(
		HEADINGS.map(() => ''),
		'-',
	);
	return [line(HEADINGS), rule, ...rows.map((row) => line(row))].join('\n');
}

/**
 * The text with the table between its two marks.
 *
 * @throws Error when the marks are not there
 */
export function withTable(text: string, table: string): string {
	const start = text.indexOf(START);
	const end = text.indexOf(END, start);
	if (start < 0 || end < 0) throw new Error(`README.md has no '${START}' with '${END}' after it`);
	return `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`;
}
