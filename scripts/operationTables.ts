import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { resources } from '../nodes/MessagingChannel/actions';
import type { Endpoint } from '../nodes/MessagingChannel/api/apiRequest';

const PUBLISHED: Record<Endpoint['inferred'] & string, string> = {
	body: 'path only, fields derived',
	endpoint: 'no, derived',
};

/** What each operation calls, one row each, in the order of the panel. */
export function operationsTable(): string {
	const rows = resources.flatMap((resource) =>
		resource.operations.map(({ name, endpoint }) => [
			resource.name,
			name,
			`\`${endpoint.method} ${endpoint.path}\``,
			endpoint.permission === 'valid key' ? 'any key' : `\`${endpoint.permission}\``,
			endpoint.inferred ? PUBLISHED[endpoint.inferred] : 'yes',
		]),
	);
	return table(['Resource', 'Operation', 'Call', 'Permission of the key', 'Published by the service'], rows);
}

/** Which operation makes each call, one row each, in the order of the paths. */
export function callsTable(): string {
	const rows = resources.flatMap((resource) =>
		resource.operations
			// One makes the same call as Message > Send, and the others make several.
			.filter(({ value, report }) => value !== SEND_AND_WAIT_OPERATION && !report)
			.map(({ name, endpoint: { method, path } }) => [`\`${method} ${path}\``, resource.name, name]),
	);
	const byPath = ([call = '']: string[]): string => call.split(' ').reverse().join(' ');
	rows.sort((one, other) => byPath(one).localeCompare(byPath(other)));
	return table(['Call', 'Resource', 'Operation'], rows);
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
