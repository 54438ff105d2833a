import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { resources } from '../../../nodes/MessagingChannel/actions';
import { page, pages, proseOf, root, textOf, type Page } from './pages';
import { choices, fields } from '../panel';

/** What n8n itself calls things. */
const OF_N8N = [
	// Settings of every node
	...['Settings', 'On Error', 'Continue', 'On Error → Continue', 'Continue (using error output)'],
	...['Retry On Fail', 'Retry execution', 'Always Output Data', 'Execute Once'],
	// Buttons and switches
	...['Custom API Call', 'Fixed', 'Expression', 'Tool'],
	// Nodes
	...['AI Agent', 'Code', 'Data Table', 'Execute Sub-workflow', 'Filter', 'Google Drive'],
	...['Google Sheets', 'HTTP Request', 'If', 'Loop Over Items', 'Message an Agent'],
	...['Remove Duplicates', 'Respond to Webhook', 'Schedule Trigger', 'Switch', 'Wait', 'Webhook'],
	// Their fields
	...['Advanced', 'Define below', 'Invoke Agent', 'Once Per Item', 'Session', 'Batching', 'Form-Data'],
	...['n8n Binary File', 'Pagination', 'Response Format', 'Resume', 'Run once for each item'],
	...['Run once with all items', 'File', 'Update Row', 'Workflow', 'Node'],
];

const ofPanel = [
	'Messaging Channel',
	'Messaging Channel Trigger',
	new MessagingChannelApi().displayName,
	...resources.flatMap(({ name, operations }) => [name, ...operations.map((operation) => operation.name)]),
	...fields.flatMap(({ what }) => [what.displayName, ...(what.modes ?? []).map((mode) => mode.displayName)]),
	...choices.map(({ what }) => what.name),
];

/** The titles of the examples, by which pages name them. */
const ofExamples = [...page('examples/README.md').text.matchAll(/^- \[([^\]]+)\]/gm)].map(
	([, title = '']) => title,
);

const known = new Set([...OF_N8N, ...ofPanel, ...ofExamples]);

const withoutCode = (one: Page): string => proseOf(one).replace(/`[^`\n]+`/g, '');

/** What stands in italics, which is how the pages mark the words of the panel. */
const inItalics = (text: string): string[] =>
	[...text.matchAll(/(?<![\w*])_([^_]+)_(?!\w)/g)].map(([, words = '']) => words.replace(/\s+/g, ' '));

/** The parts that are not on the panel, of words such as `Message > Send` or `If Delivery Is Uncertain → Fail`. */
const strange = (words: string): string[] =>
	known.has(words) ? [] : words.split(/ [>→] /).filter((part) => !known.has(part));

test.each(pages)('the words in italics in $file are on the panel', (one) => {
	expect(inItalics(withoutCode(one)).flatMap(strange)).toEqual([]);
});

interface Example {
	nodes: Array<{ type: string; parameters: { content?: string } }>;
}

/** What stands in italics in the note of an example and looks like a label: several words with a capital each. */
function labelsInNote(example: string): string[] {
	const { nodes } = JSON.parse(textOf(`examples/${example}`)) as Example;
	const note = nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote')?.parameters.content ?? '';
	const italics = [...note.replace(/\*\*[^*]+\*\*/g, '').matchAll(/\*([^*\n]+)\*/g)];
	return italics.map(([, words = '']) => words).filter((words) => /^[A-Z]\S*( [A-Z(]\S*)+$/.test(words));
}

const examples = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.json'));

test.each(examples)('the labels in the note of %s are on the panel', (example) => {
	expect(labelsInNote(example).flatMap(strange)).toEqual([]);
});

test('an operation that a page names belongs to the resource before it', () => {
	const named = pages.flatMap((one) =>
		inItalics(withoutCode(one)).flatMap((words) => {
			const [resource, operation] = words.split(' > ');
			const found = resources.find(({ name }) => name === resource);
			return found && operation !== undefined ? [{ words, operation, operations: found.operations }] : [];
		}),
	);
	expect(named.length).toBeGreaterThan(40);
	expect(
		named
			.filter(({ operation, operations }) => !operations.some(({ name }) => name === operation))
			.map(({ words }) => words),
	).toEqual([]);
});
