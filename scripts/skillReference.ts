import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { resources } from '../nodes/MessagingChannel/actions';
import { MEMORY_PROPERTIES } from '../nodes/MessagingChannel/memory/memoryProperties';
import { nodePropertiesOf } from '../nodes/MessagingChannel/operation/nodeProperties';
import { TRIGGER_PROPERTIES } from '../nodes/MessagingChannel/trigger/triggerProperties';
import { outputSchemas, type OutputSchema } from '../test/support/outputSchemas';

type Entry = NonNullable<INodeProperties['options']>[number];

/** So many operations have a field before it is described once, for all of them. */
const SHARED_FROM = 3;
/** A collection with more fields than this, such as the texts of all pages, is listed by names alone. */
const MOST_DESCRIBED = 15;

const properties = nodePropertiesOf(resources);
const schemas = outputSchemas();

const isField = (entry: Entry): entry is INodeProperties => 'displayName' in entry && 'type' in entry;
const isGroup = (entry: Entry): entry is INodePropertyCollection => 'values' in entry;
const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
const fieldsIn = ({ options = [] }: INodeProperties): INodeProperties[] => options.filter(isField);

/** What a model needs to know of every operation, of the trigger and of the memory: names, types, choices, defaults. */
export function skillReference(): string {
	const sections = resources.map(({ value, operations }) =>
		[
			`## ${value}`,
			...operations.map((operation) => {
				const shown = fieldsOf(value, operation.value);
				const known = shown.filter(isShared).map(nameOf);
				const lines = [
					...(known.length > 0 ? [`- ${known.join(', ')}`] : []),
					...shown.filter((field) => !isShared(field)).flatMap((field) => linesOf(field)),
				];
				const about = operation.description.replace(/\.$/, '');
				const output = namesIn(schemas[`v1.0.0/${value}/${operation.value}.json`]);
				return [`### ${code(operation.value)}`, `${about}. Output: ${output}`, lines.join('\n')]
					.filter((part) => part !== '')
					.join('\n\n');
			}),
		].join('\n\n'),
	);
	const shared = [...sharedFields.values()].flatMap((field) => described(field));
	const others = { messagingChannelTrigger: TRIGGER_PROPERTIES, messagingChannelMemory: MEMORY_PROPERTIES };
	const nodes = Object.entries(others).map(
		([name, all]) =>
			`## ${code(name)}\n\n${all.flatMap((field) => (field.type === 'notice' ? [] : described(field))).join('\n')}`,
	);
	return `# Parameters

Written from the code. A name with \`*\` is required. No other names exist: n8n ignores an invented one without a word. A default in a
collection, \`{ }\`, is what the editor enters when somebody adds the option.

## Fields that several operations have

They are described here once. Below, an operation names those that it has.

${shared.join('\n')}

${sections.join('\n\n')}

${nodes.join('\n\n')}
`;
}

/** What the panel shows for an operation in a workflow, notices aside. */
function fieldsOf(resource: string, operation: string): INodeProperties[] {
	return properties.filter(({ type, displayOptions }) => {
		const { resource: ofResources, operation: ofOperations, '@tool': tool } = displayOptions?.show ?? {};
		return (
			type !== 'notice' &&
			type !== 'hidden' &&
			!tool &&
			ofResources?.includes(resource) &&
			ofOperations?.includes(operation)
		);
	});
}

const keyOf = ({ name, displayName, description, default: initial }: INodeProperties): string =>
	JSON.stringify([name, displayName, description, initial]);

/** Those that are the same in several operations, by key. */
const sharedFields = ((): Map<string, INodeProperties> => {
	const found = resources.flatMap(({ value, operations }) =>
		operations.flatMap((operation) =>
			fieldsOf(value, operation.value).flatMap((field) =>
				field.type === 'collection' ? fieldsIn(field) : [field],
			),
		),
	);
	const counts = new Map<string, number>();
	for (const field of found) counts.set(keyOf(field), (counts.get(keyOf(field)) ?? 0) + 1);
	const shared = found.filter((field) => (counts.get(keyOf(field)) ?? 0) >= SHARED_FROM);
	// The first operation that has a field says how it usually is.
	return new Map(shared.reverse().map((field) => [keyOf(field), field]));
})();

/** A collection holds other fields in each operation. */
const isShared = (field: INodeProperties): boolean =>
	field.type !== 'collection' && sharedFields.has(keyOf(field));
const nameOf = ({ name, required }: INodeProperties): string => `${code(name)}${required ? '\\*' : ''}`;

/** A field of an operation. What a collection shares with those of other operations stands there by its name. */
function linesOf(field: INodeProperties): string[] {
	if (field.type !== 'collection') return described(field);
	const inner = fieldsIn(field);
	const known = inner.filter(isShared).map(nameOf);
	const lines = inner.filter((one) => !isShared(one)).flatMap((one) => described(one, 1));
	return inner.length > 0 ? [`- ${code(field.name)} \`{ }\`: ${known.join(', ')}`.trimEnd(), ...lines] : [];
}

/** A field with its type, its default and what it is for; below it what is in it. */
function described(field: INodeProperties, depth = 0): string[] {
	const indent = '  '.repeat(depth);
	const about = (field.description ?? field.displayName).replace(/<[^>]+>/g, '');
	// For a boolean in a collection, the panel begins with the value that nobody would have without it.
	const initial = depth === 0 || field.type !== 'boolean' ? defaultOf(field) : '';
	const facts = [typeOf(field), initial, conditionOf(field)].filter((fact) => fact !== '');
	const groups = (field.options ?? []).filter(isGroup);
	const brackets = code(field.typeOptions?.multipleValues ? '[ ]' : '{ }');
	return [
		`${indent}- ${nameOf(field)} (${facts.join('; ')})${about === field.displayName && field.type === 'collection' ? '' : ` ${about}`}`,
		...(field.type === 'collection' ? within(fieldsIn(field), depth + 1) : []),
		...groups.flatMap((group) => [
			`${indent}  - ${code(group.name)} ${brackets}`,
			...within(group.values, depth + 2),
		]),
	];
}

function within(fields: INodeProperties[], depth: number): string[] {
	if (fields.length > MOST_DESCRIBED) return [`${'  '.repeat(depth)}- ${fields.map(nameOf).join(', ')}`];
	return fields.flatMap((field) => described(field, depth));
}

function typeOf({ type, typeOptions, options = [], modes = [] }: INodeProperties): string {
	const choices = options.flatMap((one) => ('value' in one ? [code(one.value)] : []));
	if (type === 'options') return `one of ${choices.join(', ')}`;
	if (type === 'multiOptions') return choices.length > 0 ? `list of ${choices.join(', ')}` : 'list of names';
	if (type === 'resourceLocator') return `locator ${modes.map(({ name }) => code(name)).join(', ')}`;
	const { minValue, maxValue } = typeOptions ?? {};
	if (type === 'number' && minValue !== undefined) return `number ${minValue} to ${maxValue ?? '…'}`;
	return type === 'string' ? 'text' : type;
}

function defaultOf({ type, default: initial }: INodeProperties): string {
	const isPlain = ['string', 'number', 'boolean', 'options', 'multiOptions'].includes(type);
	return isPlain && initial !== '' && JSON.stringify(initial) !== '[]' ? `default ${code(initial)}` : '';
}

/** When the panel has a field, by the values of others. */
function conditionOf({ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties): string {
	const conditions = (from: typeof show, word: string): string[] =>
		Object.entries(from).flatMap(([name, values]) =>
			['resource', 'operation', '@tool'].includes(name) || values === undefined
				? []
				: [`${word} ${code(name.replace('/', ''))} is ${values.map(code).join(' or ')}`],
		);
	return [...conditions(show, 'if'), ...conditions(hide, 'unless')].join(', ');
}

/** The names of the fields of an output, those of one object in it included. */
function namesIn(schema: OutputSchema | undefined): string {
	const names = Object.entries(schema?.properties ?? {}).flatMap(([name, { properties: inner }]) =>
		inner ? Object.keys(inner).map((one) => `${name}.${one}`) : [name],
	);
	return names.length > 0 ? names.map(code).join(', ') : 'as the service returns it';
}
