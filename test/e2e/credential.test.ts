import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { manualTrigger, node, workflow } from '../support/n8n/workflow';
import { prefix } from '../support/operations/expectations';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

beforeEach(async () => await world.service.control.reset());

const press = async (secrets: { baseUrl?: string; apiKey?: string } = {}) =>
	await world.n8n.api.testCredential(world.credential, { ...world.secrets, ...secrets });

/** Runs a server that gives every request this answer. */
async function withServer(answer: Parameters<typeof createServer>[1], work: (url: string) => Promise<void>) {
	const server: Server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}

describe('the test of the credential', () => {
	test.each([
		['a bare origin', ''],
		['an origin with a trailing slash', '/'],
		['the full URL', '/api/v1/whatsapp/external'],
		['the full URL with a trailing slash', '/api/v1/whatsapp/external/'],
	])('passes with %s', async (_, path) => {
		expect(await press({ baseUrl: world.service.origin + path })).toMatchObject({ status: 'OK' });
		const requests = await world.service.control.requests();
		expect(requests.map(({ method, path: received }) => [method, received])).toEqual([
			['GET', `${prefix}/health`],
		]);
		expect(requests[0]?.headers.authorization).toBe(`Bearer ${world.service.apiKey}`);
	});

	test('says that the service does not know the key', async () => {
		const { status, message } = await press({ apiKey: 'no-such-key' });
		expect(status).toBe('Error');
		expect(message).toContain('rejected the API key');
	});

	test.each([
		['http://127.0.0.1:9', 'The connection to the service was refused'],
		['https://no-such-host.invalid', 'The host name of the service'],
	])('says in words that %s cannot be reached, and what to check', async (baseUrl, words) => {
		const { status, message } = await press({ baseUrl });
		expect(status).toBe('Error');
		expect(message).toMatch(new RegExp(`^${words}.*Check the 'Base URL'`));
	});

	test('says of another server that it is not the service', async () => {
		await withServer(
			(_request, response) => response.writeHead(404).end('Not found'),
			async (baseUrl) => {
				const { status, message } = await press({ baseUrl });
				expect(status).toBe('Error');
				expect(message).toContain('No messaging service at this address');
			},
		);
	});

	test('does not take a web page for the service', async () => {
		await withServer(
			(_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
			async (baseUrl) =>
				expect(await press({ baseUrl })).toMatchObject({
					status: 'Error',
					message: expect.stringContaining('not in the format of the messaging service') as string,
				}),
		);
	});

	test('does not follow a redirect with the key', async () => {
		const received: Array<string | undefined> = [];
		await withServer(
			(request, response) => {
				received.push(request.url);
				response.end('{"success":true}');
			},
			async (elsewhere) => {
				await world.service.control.addFault({ kind: 'redirect', location: `${elsewhere}/stolen` });
				expect(await press()).toMatchObject({ status: 'Error' });
				expect(received).toEqual([]);
			},
		);
	});

	test.each([
		['not an address', 'service.example', 'not a valid URL'],
		['another path', 'https://service.example.com/api/v2', '/api/v1/whatsapp/external'],
	])('says what is wrong with %s', async (_, baseUrl, words) => {
		const { status, message } = await press({ baseUrl });
		expect(status).toBe('Error');
		expect(message).toContain(words);
		expect(await world.service.control.requests()).toEqual([]);
	});

	test('asks for the key while it is empty, before anything is sent', async () => {
		expect(await press({ apiKey: '' })).toMatchObject({
			status: 'Error',
			message: "The 'API Key' is empty. Enter the key from the account panel.",
		});
		expect(await world.service.control.requests()).toEqual([]);
	});
});

test('the HTTP Request node can use the credential, as its Custom API Call option says', async () => {
	const { api } = world.n8n;
	const { id, name } = world.credential;
	const parameters = {
		url: `${world.service.baseUrl}/account`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'messagingChannelApi',
		options: {},
	};
	const credentials = { messagingChannelApi: { id, name } };
	const request = node('Request', 'n8n-nodes-base.httpRequest', parameters, {
		typeVersion: 4.2,
		credentials,
	});
	const stored = await api.createWorkflow(workflow('Custom call', [manualTrigger(), request]));
	const execution = await api.run(stored.id);
	expect(execution.error).toBeUndefined();
	expect(execution.items('Request')).toMatchObject([{ json: { data: { id: 'account-1' } } }]);
	const [received] = await world.service.control.requests();
	expect(received?.headers.authorization).toBe(`Bearer ${world.service.apiKey}`);
});
