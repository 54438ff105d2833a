import { createServer, type Server } from 'node:http';

import { listen } from '../support/localServer';
import { API_PATH } from '../support/service/apiPath';
import { formOf, newCredential, saveCredential, writeCredential } from './credentialForm';
import { byTestId } from './editor';
import { screenshot } from './pictures';
import { startEditorWorld, type EditorWorld } from './world';

let world: EditorWorld;
/** A web server that is not the service. */
let stranger: Server;
let strangerUrl: string;

beforeAll(async () => {
	world = await startEditorWorld();
	stranger = createServer((_request, response) => response.end('<h1>Hello</h1>'));
	strangerUrl = await listen(stranger);
});

afterAll(async () => {
	stranger?.close();
	await world?.stop();
});

beforeEach(async () => {
	await world.service.control.reset();
	await newCredential(world.page, 'Messaging Channel API');
});

test('the form asks for what is needed, and says in words what it is', async () => {
	const form = formOf(world.page);
	await screenshot(form, 'credential-new');
	const labels = await form.locator('label:visible').allInnerTexts();
	expect(labels.map((label) => label.split('\n')[0]?.trim()).slice(0, 3)).toEqual([
		'Base URL *',
		'API Key *',
		'Signing Secret',
	]);
	for (const secret of ['apiKey', 'signingSecret'])
		expect(await byTestId(form, `parameter-input-${secret}`).locator('input').getAttribute('type')).toBe(
			'password',
		);
});

test('a right address and key are found good, and the service was asked once', async () => {
	const { page, service } = world;
	await writeCredential(page, 'baseUrl', service.origin);
	await writeCredential(page, 'apiKey', service.apiKey);
	await saveCredential(page);
	await formOf(page).getByText('Connection tested successfully').waitFor();
	await screenshot(formOf(page), 'credential-good');
	const requests = await service.control.requests();
	expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${API_PATH}/health`]);
	expect(requests[0]?.headers.authorization).toBe(`Bearer ${service.apiKey}`);
});

const key = 'a-key-that-nobody-may-see';

test.each([
	[
		'a wrong key',
		() => world.service.origin,
		'The service rejected the API key. Enter the key from the account panel.',
	],
	[
		'a host that is not the service',
		() => strangerUrl,
		"The response is not in the format of the messaging service. Check the 'Base URL'",
	],
])('the form says in a sentence what is wrong with %s', async (what, baseUrl, sentence) => {
	const { page } = world;
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
