/**
 * Writes what is generated from the code: the tables of operations, and the output schemas that n8n's editor shows.
 * `npm run docs -- --check` writes nothing and fails when a file is out of date.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { callsTable, operationsTable } from './operationTables';
import { outputSchemas } from './outputSchemas';

const root = join(__dirname, '..');
const schemaFolder = join(root, 'nodes', 'MessagingChannel', '__schema__');

const START = '<!-- table: written by npm run docs -->';
const END = '<!-- /table -->';

/** The file with the table between its two marks. */
function withTable(file: string, table: string): string {
	const text = readFileSync(file, 'utf8');
	const start = text.indexOf(START);
	const end = text.indexOf(END, start);
	if (start < 0 || end < 0) throw new Error(`${file} has no '${START}' with '${END}' after it`);
	return `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`;
}

/** The tables and schemas, by path. */
function generatedFiles(): Map<string, string> {
	const schemas = Object.entries(outputSchemas()).map(([file, schema]): [string, string] => [
		join(schemaFolder, file),
		`${JSON.stringify(schema, null, '\t')}\n`,
	]);
	const tables = { 'README.md': operationsTable(), [join('docs', 'migration.md')]: callsTable() };
	const pages = Object.entries(tables).map(([name, table]): [string, string] => {
		const file = join(root, name);
		return [file, withTable(file, table)];
	});
	return new Map([...pages, ...schemas]);
}

const schemaFiles = (): string[] =>
	existsSync(schemaFolder)
		? readdirSync(schemaFolder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => join(entry.parentPath, entry.name))
		: [];

const generated = generatedFiles();
const changed = [...generated].filter(
	([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
);
const obsolete = schemaFiles().filter((file) => !generated.has(file));

if (process.argv.includes('--check')) {
	const outOfDate = [...changed.map(([file]) => file), ...obsolete];
	for (const file of outOfDate) console.error(`${relative(root, file)} is out of date: npm run docs`);
	if (outOfDate.length > 0) process.exitCode = 1;
} else {
	for (const file of obsolete) rmSync(file);
	for (const [file, text] of changed) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
}
