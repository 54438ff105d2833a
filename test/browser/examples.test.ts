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
	world = await startEditorWorld({ width: 880, height: 760 });
});

afterAll(async () => await world?.stop());

/** The steps on the canvas with their names, without the notes. */
const STEP = '[data-test-id="canvas-node"]:not(:has([data-test-id="sticky"]))';
const STEPS = `${STEP}, ${STEP} [class*="_description_"]`;

/** How large n8n shows the canvas. */
const ZOOM = `new DOMMatrix(getComputedStyle(document.querySelector('.vue-flow__transformationpane')).transform).a`;

/** What covers the canvas is gone, and the steps have names that can be read at any zoom. */
const readable = (zoom: number) => `
	[data-test-id="sticky"], [data-test-id="execute-workflow-button"], [class*="executionButtons"],
	[data-test-id="canvas-controls"], [data-test-id="node-creator-plus-button"], [data-test-id="canvas-handle-plus-wrapper"],
	[data-test-id="canvas-node"] [class*="_subtitle_"], .vue-flow__handle-top [class*="_label_"], .vue-flow__handle-left [class*="_label_"],
	.vue-flow__handle-bottom [class*="_label_"] { visibility: hidden }
	[class*="_node_"]:not([class*="_configurable_"]) > [class*="_description_"] { min-width: 195px !important }
	[data-test-id="canvas-node"] [class*="_label_"] {
		font-size: ${13 / zoom}px !important; line-height: 1.2 !important; -webkit-line-clamp: 4 !important }
	[data-test-id="canvas-node-agent"] * { font-size: ${13 / zoom}px !important }
	.vue-flow__handle-right [class*="_label_"] { font-size: ${12.5 / zoom}px !important; max-width: none !important }`;

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
	expect(await byTestId(page, 'sticky').count()).toBe(example.nodes.length - steps.length);
	const cut = await byTestId(page, 'sticky')
		.locator('[class*="wrapper"], [class*="sticky-textarea"], .n8n-markdown')
		.evaluateAll((elements: Box[]) =>
			elements
				.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
				.map(({ innerText }) => innerText.slice(0, 60)),
		);
	expect(cut).toEqual([]);

	await page.mouse.move(0, 0);
	const zoom = (await page.evaluate(ZOOM)) as number;
	await page.addStyleTag({ content: readable(zoom) });
	await picture(canvas.locator(STEPS), `example-${name}`);
});
