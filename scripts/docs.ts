/**
 * Writes what is generated from the code and package.json: the tables of operations, the output schemas that n8n's editor
 * shows, the links to the repository, llms.txt, and the animated pictures of the README.
 * `npm run docs -- --check` writes nothing and fails when a file is out of date.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import manifest from '../package.json';
import { animatedPng } from './animatedPng';
import { eventsList, inferredFields } from '../test/support/certainty';
import { withInstallText } from './installText';
import { llmsText } from './llmsText';
import { operationsList } from './operationsList';
import { outputSchemas } from '../test/support/outputSchemas';
import { withRepositoryUrl } from './repositoryUrl';
import { skillReference } from './skillReference';

const root = join(__dirname, '..');
const schemaFolder = join(root, 'nodes', 'MessagingChannel', '__schema__');

/** The files that link to the repository, or say how the package is installed. */
const LINKING = [
	'.github/ISSUE_TEMPLATE/bug.yml',
	'.github/ISSUE_TEMPLATE/config.yml',
	'.github/ISSUE_TEMPLATE/feature.yml',
	'.github/ISSUE_TEMPLATE/service.yml',
	'CONTRIBUTING.md',
	'README.md',
	'docs/quickstart.md',
	'credentials/MessagingChannelApi.credentials.ts',
	'nodes/MessagingChannel/MessagingChannel.node.json',
	'nodes/MessagingChannel/MessagingChannelMemory.node.json',
	'nodes/MessagingChannel/MessagingChannelTrigger.node.json',
	'package.json',
];

const START = '<!-- table: written by npm run docs -->';
const END = '<!-- /table -->';

/** Animations of the pictures that the browser tests take. */
const ANIMATIONS = { overview: ['trigger', 'template', 'advice'], answering: ['phone-asks', 'phone'] };

const pictureOf = (name: string) => `docs/images/${name}.png`;
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');

/** The file with the table between its two marks. */
function withTable(name: string, table: string): string {
	const text = textOf(name);
	const start = text.indexOf(START);
	const end = text.indexOf(END, start);
	if (start < 0 || end < 0) throw new Error(`${name} has no '${START}' with '${END}' after it`);
	return `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`;
}

/** The files, by path. */
function generatedFiles(): Map<string, string | Buffer> {
	const tables = { 'docs/operations.md': operationsList(), 'docs/events.md': eventsList() };
	const files: Array<[name: string, content: string | Buffer]> = [
		...Object.entries(tables).map(([name, table]): [string, string] => [name, withTable(name, table)]),
		...Object.entries(outputSchemas()).map(([file, schema]): [string, string] => [
			`nodes/MessagingChannel/__schema__/${file}`,
			`${JSON.stringify(schema, null, '\t')}\n`,
		]),
		...LINKING.map((name): [string, string] => [
			name,
			withInstallText(name, withRepositoryUrl(textOf(name))),
		]),
		...Object.entries(ANIMATIONS).map(([name, frames]): [string, Buffer] => [
			pictureOf(name),
			animatedPng(
				frames.map((frame) => readFileSync(join(root, pictureOf(frame)))),
				{ seconds: 3, plays: 3 },
			),
		]),
		['llms.txt', llmsText(root, manifest)],
		['skills/n8n-messaging-channel/parameters.md', skillReference()],
		['nodes/MessagingChannel/operation/inferredFields.ts', inferredFieldsModule()],
	];
	return new Map(files.map(([name, content]) => [join(root, name), content]));
}

/** The code of the panels' table of what is not certain. */
function inferredFieldsModule(): string {
	const entries = Object.entries(inferredFields()).map(([id, fields]) => `\t'${id}': '${fields}',\n`);
	return `/** The fields that the service does not publish, by operation or event. Written by \`npm run docs\` from openapi.yaml. */
export const INFERRED_FIELDS: Readonly<Record<string, string | undefined>> = {
${entries.join('')}};
`;
}

const schemaFiles = (): string[] =>
	existsSync(schemaFolder)
		? readdirSync(schemaFolder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => join(entry.parentPath, entry.name))
		: [];

const generated = generatedFiles();
const changed = [...generated].filter(
	([file, content]) => !existsSync(file) || !readFileSync(file).equals(Buffer.from(content)),
);
const obsolete = schemaFiles().filter((file) => !generated.has(file));

if (process.argv.includes('--check')) {
	const outOfDate = [...changed.map(([file]) => file), ...obsolete];
	for (const file of outOfDate) console.error(`${relative(root, file)} is out of date: npm run docs`);
	if (outOfDate.length > 0) process.exitCode = 1;
} else {
	for (const file of obsolete) rmSync(file);
	for (const [file, content] of changed) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, content);
	}
}
