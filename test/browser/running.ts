// cspell:ignore transformationpane
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';
import { sampled } from '../support/nightly';
import {
	manualTrigger,
	messagingChannel,
	withCredentialChosen,
	workflow,
	type WorkflowDefinition,
} from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import {
	byTestId,
	choose,
	execute,
	listEntries,
	listSearch,
	openList,
	openNode,
	openWorkflow,
	outputOf,
	panelOf,
	parametersOf,
	textsOf,
	write,
} from './editor';
import { picture, screenshot } from './pictures';
import type { EditorWorld } from './world';

/** What users do in the panels, and what they see. */
export function running(world: () => EditorWorld): void {
	const NODE = 'Messaging Channel';

	beforeAll(async () => await world().page.setViewportSize({ width: 1240, height: 860 }));
	afterEach(async () => expect((await world().service.control.defects()) ?? []).toEqual([]));

	beforeEach(async () => {
		const { control } = world().service;
		await control.reset();
		await control.seed({
			chats: [
				{ id: '905551112233@c.us', name: 'Ada Lovelace' },
				{ id: '120363041234567890@g.us', name: 'Wholesale customers' },
			],
			contacts: [
				{ phone: '905551112233', name: 'Ada Lovelace' },
				{ phone: '905554445566', name: 'Grace Hopper' },
			],
			templates: [
				{ name: 'order_shipped', content: 'Hello {{name}}, your order {{order_number}} has shipped' },
				{ name: 'welcome', content: 'Welcome, how can we help?' },
			],
		});
	});

	/** Opens the panel of a new node that is set to an operation. */
	async function openOperation(
		resource: string,
		operation: string,
		more = {},
		credential = world().credential,
	): Promise<void> {
		const { n8n, page } = world();
		const node = messagingChannel(NODE, { resource, operation, ...more }, credential);
		const { id } = await n8n.api.createWorkflow(workflow('Order shipped', [manualTrigger(), node]));
		await openWorkflow(page, id);
		await openNode(page, NODE);
	}

	const received = async (path: string) =>
		(await world().service.control.requests()).filter((request) => request.path.endsWith(path));

	describe('the lists', () => {
		test('offer chats and contacts, each person once, and find them by name', async () => {
			const { page } = world();
			await openOperation('message', 'send');
			await openList(page, 'to');
			expect(await textsOf(listEntries(page))).toEqual([
				'Ada Lovelace (+90 555 111 22 33)',
				'Wholesale customers (group)',
				'Grace Hopper (+90 555 444 55 66)',
			]);
			await picture(panelOf(page), 'recipients', { from: parametersOf(page), to: parametersOf(page) });
			await listSearch(page).fill('grace');
			await listEntries(page).getByText('Ada Lovelace').waitFor({ state: 'hidden' });
			expect(await textsOf(listEntries(page))).toEqual(['Grace Hopper (+90 555 444 55 66)']);
		});
	});

	test('a template is sent: its variables appear, its answer shows, and the service got what was entered', async () => {
		const { page } = world();
		await openOperation('template', 'send');
		await parametersOf(page).getByText('Choose a template to see its variables.').waitFor();
		await choose(page, 'to', 'Grace Hopper');
		await choose(page, 'templateId', 'order_shipped');
		await parametersOf(page).getByText('Template Variables', { exact: true }).waitFor();
		await write(page, 'name', 'Grace');
		await write(page, 'order_number', '4711');
		await screenshot(panelOf(page), 'template-filled');

		await execute(page);
		await outputOf(page).getByText('905554445566@c.us').waitFor();
		await byTestId(outputOf(page), 'radio-button-schema').click();
		await page.mouse.move(0, 0);
		await picture(panelOf(page), 'template', { from: parametersOf(page) });
		const [request] = await received('/messages/send-template');
		const [template] = await world().service.control.templates();
		expect(request?.body).toEqual({
			to: '905554445566',
			template_id: template?.id,
			variables: { name: 'Grace', order_number: '4711' },
		});
		expect((await world().service.control.accepted()).map(({ body }) => body)).toEqual([
			'Hello Grace, your order 4711 has shipped',
		]);
	});

	test('a question arrives on the phone, its link opens a page, and the button continues the workflow', async () => {
		const { page, service } = world();
		const owner = '905554445566';
		await service.control.seed({ chats: [{ id: `${owner}@c.us`, name: 'Grace Hopper' }] });
		await openOperation('message', 'sendAndWait', {
			to: byPhone(owner),
			message: 'Ada Lovelace wants a refund of 250 for order 4711. Pay it?',
			approvalOptions: { values: { approvalType: 'double' } },
		});
		await execute(page);

		const phone = await page.context().newPage();
		await phone.setViewportSize({ width: 700, height: 700 });
		await phone.goto(`${service.origin}/phone`);
		await phone.getByRole('button', { name: 'Grace Hopper' }).click();
		const links = phone.getByRole('list', { name: 'Grace Hopper' }).getByRole('link');
		await links.first().waitFor();
		// As high as the message, which has two long links.
		await phone.addStyleTag({ content: '#messages { flex: none !important }' });
		await picture(phone.locator('#messages'), 'approval-message');

		const opened = phone.context().waitForEvent('page');
		await links.first().click();
		const answer = await opened;
		await answer.setViewportSize({ width: 420, height: 420 });
		await answer.getByText('Pay it?').waitFor();
		// The style of the page is the one that its headers allow.
		const radius = 'getComputedStyle(document.querySelector("main")).borderRadius';
		expect(await answer.evaluate(radius)).not.toBe('0px');
		await picture(answer.locator('body'), 'approval-page');
		await answer.getByRole('button', { name: 'Approve' }).click();
		await answer.getByText('You answered: Approve').waitFor();
		await outputOf(page).getByText('approved').first().waitFor();
		await answer.close();
		await phone.close();
	});

	test('a permission that the key lacks is told in the panel, with what to do', async () => {
		const { page, n8n, service, secrets } = world();
		const { apiKey } = await service.control.createKey({ permissions: ['messages:read'] });
		const readOnly = await n8n.api.createCredential('messagingChannelApi', 'Read only', {
			...secrets,
			apiKey,
		});
		const send = { to: byPhone('+90 555 444 55 66'), message: 'Your order is on its way' };
		await openOperation('message', 'send', send, readOnly);
		await execute(page);
		await byTestId(outputOf(page), 'node-error-message')
			.getByText("lacks the permission 'messages:send'")
			.waitFor();
		const advice = byTestId(outputOf(page), 'node-error-description');
		await advice.getByText('Add the permission to the key in the account panel, then run again.').waitFor();
		await page.mouse.move(0, 0);
		await picture(panelOf(page), 'advice', { from: parametersOf(page) });
	});

	test('what is wrong with the setup is told above the table of its checks', async () => {
		const { page, service } = world();
		await service.control.setAccount({ status: 'disconnected' });
		await openOperation('account', 'checkSetup');
		await execute(page);
		await outputOf(page)
			.getByText(/^Account: .* is not connected: .* Also: .*Webhook.*\.$/)
			.waitFor();
		await outputOf(page).getByText('20 items', { exact: true }).waitFor();
		await screenshot(panelOf(page), 'check-setup');
	});

	describe('the examples', () => {
		beforeAll(async () => await world().page.setViewportSize({ width: 880, height: 760 }));

		const examples = join(repository, 'examples');
		const names = readdirSync(examples)
			.filter((file) => file.endsWith('.json'))
			.map((file) => file.replace('.json', ''));

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

		/** In the sample, one with an agent and one with many steps. */
		const SHOWN = sampled(['ai-agent', 'campaign-from-sheet'], names);

		test.each(SHOWN)('the canvas of %s shows every step, and its note fits', async (name) => {
			const { page, n8n, credential } = world();
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
	});
}
