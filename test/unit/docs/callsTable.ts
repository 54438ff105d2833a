import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { resources } from '../../../nodes/MessagingChannel/actions';

/** Each call of the service and the operation that makes it, one row each, in the order of the paths. */
export function callRows(): string[][] {
	return resources
		.flatMap(({ name: resource, operations }) =>
			operations
				// It makes the same call as Message > Send.
				.filter(({ value }) => value !== SEND_AND_WAIT_OPERATION)
				.map(({ name, endpoint: { method, path } }) => [`\`${method} ${path}\``, resource, name]),
		)
		.sort(([one = ''], [other = '']) => sortKey(one).localeCompare(sortKey(other)));
}

const sortKey = (call: string): string => call.split(' ').reverse().join(' ');

/** The cells of the rows of every table of a page, headings and rules left out. */
export function tableRows(text: string): string[][] {
	return text
		.split('\n')
		.filter((line) => line.startsWith('|') && !/^\|[\s:|-]+$/.test(line))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}
