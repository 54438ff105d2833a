import type { INodeProperties } from 'n8n-workflow';

import { resources } from '../../../nodes/MessagingChannel/actions';
import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { choices, fields } from '../panel';

// n8n's guidelines for verified nodes, as far as n8n's linter does not check them.

const nodes = [new MessagingChannel(), new MessagingChannelTrigger(), new MessagingChannelMemory()];

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({ resource, operation, action: operation.action })),
);

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** Labels of several words, which nobody takes for ordinary words of a sentence. */
const labels = [
	...new Set(
		fields.map(({ what }) => what).map(({ type, displayName }) => (type === 'notice' ? '' : displayName)),
	),
].filter((label) => label.includes(' '));

/** Every sentence of the panel. */
const sentences = [
	...fields.flatMap(({ where, what: { type, displayName, description, hint } }) =>
		[description, hint, type === 'notice' ? displayName : undefined].map((text) => ({ where, text })),
	),
	...choices.map(({ where, what }) => ({ where, text: what.description })),
	...operations.flatMap(({ action: where, operation: { description, notice } }) =>
		[description, notice].map((text) => ({ where, text })),
	),
].flatMap(({ where, text }) => (text === undefined ? [] : [{ where, text }]));

/** The labels that a text names without single quotes. */
const unquoted = (text: string): string[] =>
	labels.filter((label) => text.replaceAll(`'${label}'`, '').includes(label));

test('whatever can be typed has an example that begins with "e.g."', () => {
	const typed = fields.flatMap(({ where, what: { type, typeOptions, placeholder, modes = [] } }) => [
		...(['string', 'number', 'json', 'dateTime'].includes(type) && typeOptions?.password !== true
			? [{ where, placeholder }]
			: []),
		...modes
			.filter((mode) => mode.type === 'string')
			.map((mode) => ({ where: `${where} > ${mode.displayName}`, placeholder: mode.placeholder })),
	]);
	expect(typed.length).toBeGreaterThan(40);
	expect(
		typed.filter(({ placeholder }) => !placeholder?.startsWith('e.g. ')).map(({ where }) => where),
	).toEqual([]);
});

test('a field is shown for what is beside it, or from the root on, or n8n 1.x opens no such node', () => {
	const missingIn = (level: INodeProperties[]): string[] => {
		const names = new Set(level.map(({ name }) => name));
		const needed = level.flatMap(({ displayOptions = {} }) =>
			Object.values(displayOptions).flatMap((rules: object) => Object.keys(rules)),
		);
		const inner = level.flatMap(({ options = [] }) => [
			options.filter((option): option is INodeProperties => 'type' in option),
			...options.map((option) => ('values' in option ? option.values : [])),
		]);
		return [...needed.filter((name) => !/^[@/]/.test(name) && !names.has(name)), ...inner.flatMap(missingIn)];
	};
	expect(nodes.flatMap(({ description }) => missingIn(description.properties))).toEqual([]);
});

test('one of several records is chosen from a list first', () => {
	// A default that comes from the trigger is an expression, which cannot stand in a list.
	const isExpression = ({ default: initial }: INodeProperties) =>
		String((initial as { value?: string }).value).startsWith('=');
	const locators = fields.filter(({ what }) => what.type === 'resourceLocator' && !isExpression(what));
	expect(locators.length).toBeGreaterThan(5);
	const others = locators.filter(({ what: { modes = [], default: initial } }) => {
		const [first] = modes;
		return first?.type !== 'list' || (initial as { mode: string }).mode !== first.name;
	});
	expect(others.map(({ where }) => where)).toEqual([]);
});

/** Lists in the order of use. */
const IN_ORDER_OF_USE = ['Resource', 'Operation', 'Events'];

test('five choices or more are in alphabetical order', () => {
	const lists = fields.flatMap(({ where, what: { type, displayName, options = [] } }) =>
		['options', 'multiOptions', 'collection'].includes(type) && !IN_ORDER_OF_USE.includes(displayName)
			? [{ where, names: options.map((one) => ('displayName' in one ? one.displayName : one.name)) }]
			: [],
	);
	const long = lists.filter(({ names }) => names.length >= 5);
	expect(long.length).toBeGreaterThan(5);
	const inOrder = (names: string[]) => [...names].sort((a, b) => a.localeCompare(b));
	expect(long.filter(({ names }) => names.join() !== inOrder(names).join())).toEqual([]);
});

test('a label in a sentence is in single quotes', () => {
	expect(sentences.flatMap(({ where, text }) => unquoted(text).map((label) => `${where}: ${label}`))).toEqual(
		[],
	);
});

test.each(operations)('"$action" has no article, and names the object', ({ action, resource, operation }) => {
	expect(action).not.toMatch(/\b(a|an|the)\b/i);
	const objects = [...wordsOf(resource.name), ...wordsOf(operation.name).slice(1)];
	const isNamed = (word: string) => objects.some((object) => word.startsWith(object.slice(0, 4)));
	expect(wordsOf(action).some(isNamed)).toBe(true);
});

test('everything that is shown is English', () => {
	const shown = [
		...sentences.map(({ text }) => text),
		...nodes.map(({ description }) => description.description),
	];
	// Letters that English does not have.
	const foreign = /[\u00C0-\u024F\u0370-\u{10FFFF}]/u;
	expect(shown.filter((text) => foreign.test(text.replace(/[…–→×“”‘’]/g, '')))).toEqual([]);
});
