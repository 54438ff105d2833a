import type { INode } from 'n8n-workflow';

import { manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import {
	byTestId,
	closeNode,
	openNode,
	openWorkflow,
	panelOf,
	parametersOf,
	untilFieldsAreLoaded,
} from './editor';
import { expectedPanel, operationsOnPanel, withEveryField, type OperationOnPanel } from './expectedPanel';
import { screenshot } from './pictures';
import { startEditorWorld, type EditorWorld } from './world';

/** Nodes in one row of the canvas. */
const COLUMNS = 9;

/** As much of an element as tells whether its text is cut off. */
interface Box {
	scrollWidth: number;
	clientWidth: number;
	innerText: string;
}

interface Input {
	value: string;
	placeholder: string;
}

let world: EditorWorld;

const nameOf = ({ resource, operation }: OperationOnPanel) => `${resource}: ${operation}`;

beforeAll(async () => {
	// High enough for the longest panel, so that all of it is on the screenshot.
	world = await startEditorWorld({ height: 1_600 });
	const { page, n8n, credential } = world;
	const nodes = operationsOnPanel.map((one) =>
		messagingChannel(nameOf(one), withEveryField(one), credential),
	);
	const definition = workflow('Every operation', [manualTrigger(), ...nodes], []);
	const { id } = await n8n.api.createWorkflow({ ...definition, nodes: inRows(definition.nodes) });
	await openWorkflow(page, id);
});

afterAll(async () => await world?.stop());

function inRows(nodes: INode[]): INode[] {
	return nodes.map((node, index) => ({
		...node,
		position: [(index % COLUMNS) * 240, Math.floor(index / COLUMNS) * 200],
	}));
}

/** What code leaves over where words should be. */
const leftover = /undefined|\[object|NaN|\bnull\b/;

test('the canvas names every operation', async () => {
	const { page } = world;
	await screenshot(page, 'canvas-every-operation');
	const nodes = await byTestId(page, 'canvas-node').allInnerTexts();
	expect(nodes.length).toBeGreaterThan(53);
	expect(nodes).toHaveLength(operationsOnPanel.length + 1);
	for (const one of operationsOnPanel)
		expect(nodes.join('\n')).toContain(`${one.operation}: ${one.resource}`);
	expect(nodes.join('\n')).not.toMatch(leftover);
});

describe.each(operationsOnPanel)('the panel of $resource: $operation', (one) => {
	const expected = expectedPanel(one);

	beforeAll(async () => await openNode(world.page, nameOf(one)));
	afterAll(async () => await closeNode(world.page));

	test('shows its own fields in order, and no others', async () => {
		const panel = parametersOf(world.page);
		await byTestId(panel, 'parameter-input-operation').waitFor();
		await untilFieldsAreLoaded(world.page);
		await screenshot(panelOf(world.page), `panel-${one.resource}-${one.operation}`);
		const labels = await panel.locator('[data-test-id="input-label"]:visible').allInnerTexts();
		// Below its label, n8n keeps the buttons and the hint of a field in the same element.
		expect(labels.map((label) => label.split('\n')[0])).toEqual(expected.labels);
	});

	test('shows its notices and marks what is missing', async () => {
		const panel = parametersOf(world.page);
		for (const notice of expected.notices) expect(await panel.getByText(notice).isVisible()).toBe(true);
		expect(await byTestId(panel, 'parameter-issues').count()).toBe(expected.missing);
	});

	test('shows nothing that code left over, and cuts no text off', async () => {
		const panel = parametersOf(world.page);
		expect(await panel.innerText()).not.toMatch(leftover);
		const inputs = await panel
			.locator('input:visible, textarea:visible')
			.evaluateAll((elements: Input[]) =>
				elements.map(({ value, placeholder }) => `${value} ${placeholder}`),
			);
		expect(inputs.join('\n')).not.toMatch(leftover);
		const cut = await panel
			.locator('label:visible, [class*="notice"]:visible, [class*="hint"]:visible')
			.evaluateAll((elements: Box[]) =>
				elements
					.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
					.map(({ innerText }) => innerText),
			);
		expect(cut).toEqual([]);
	});
});
