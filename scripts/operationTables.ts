import { resources } from '../nodes/MessagingChannel/actions';
import type { Endpoint } from '../nodes/MessagingChannel/api/apiRequest';

/** What the service does not publish of an operation. */
const DERIVED: Record<Endpoint['inferred'] & string, string> = { body: 'fields', endpoint: 'all' };

/** What each operation calls, one row each, in the order of the panel. */
export function operationsTable(): string {
	const rows = resources.flatMap((resource) =>
		resource.operations.map(({ name, endpoint }) => [
			resource.name,
			name,
			`\`${endpoint.method} ${endpoint.path}\``,
			endpoint.permission === 'valid key' ? 'any key' : `\`${endpoint.permission}\``,
			endpoint.inferred ? DERIVED[endpoint.inferred] : '',
		]),
	);
	return table(['Resource', 'Operation', 'Call', 'Permission', 'Derived'], rows);
}

/** A table in Markdown, aligned as Prettier does. */
function table(headings: string[], rows: string[][]): string {
	const widths = headings.map((heading, column) =>
		Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: string[], fill = ' '): string =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
	const rule = line(
		headings.map(() => ''),
		'-',
	);
	return [line(headings), rule, ...rows.map((row) => line(row))].join('\n');
}
