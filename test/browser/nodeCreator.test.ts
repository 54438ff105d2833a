import type { Page } from 'playwright-core';

import { resources } from '../../nodes/MessagingChannel/actions';
import { manualTrigger, workflow } from '../support/n8n/workflow';
import { byTestId, inputOf, openWorkflow, panelOf, parametersOf } from './editor';
import { picture, screenshot } from './pictures';
import { until } from './until';
import { startEditorWorld, type EditorWorld } from './world';

const actions = resources.flatMap(({ operations }) => operations);

let world: EditorWorld;

beforeAll(async () => {
	world = await startEditorWorld({ height: 800 });
});

afterAll(async () => await world?.stop());

const creatorOf = (page: Page) => byTestId(page, 'node-creator');

/** The names that are found by these words, once this package's node is among them. */
async function search(page: Page, words: string): Promise<string[]> {
	const names = byTestId(creatorOf(page), 'node-creator-item-name');
	const ours = names.getByText('Messaging Channel', { exact: true });
	const box = byTestId(page, 'node-creator-search-bar');
	// What an earlier search found stays until n8n gets to the next.
	await box.fill('');
	await ours.waitFor({ state: 'hidden' });
	await box.fill(words);
	await ours.waitFor();
	return await names.allInnerTexts();
}

describe('on an empty canvas', () => {
	beforeAll(async () => {
		const { page } = world;
		await page.goto('/workflow/new');
		await byTestId(page, 'canvas-plus-button').click();
		await byTestId(page, 'node-creator-search-bar').waitFor();
	});

	test.each(['whatsapp', 'incoming'])('the trigger is found by %j', async (words) => {
		expect((await search(world.page, words)).slice(0, 5)).toContain('Messaging Channel');
		await creatorOf(world.page).getByText('Starts the workflow when a message arrives').waitFor();
	});
});

describe('after a trigger', () => {
	beforeEach(async () => {
		const { page, n8n } = world;
		const { id } = await n8n.api.createWorkflow(workflow('First steps', [manualTrigger()]));
		await openWorkflow(page, id);
		await byTestId(page, 'node-creator-plus-button').click();
		await byTestId(page, 'node-creator-search-bar').waitFor();
	});

	test('the node is found by what it does', async () => {
		for (const words of [
			'whatsapp',
			'send message',
			'send text message',
			'text message',
			'opt out',
			'send image',
			'photo',
			'whatsapp message',
			'broadcast',
			'template',
			'reply',
		]) {
			const found = await search(world.page, words);
			await screenshot(world.page, `creator-${words}`);
			expect(found.slice(0, 10)).toContain('Messaging Channel');
		}
	});

	test('the node is among those that ask a person', async () => {
		const { page } = world;
		await creatorOf(page).getByText('Human review', { exact: true }).click();
		await creatorOf(page).getByText('Messaging Channel', { exact: true }).waitFor();
		await screenshot(page, 'creator-human-review');
	});

	test('a click on an action adds the node, set to it and with the only credential chosen', async () => {
		const { page, credential } = world;
		await search(page, 'whatsapp');
		await creatorOf(page).getByText('Messaging Channel', { exact: true }).click();
		await creatorOf(page).getByText(`Actions (${actions.length})`).waitFor();
		await creatorOf(page)
			.getByText('Actions send messages, media, templates and broadcasts')
			.last()
			.waitFor();
		await picture(creatorOf(page), 'actions');
		await creatorOf(page).getByText('Send text message').click();
		await parametersOf(page).waitFor();
		await screenshot(panelOf(page), 'added-by-action');
		// n8n fills them in late.
		for (const [field, value] of [
			[inputOf(page, 'resource'), 'Message'],
			[inputOf(page, 'operation'), 'Send'],
			[byTestId(panelOf(page), 'node-credentials-select'), credential.name],
		] as const)
			await until(
				`the panel shows ${value}`,
				async () => (await field.locator('input').inputValue()) === value,
			);
	});
});
