import omit from 'lodash/omit';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodeTypeDescription,
	type NodeParameterValueType,
} from 'n8n-workflow';

import { repository } from '../../support/n8n/paths';
import { underTest } from '../../support/n8n/version';
import type { WorkflowDefinition } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';
import { describeWhere, lacksOwnAgents, lacksTableCreation } from '../../support/world/describeWhere';
import { exampleNames, readExample, withOwnAgent, withTables } from './example';

/** What a user has to enter, by example and node: whatever else is missing is a mistake of ours. */
const LEFT_TO_THE_USER: Record<string, string[]> = {
	'Tell a person': ['Parameter "To" is required.'],
	'Ask for approval': ['Parameter "To" is required.'],
	'Ask the manager': ['Parameter "To" is required.'],
	Rows: ['Parameter "Document" is required.'],
	'Rows again': ['Parameter "Document" is required.'],
	'Write the state': ['Parameter "Document" is required.'],
	'Start: messages': ['Parameter "Workflow" is required.'],
	'Start: delivery reports': ['Parameter "Workflow" is required.'],
	'Start: connection': ['Parameter "Workflow" is required.'],
};

/** The size of a node with its name, on n8n's canvas. */
const NODE_SIZE = { width: 150, height: 110 };

const toolDescription: INodeProperties[] = ['descriptionType', 'toolDescription'].map((name) => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
}));

interface Box {
	name: string;
	left: number;
	top: number;
	width: number;
	height: number;
}

const boxOf = ({ name, position: [left, top], parameters: { width, height } }: INode): Box => ({
	name,
	left,
	top,
	width: typeof width === 'number' ? width : NODE_SIZE.width,
	height: typeof height === 'number' ? height : NODE_SIZE.height,
});

const overlap = (one: Box, other: Box) =>
	one.left < other.left + other.width &&
	other.left < one.left + one.width &&
	one.top < other.top + other.height &&
	other.top < one.top + one.height;

/** n8n gives an address to every node that can be called, if it has none yet. */
const withoutAddress = (node: INode) => omit(node, 'webhookId');

/** The names of all parameters, those in collections with their path. */
function namesIn(value: NodeParameterValueType, path = ''): string[] {
	if (typeof value !== 'object' || value === null) return [path];
	return Object.entries(value).flatMap(([name, inner]) =>
		namesIn(inner as NodeParameterValueType, `${path}.${name}`),
	);
}

/** What holds for every example. */
export function allExamples(world: () => World): void {
	const names = exampleNames();
	const readme = readFileSync(join(repository, 'examples', 'README.md'), 'utf8');

	test('the README lists every example once, and no other', () => {
		const listed = [...readme.matchAll(/\]\(([\w-]+)\.json\)/g)].map(([, name]) => name);
		expect([...listed].sort()).toEqual(names);
	});

	const holds = (exampleName: string) => {
		let example: WorkflowDefinition;
		let notes: INode[];
		let nodes: INode[];

		beforeAll(async () => {
			example = await readExample(exampleName);
			const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';
			notes = example.nodes.filter(isNote);
			nodes = example.nodes.filter((node) => !isNote(node));
		});

		// n8n makes the tool out of the node, and adds what it tells the model of it.
		const typeOf = async ({ type, typeVersion }: INode): Promise<INodeTypeDescription> => {
			if (!type.endsWith('messagingChannelTool')) return await world().n8n.api.nodeType(type, typeVersion);
			const whole = await world().n8n.api.nodeType(type.replace(/Tool$/, ''), typeVersion);
			return { ...whole, properties: [...toolDescription, ...whole.properties] };
		};

		test('is imported as it is', async () => {
			const stored = await world().n8n.api.createWorkflow(example);
			expect(stored).toMatchObject({ name: example.name, connections: example.connections });
			expect(stored.nodes.map(withoutAddress)).toEqual(example.nodes.map(withoutAddress));
			await world().n8n.api.deleteWorkflow(stored.id);
		});

		test('explains itself: what it does, its steps in order, how to use it', () => {
			expect(notes).toHaveLength(1);
			const text = String(notes[0]?.parameters.content);
			expect(text.split('\n')[0]).toBe(`## ${example.name}`);
			expect(text).toMatch(/\n1\. \*\*/);
			expect(text).toContain('\n\nTo use it: ');
			const mentioned = new Set([...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name));
			expect([...mentioned].sort()).toEqual(nodes.map(({ name }) => name).sort());
			expect(readme).toContain(example.name);
		});

		test('has nodes that n8n knows, in the newest versions that the oldest n8n knows', async () => {
			for (const node of nodes) {
				const { version, defaultVersion } = await typeOf(node);
				const newest = defaultVersion ?? Math.max(...[version].flat());
				const known = underTest.isOldest ? [newest] : [version].flat();
				expect([node.type, known]).toEqual([node.type, expect.arrayContaining([node.typeVersion])]);
			}
		});

		test('has no parameter that n8n does not know, and none that is missing', async () => {
			for (const node of nodes) {
				const { properties, ...description } = await typeOf(node);
				const whole = { properties, ...description };
				const known = NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, whole);
				expect([node.name, namesIn(known as INodeParameters)]).toEqual([
					node.name,
					expect.arrayContaining(namesIn(node.parameters)),
				]);
				const issues = NodeHelpers.getNodeParametersIssues(properties, node, whole);
				const told = Object.values(issues?.parameters ?? {}).flat();
				expect([node.name, told]).toEqual([node.name, LEFT_TO_THE_USER[node.name] ?? []]);
			}
		});

		test('holds no credential, and readable IDs of its own', () => {
			expect(JSON.stringify(example)).not.toMatch(/credentials|undefined/);
			const ids = example.nodes.map(({ id }) => id);
			expect(new Set(ids).size).toBe(ids.length);
			for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+$/);
		});

		test('is laid out from left to right, with nothing on top of anything', () => {
			const boxes = example.nodes.map(boxOf);
			const covered = boxes.flatMap((one, index) =>
				boxes
					.slice(index + 1)
					.filter((other) => overlap(one, other))
					.map((other) => [one.name, other.name]),
			);
			expect(covered).toEqual([]);
		});
	};

	describe.each(names.filter((name) => ![...withTables, ...withOwnAgent].includes(name)))('%s', holds);
	describeWhere(
		'tableCreation',
		() => describe.each(withTables)('%s', holds),
		() => lacksTableCreation(() => world().n8n.api),
	);
	describeWhere(
		'ownAgents',
		() => describe.each(withOwnAgent)('%s', holds),
		() => lacksOwnAgents(() => world().n8n.api),
	);
}
