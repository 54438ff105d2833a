import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';
import { withCredentialChosen, type WorkflowDefinition } from '../support/n8n/workflow';
import { byTestId, openWorkflow } from './editor';
import { picture } from './pictures';
import { startEditorWorld, type EditorWorld } from './world';

const examples = join(repository, 'examples');
const names = readdirSync(examples)
	.filter((file) => file.endsWith('.json'))
	.map((file) => file.replace('.json', ''));

let world: EditorWorld;

beforeAll(async () => {
	world = await startEditorWorld({ height: 760 });
});

afterAll(async () => await world?.stop());

/** n8n's buttons, which cover a part of the canvas. */
const buttons = [
	'[data-test-id="execute-workflow-button"]',
	'[class*="executionButtons"]',
	'[data-test-id="canvas-controls"]',
	'[data-test-id="node-creator-plus-button"]',
];

/** As much of a note as tells whether its text fits into it. */
interface Box {
	scrollHeight: number;
	clientHeight: number;
	innerText: string;
}

test.each(names)('the canvas of %s shows every step, and its note fits', async (name) => {
	const { page, n8n, credential } = world;
	const text = readFileSync(join(examples, `${name}.json`), 'utf8');
	const example = withCredentialChosen(JSON.parse(text) as WorkflowDefinition, credential);
	const { id } = await n8n.api.createWorkflow(example);
	await openWorkflow(page, id);

	const canvas = byTestId(page, 'canvas-wrapper');
	const steps = example.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
	for (const step of steps) await canvas.getByText(step.name, { exact: true }).first().waitFor();
	await page.mouse.move(0, 0);
	await page.addStyleTag({ content: `${buttons.join()} { visibility: hidden }` });
	await picture(canvas, `example-${name}`);

	expect(await byTestId(page, 'sticky').count()).toBe(example.nodes.length - steps.length);
	const cut = await byTestId(page, 'sticky')
		.locator('[class*="wrapper"], [class*="sticky-textarea"], .n8n-markdown')
		.evaluateAll((elements: Box[]) =>
			elements
				.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
				.map(({ innerText }) => innerText.slice(0, 60)),
		);
	expect(cut).toEqual([]);
});
