import type { Locator, Page } from 'playwright-core';

import { until } from './until';

/** An element by the name that n8n gives it for tests. */
export const byTestId = (parent: Page | Locator, id: string): Locator =>
	parent.locator(`[data-test-id="${id}"]`);

/** The open panel of a node: its input, parameters and output. */
export const panelOf = (page: Page): Locator => byTestId(page, 'ndv');

/** The middle of the open panel: credential, resource, operation and fields. */
export const parametersOf = (page: Page): Locator => byTestId(panelOf(page), 'node-parameters');

/** The right side of the open panel. */
export const outputOf = (page: Page): Locator => byTestId(panelOf(page), 'output-panel');

/** The input of one parameter in the open panel. */
export const inputOf = (page: Page, parameter: string): Locator =>
	byTestId(parametersOf(page), `parameter-input-${parameter}`);

/** A node on the canvas. */
const nodeOf = (page: Page, name: string): Locator =>
	page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);

/** Opens a workflow in the editor. */
export async function openWorkflow(page: Page, id: string): Promise<void> {
	await page.goto(`/workflow/${id}`);
	await byTestId(page, 'canvas-node').first().waitFor();
}

/** Opens the panel of a node on the canvas. */
export async function openNode(page: Page, name: string): Promise<void> {
	await nodeOf(page, name).dblclick();
	await parametersOf(page).waitFor();
	// Where the pointer rests, n8n shows buttons that are not part of the panel.
	await page.mouse.move(0, 0);
}

/** Waits until n8n has loaded the kinds of fields that it loads only when a panel first shows one. */
export async function untilFieldsAreLoaded(page: Page): Promise<void> {
	const loading = parametersOf(page).locator('.async-notice');
	await until('all fields of the panel are loaded', async () => (await loading.count()) === 0);
}

/** Closes the open panel with the keyboard. */
export async function closeNode(page: Page): Promise<void> {
	await page.keyboard.press('Escape');
	await panelOf(page).waitFor({ state: 'hidden' });
}

/** Opens the list of a parameter that can be chosen from one. */
export async function openList(page: Page, parameter: string): Promise<void> {
	await byTestId(parametersOf(page), `resource-locator-${parameter}`)
		.locator('[data-test-id="rlc-input"]')
		.click();
}

/** The entries of the open list. */
export const listEntries = (page: Page): Locator => page.locator('[data-test-id="rlc-item"]:visible');

/** The box that searches the open list. */
export const listSearch = (page: Page): Locator => page.locator('[data-test-id="rlc-search"]:visible');

/** Writes into a parameter that is a text. */
export async function write(page: Page, parameter: string, text: string): Promise<void> {
	await inputOf(page, parameter).locator('input, textarea').fill(text);
}

/** Chooses an entry from the list of a parameter. */
export async function choose(page: Page, parameter: string, entry: string): Promise<void> {
	await openList(page, parameter);
	await listEntries(page).getByText(entry).click();
}

/** Presses "Execute step". */
export async function execute(page: Page): Promise<void> {
	await byTestId(panelOf(page), 'node-execute-button').click();
}

/** The texts that the matching elements show, once there is at least one. */
export async function textsOf(elements: Locator): Promise<string[]> {
	await elements.first().waitFor();
	return await elements.allInnerTexts();
}
