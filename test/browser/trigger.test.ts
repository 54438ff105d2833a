import { messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { TRIGGER } from '../support/world/triggerWorld';
import {
	byTestId,
	openNode,
	openWorkflow,
	outputOf,
	panelOf,
	parametersOf,
	untilFieldsAreLoaded,
} from './editor';
import { picture, screenshot } from './pictures';
import { until } from './until';
import { startEditorWorld, type EditorWorld } from './world';

let world: EditorWorld;

beforeAll(async () => {
	world = await startEditorWorld({ height: 860 });
});

afterAll(async () => await world?.stop());

beforeEach(async () => {
	const { page, n8n, credential, service } = world;
	await service.control.reset();
	const { id } = await n8n.api.createWorkflow(
		workflow('Incoming messages', [messagingChannelTrigger({}, credential)]),
	);
	await openWorkflow(page, id);
	await openNode(page, TRIGGER);
});

/** Presses the button that has n8n listen for a test event. */
async function listen(): Promise<void> {
	await byTestId(panelOf(world.page), 'trigger-execute-button').click();
}

/** While n8n listens, the service sends its events to the address of the test. */
async function untilRegistered(): Promise<void> {
	const { webhook } = world.service.control;
	await until('the webhook points to the test', async () => {
		const { config } = await webhook();
		return config?.is_active === true && config.url.startsWith(`${world.n8n.url}/webhook-test/`);
	});
}

/** Before these tests the account's webhook is off, so that is what it must become again. */
async function untilRemoved(): Promise<void> {
	const { webhook } = world.service.control;
	await until('the webhook is removed', async () => (await webhook()).config?.is_active === false);
}

test('the panel tells that the account has one webhook, and asks how to listen and for which events', async () => {
	const { page } = world;
	const notice = 'An account has only one webhook. All workflows of this n8n share it';
	await parametersOf(page).getByText(notice).waitFor();
	await untilFieldsAreLoaded(page);
	await screenshot(panelOf(page), 'trigger-new');
	const labels = await parametersOf(page).locator('[data-test-id="input-label"]:visible').allInnerTexts();
	expect(labels.map((label) => label.split('\n')[0])).toEqual(['Listen By', 'Events', 'Options']);
	expect(await byTestId(parametersOf(page), 'parameter-issues').count()).toBe(0);
});

test('a test event is shown as it came, and the webhook is removed', async () => {
	const { page, service } = world;
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
