import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { repository } from '../n8n/paths';

/** What a service of the documented compose file runs, and with which environment. */
export interface ComposeService {
	/** The words of its command; empty when the image has its own. */
	command: string[];
	environment: Record<string, string>;
}

interface Written {
	command?: string;
	environment?: Record<string, string>;
}

const text = () => readFileSync(join(repository, 'docs', 'scaling', 'compose.yaml'), 'utf8');

/** What the compose file takes from `.env`: `${NAME}`, or `${NAME:?message}`. */
const VARIABLE = /\$\{(\w+)(?::\?[^}]*)?\}/g;

/** The names of the values that the compose file takes from `.env`. */
export const composeVariables = (): string[] => [
	...new Set([...text().matchAll(VARIABLE)].map(([, name = '']) => name)),
];

/** The names of the services of the compose file. */
export const composeServiceNames = (): string[] => Object.keys(writtenServices());

/**
 * A service of the compose file that docs/scaling.md gives to users.
 *
 * @param values what `.env` holds
 * @throws Error when there is no such service, or it takes a value that is missing
 */
export function composeService(name: string, values: Record<string, string>): ComposeService {
	const service = writtenServices()[name];
	if (!service) throw new Error(`The compose file has no service ${name}`);
	const fill = (entry: string) =>
		entry.replace(VARIABLE, (_, variable: string) => {
			const value = values[variable];
			if (value === undefined) throw new Error(`${variable} is not set`);
			return value;
		});
	const { command = '', environment = {} } = service;
	return {
		command: fill(command).split(' ').filter(Boolean),
		environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, fill(value)])),
	};
}

function writtenServices(): Record<string, Written> {
	return (parse(text(), { merge: true }) as { services: Record<string, Written> }).services;
}
