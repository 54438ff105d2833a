import type { Page } from 'playwright-core';

import { resources } from '../../nodes/MessagingChannel/actions';
import { INFERRED_NOTICE } from '../../nodes/MessagingChannel/operation/inferred';
import { manualTrigger, messagingChannel, messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { sampled } from '../support/nightly';
import { operations } from '../support/operations';
import { TRIGGER } from '../support/world/triggerWorld';
import {
	byTestId,
	inputOf,
	openNode,
	openWorkflow,
	outputOf,
	panelOf,
	parametersOf,
	untilFieldsAreLoaded,
} from './editor';
import { picture, screenshot } from './pictures';
import { until } from './until';
import type { EditorWorld } from './world';

/** How n8n lists the nodes, and shows their panels. The only credential is that of the world. */
export function panels(world: () => EditorWorld): void {
	beforeAll(async () => await world().page.setViewportSize({ width: 1240, height: 800 }));

	describe('the list of nodes', () => {
		const actions = resources.flatMap(({ operations: all }) => all);

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
				const { page } = world();
				await page.goto('/workflow/new');
				await byTestId(page, 'canvas-plus-button').click();
				await byTestId(page, 'node-creator-search-bar').waitFor();
			});

			test.each(['whatsapp', 'incoming'])('the trigger is found by %j', async (words) => {
				expect((await search(world().page, words)).slice(0, 5)).toContain('Messaging Channel');
				await creatorOf(world().page).getByText('Starts the workflow when a message arrives').waitFor();
			});
		});

		describe('after a trigger', () => {
			beforeEach(async () => {
				const { page, n8n } = world();
				const { id } = await n8n.api.createWorkflow(workflow('First steps', [manualTrigger()]));
				await openWorkflow(page, id);
				await byTestId(page, 'node-creator-plus-button').click();
				await byTestId(page, 'node-creator-search-bar').waitFor();
			});

			test('the node is found by what it does', async () => {
				for (const words of ['whatsapp', 'send text message', 'opt out', 'photo', 'reply'])
					expect((await search(world().page, words)).slice(0, 10)).toContain('Messaging Channel');
			});

			test('the node is among those that ask a person', async () => {
				const { page } = world();
				await creatorOf(page).getByText('Human review', { exact: true }).click();
				await creatorOf(page).getByText('Messaging Channel', { exact: true }).waitFor();
				await screenshot(page, 'creator-human-review');
			});

			test('a click on an action adds the node, set to it and with the only credential chosen', async () => {
				const { page, credential } = world();
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
	});

	describe('the panel of the action', () => {
		// High enough for the longest panel, so that all of it is on the screenshot.
		beforeAll(async () => await world().page.setViewportSize({ width: 1240, height: 1_600 }));

		/** As much of an element as tells what it shows, and whether its text is cut off. */
		interface Box {
			scrollWidth: number;
			clientWidth: number;
			innerText: string;
			value: string;
			placeholder: string;
		}

		/** What code leaves over where words should be. */
		const leftover = /undefined|\[object|NaN|\bnull\b/;

		const NAME = 'Messaging Channel';

		// Which fields an operation has is a unit test. Here is what n8n makes of them, where there are most kinds.
		const PANELS: Array<[string, string, number]> = [
			['message', 'send', 2],
			['broadcast', 'create', 2],
			['media', 'send', 1],
			['contact', 'update', 1],
			['template', 'create', 2],
		];

		test.each(PANELS.slice(0, sampled(2, 5)))(
			'the panel of %s: %s is whole, in words, and marks what is missing',
			async (resource, operation, missing) => {
				const { page, n8n, credential } = world();
				const cases = operations.find((one) => one.resource === resource && one.operation === operation);
				const { options, additionalFields, updateFields } = cases?.full?.parameters ?? {};
				const node = messagingChannel(
					NAME,
					{ resource, operation, options, additionalFields, updateFields },
					credential,
				);
				const { id } = await n8n.api.createWorkflow(workflow('One operation', [manualTrigger(), node]));
				await openWorkflow(page, id);
				await openNode(page, NAME);
				const panel = parametersOf(page);
				await byTestId(panel, 'parameter-input-operation').waitFor();
				await untilFieldsAreLoaded(page);
				await screenshot(panelOf(page), `panel-${resource}-${operation}`);

				if (resource === 'broadcast') await panel.getByText(INFERRED_NOTICE.body).waitFor();
				const issues = byTestId(panel, 'parameter-issues');
				await until(`${missing} fields are marked`, async () => (await issues.count()) === missing);
				const boxes = await panel
					.locator(':is(input, textarea, label, [class*="notice"], [class*="hint"]):visible')
					.evaluateAll((elements: Box[]) =>
						elements.map(({ scrollWidth, clientWidth, innerText, value, placeholder }) => ({
							text: [innerText, value, placeholder].filter((text) => text !== undefined).join(' '),
							isCut: innerText !== '' && scrollWidth > clientWidth + 1,
						})),
					);
				expect(boxes.length).toBeGreaterThan(10);
				expect(boxes.filter(({ text, isCut }) => isCut || leftover.test(text))).toEqual([]);
			},
		);
	});

	describe('the panel of the trigger', () => {
		beforeAll(async () => await world().page.setViewportSize({ width: 1240, height: 860 }));

		beforeEach(async () => {
			const { page, n8n, credential, service } = world();
			await service.control.reset();
			const { id } = await n8n.api.createWorkflow(
				workflow('Incoming messages', [messagingChannelTrigger({}, credential)]),
			);
			await openWorkflow(page, id);
			await openNode(page, TRIGGER);
		});

		/** Presses the button that has n8n listen for a test event. */
		async function listen(): Promise<void> {
			await byTestId(panelOf(world().page), 'trigger-execute-button').click();
		}

		/** While n8n listens, the service sends its events to the address of the test. */
		async function untilRegistered(): Promise<void> {
			const { webhook } = world().service.control;
			await until('the webhook points to the test', async () => {
				const { config } = await webhook();
				return config?.is_active === true && config.url.startsWith(`${world().n8n.url}/webhook-test/`);
			});
		}

		/** Before these tests the account's webhook is off, so that is what it must become again. */
		async function untilRemoved(): Promise<void> {
			const { webhook } = world().service.control;
			await until('the webhook is removed', async () => (await webhook()).config?.is_active === false);
		}

		test('the panel tells that the account has one webhook, and asks how to listen and for which events', async () => {
			const { page } = world();
			const notice = 'An account has only one webhook. All workflows of this n8n share it';
			await parametersOf(page).getByText(notice).waitFor();
			await untilFieldsAreLoaded(page);
			await screenshot(panelOf(page), 'trigger-new');
			const labels = await parametersOf(page).locator('[data-test-id="input-label"]:visible').allInnerTexts();
			expect(labels.map((label) => label.split('\n')[0])).toEqual(['Listen By', 'Events', 'Options']);
			expect(await byTestId(parametersOf(page), 'parameter-issues').count()).toBe(0);
		});

		test('a test event is shown as it came, and the webhook is removed', async () => {
			const { page, service } = world();
			await listen();
			await panelOf(page).getByText('Listening for test event').waitFor();
			await screenshot(panelOf(page), 'trigger-listening');
			await untilRegistered();

			const text = 'Hi, are you open today?';
			await service.control.incomingMessage({ from: '905551112233', chatName: 'Ada Lovelace', body: text });
			await outputOf(page).getByText(text).first().waitFor();
			await byTestId(outputOf(page), 'radio-button-schema').click();
			await page.mouse.move(0, 0);
			await picture(panelOf(page), 'trigger', { from: parametersOf(page) });
			for (const name of ['event_id', 'delivered_at', 'message.received', 'Ada Lovelace'])
				await outputOf(page).getByText(name).first().waitFor();

			await untilRemoved();
		});
	});
}
