/**
 * Writes what is generated from the code and package.json: the tables of operations, the output schemas that n8n's editor
 * shows, the links to the repository, llms.txt, and the animated pictures of the README.
 * `npm run docs -- --check` writes nothing and fails when a file is out of date.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { resources } from '../nodes/MessagingChannel/actions';
import { eventsList, inferredFields } from '../test/support/certainty';
import { outputSchemas } from '../test/support/outputSchemas';
import { animatedPng } from './animatedPng';
import { INSTALL_TEXTS, linked, root, textOf, withPart } from './linkedPages';
import { llmsText } from './llmsText';
import { skillReference } from './skillReference';

const SCHEMAS = 'nodes/MessagingChannel/__schema__';

/** The files that link to the repository. */
const LINKING = [
	...['bug', 'config', 'feature', 'service'].map((name) => `.github/ISSUE_TEMPLATE/${name}.yml`),
	'CONTRIBUTING.md',
	'credentials/MessagingChannelApi.credentials.ts',
	...['', 'Memory', 'Trigger'].map((name) => `nodes/MessagingChannel/MessagingChannel${name}.node.json`),
	'package.json',
];

/** What the service does not publish of an operation. */
const DERIVED = { body: ', fields derived', endpoint: ', derived' };

/** What each operation calls and the permission for it, by resource, in the order of the panel. */
const operationsList = (): string =>
	resources
		.map(({ name, operations }) => {
			const lines = operations.map(({ name: operation, endpoint }) => {
				const { method, path, permission, inferred } = endpoint;
				const needed = permission === 'valid key' ? '' : `, \`${permission}\``;
				return `- ${operation}: \`${method} ${path}\`${needed}${inferred ? DERIVED[inferred] : ''}`;
			});
			return `**${name}**\n\n${lines.join('\n')}`;
		})
		.join('\n\n');

/** The code of the panels' table of what is not certain. */
function inferredFieldsModule(): string {
	const entries = Object.entries(inferredFields()).map(([id, fields]) => `\t'${id}': '${fields}',\n`);
	return `/** The fields that the service does not publish, by operation or event. Written by \`npm run docs\` from openapi.yaml. */
export const INFERRED_FIELDS: Readonly<Record<string, string | undefined>> = {
${entries.join('')}};
`;
}

/** An animation of pictures that the browser tests take. */
const animation = (...frames: string[]): Buffer =>
	animatedPng(
		frames.map((frame) => readFileSync(join(root, 'docs', 'images', `${frame}.png`))),
		{ seconds: 3, plays: 3 },
	);

/** The files, by path. */
const generated: Record<string, string | Buffer> = {
	...Object.fromEntries(LINKING.map((file) => [file, linked(file)])),
	...Object.fromEntries(
		Object.entries(INSTALL_TEXTS).map(([file, text]) => [file, withPart(linked(file), 'install', text)]),
	),
	...Object.fromEntries(
		Object.entries(outputSchemas()).map(([file, schema]) => [
			`${SCHEMAS}/${file}`,
			`${JSON.stringify(schema, null, '\t')}\n`,
		]),
	),
	'docs/operations.md': withPart(textOf('docs/operations.md'), 'table', operationsList()),
	'docs/events.md': withPart(textOf('docs/events.md'), 'table', eventsList()),
	'docs/images/overview.png': animation('trigger', 'template', 'advice'),
	'docs/images/answering.png': animation('phone-asks', 'phone'),
	'llms.txt': llmsText(),
	'skills/n8n-messaging-channel/parameters.md': skillReference(),
	'nodes/MessagingChannel/operation/inferredFields.ts': inferredFieldsModule(),
};

const isUpToDate = ([file, content]: [string, string | Buffer]): boolean =>
	existsSync(join(root, file)) && readFileSync(join(root, file)).equals(Buffer.from(content));
const changed = Object.entries(generated).filter((entry) => !isUpToDate(entry));
const obsolete = readdirSync(join(root, SCHEMAS), { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.json'))
	.map((name) => `${SCHEMAS}/${name.replaceAll('\\', '/')}`)
	.filter((file) => !(file in generated));

if (process.argv.includes('--check')) {
	const outOfDate = [...changed.map(([file]) => file), ...obsolete];
	for (const file of outOfDate) console.error(`${file} is out of date: npm run docs`);
	if (outOfDate.length > 0) process.exitCode = 1;
} else {
	for (const file of obsolete) rmSync(join(root, file));
	for (const [file, content] of changed) {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		writeFileSync(join(root, file), content);
	}
}
