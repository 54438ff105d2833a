import type { Server } from 'node:http';

import { manualTrigger, messagingChannel, messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { close, createHttpServer, listen } from '../support/localServer';
import { TRIGGER } from '../support/world/triggerWorld';
import { API_PATH } from '../support/service/apiPath';
import { formOf, newCredential, saveCredential, writeCredential } from './credentialForm';
import {
	byTestId,
	closeNode,
	execute,
	openNode,
	openWorkflow,
	outputOf,
	panelOf,
	parametersOf,
} from './editor';
import { picture, screenshot } from './pictures';
import { until } from './until';
import type { EditorWorld } from './world';

/** The steps of docs/quickstart.md and docs/quickstart-webhook.md that have pictures. */
export function quickstart(world: () => EditorWorld): void {
	const CUSTOMER = { from: '905551112233', chatName: 'Ada Lovelace' };
	const NODE = 'Messaging Channel';

	beforeAll(async () => {
		await world().service.control.reset();
		await world().service.control.seed({ chats: [{ id: `${CUSTOMER.from}@c.us`, name: CUSTOMER.chatName }] });
	});

	/** Dialogs are as wide as the window lets them. */
	const resize = async (width: number) => await world().page.setViewportSize({ width, height: 760 });

	/** Waits until the account's webhook is active at a path of n8n, or at none. */
	async function untilWebhookAt(path: string | undefined): Promise<void> {
		const { n8n, service } = world();
		await until(`the webhook is at ${path}`, async () => {
			const { config } = await service.control.webhook();
			return path === undefined
				? config?.is_active !== true
				: config?.is_active === true && config.url.startsWith(`${n8n.url}${path}`);
		});
	}

	test('step 1: the package is installed by its name', async () => {
		const { page } = world();
		await resize(960);
		await page.goto('/settings/community-nodes');
		await page.getByRole('button', { name: 'Install' }).click();
		const dialog = page.getByRole('dialog');
		await dialog.locator('input').first().fill('n8n-nodes-messaging-channel');
		await dialog.getByText('I understand the risks').click();
		await picture(dialog, 'quickstart-install');
		const button = byTestId(page, 'install-community-package-button');
		await until('the package can be installed', async () => await button.isEnabled());
	});

	test('step 2: the credential is saved, and its test is passed', async () => {
		const { page, service } = world();
		await newCredential(page, 'Messaging Channel API');
		const labels = await formOf(page).locator('label:visible').allInnerTexts();
		expect(labels.map((label) => label.split('\n')[0]?.trim()).slice(0, 3)).toEqual([
			'Base URL *',
			'API Key *',
			'Signing Secret',
		]);
		for (const secret of ['apiKey', 'signingSecret'])
			expect(
				await byTestId(formOf(page), `parameter-input-${secret}`).locator('input').getAttribute('type'),
			).toBe('password');
		await service.control.clearRequests();
		await writeCredential(page, 'baseUrl', service.origin);
		await writeCredential(page, 'apiKey', service.apiKey);
		await saveCredential(page);
		await formOf(page).getByText('Connection tested successfully').waitFor();
		await picture(formOf(page), 'quickstart-credential');
		const requests = await service.control.requests();
		expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${API_PATH}/health`]);
		expect(requests[0]?.headers.authorization).toBe(`Bearer ${service.apiKey}`);
	});

	/** A web server that is not the service. */
	let stranger: Server;
	let strangerUrl: string;
	beforeAll(async () => {
		stranger = createHttpServer((_request, response) => response.end('<h1>Hello</h1>'));
		strangerUrl = await listen(stranger);
	});
	afterAll(async () => await close(stranger));

	const key = 'a-key-that-nobody-may-see';

	const WRONG: Array<[string, () => string, string]> = [
		[
			'a wrong key',
			() => world().service.origin,
			'The service rejected the API key. Enter the key from the account panel.',
		],
		[
			'a host that is not the service',
			() => strangerUrl,
			"The response is not in the format of the messaging service. Check the 'Base URL'",
		],
	];

	test.each(WRONG)('step 2: the form says what is wrong with %s', async (what, baseUrl, sentence) => {
		await newCredential(world().page, 'Messaging Channel API');
		const { page } = world();
		const form = formOf(page);
		await writeCredential(page, 'baseUrl', baseUrl());
		await writeCredential(page, 'apiKey', key);
		await saveCredential(page);
		await form.getByText('Couldn’t connect with these settings').waitFor();
		await form.getByText('More details').click();
		await form.getByText(sentence).waitFor();
		await screenshot(form, `credential-${what.replaceAll(' ', '-')}`);
		expect(await form.innerText()).not.toContain(key);
	});

	test('the webhook, step 2: the signing secret is fetched once, and pasted into the credential', async () => {
		await resize(1240);
		const { page, n8n, credential, service, watch } = world();
		const why = 'The quickstart fetches the signing secret with the node, whose output n8n stores.';
		watch.allow({ secret: 'signing secret', place: /database\.sqlite/, why });
		const rotate = messagingChannel(NODE, { resource: 'webhook', operation: 'rotateSecret' }, credential);
		const { id } = await n8n.api.createWorkflow(workflow('Signing secret', [manualTrigger(), rotate]));
		await openWorkflow(page, id);
		await openNode(page, NODE);
		await execute(page);
		await outputOf(page).getByText('secret').first().waitFor();
		const { secret } = await service.control.webhook();
		await outputOf(page).getByText(secret).first().waitFor();
		watch.add('signing secret', secret);
		// The warning does not fit into the width that a table leaves it.
		await outputOf(page).getByText('Schema', { exact: true }).click();
		await page.mouse.move(0, 0);
		await picture(panelOf(page), 'quickstart-secret', { from: parametersOf(page) });

		await byTestId(panelOf(page), 'credential-edit-button').click();
		await writeCredential(page, 'signingSecret', secret);
		await saveCredential(page);
		await formOf(page).getByText('Connection tested successfully').waitFor();
	});

	test('step 3: a new workflow begins with the event that starts it', async () => {
		const { page } = world();
		await page.goto('/workflow/new');
		await byTestId(page, 'canvas-plus-button').click();
		await byTestId(page, 'node-creator-search-bar').fill('Messaging Channel');
		const creator = byTestId(page, 'node-creator');
		await creator.getByText('Messaging Channel', { exact: true }).first().click();
		await creator.getByText('On message received').click();
		await byTestId(panelOf(page), 'trigger-execute-button').waitFor();
	});

	test('steps 3 and 4: a test event fills in the chat, the workflow is published, and answers', async () => {
		const { page, n8n, credential, service } = world();
		const { id } = await n8n.api.createWorkflow(
			workflow('Auto-reply', [
				messagingChannelTrigger({}, credential),
				messagingChannel(
					NODE,
					{
						resource: 'message',
						operation: 'send',
						to: { __rl: true, mode: 'id', value: '={{ $json.chat.id }}' },
						message: '=Hello {{ $json.chat.name }}, thank you for your message. We will answer you soon.',
					},
					credential,
				),
			]),
		);
		await openWorkflow(page, id);
		await openNode(page, TRIGGER);
		await byTestId(panelOf(page), 'trigger-execute-button').click();
		await untilWebhookAt('/webhook-test/');
		await service.control.incomingMessage({ ...CUSTOMER, body: 'Hi, are you open today?' });
		await outputOf(page).getByText('Hi, are you open today?').first().waitFor();
		await untilWebhookAt(undefined);
		await closeNode(page);
		await openNode(page, NODE);
		await panelOf(page).getByText('Hello Ada Lovelace, thank you').first().waitFor();
		await picture(panelOf(page), 'quickstart-answer', { to: parametersOf(page) });
		await closeNode(page);

		await byTestId(page, 'workflow-open-publish-modal-button').click();
		await picture(page.locator('.el-dialog'), 'publishing');
		await byTestId(page, 'workflow-publish-button').click();
		await untilWebhookAt('/webhook/');

		const phone = await page.context().newPage();
		await phone.goto(`${service.origin}/phone`);
		await phone.getByRole('button', { name: CUSTOMER.chatName }).click();
		await phone.getByLabel('Write as the customer').fill('Do you have it in blue?');
		await phone.getByLabel('Write as the customer').press('Enter');
		const messages = phone.getByRole('list', { name: CUSTOMER.chatName }).getByRole('listitem');
		await messages.filter({ hasText: 'Hello Ada Lovelace' }).filter({ hasText: 'read' }).waitFor();
		expect((await service.control.accepted()).map(({ to, body }) => ({ to, body }))).toEqual([
			{
				to: `${CUSTOMER.from}@c.us`,
				body: 'Hello Ada Lovelace, thank you for your message. We will answer you soon.',
			},
		]);

		await phone.getByText('n8n took the message').first().click();
		const opened = phone.context().waitForEvent('page');
		await phone.getByRole('link', { name: 'Execution in n8n' }).click();
		const execution = await opened;
		const [latest] = await n8n.api.executions(id);
		await byTestId(execution, `execution-preview-details-${latest?.id}`).waitFor();
		expect(execution.url()).toBe(`${n8n.url}/workflow/${id}/executions/${latest?.id}`);
	});
}
