import type { RequestListener } from 'node:http';

import { close, createHttpServer, listen } from '../support/localServer';
import type { N8nApi } from '../support/n8n/api';
import { makeWay } from '../support/n8n/makeWay';
import { expectServiceReached, namedN8n, signIn, unreachedN8n } from '../support/n8n/runningN8n';
import { executionStartedBy } from '../support/n8n/startedBy';

const LOGIN = { N8N_EMAIL: 'me@example.com', N8N_PASSWORD: 'secret' };

describe('an n8n that runs already', () => {
	test('is named with its login, and with how it reaches the service', () => {
		const env = {
			N8N_URL: 'http://127.0.0.1:5678//',
			SERVICE_URL: 'http://host.docker.internal:8700/',
			...LOGIN,
		};
		expect(namedN8n(env)).toEqual({
			url: 'http://127.0.0.1:5678',
			login: { email: 'me@example.com', password: 'secret' },
			serviceUrl: 'http://host.docker.internal:8700',
		});
		expect(namedN8n(LOGIN)).toBeUndefined();
		expect(() => namedN8n({ ...env, N8N_PASSWORD: undefined })).toThrow(/also needs N8N_EMAIL and N8N_PASS/);
		for (const name of ['N8N_URL', 'SERVICE_URL'])
			expect(() => namedN8n({ ...env, [name]: 'localhost:5678' })).toThrow(`${name} must begin with http://`);
	});

	const answerWith =
		(status: number, text: string): RequestListener =>
		(_, response) =>
			response.writeHead(status).end(text);

	test.each([
		[
			'that refuses the login',
			answerWith(401, JSON.stringify({ message: 'Wrong password' })),
			/refused the login of N8N_EMAIL and N8N_PASSWORD: Wrong password\n/,
		],
		['that is no n8n', answerWith(200, 'Hello'), /is not n8n, or it is still starting \(HTTP 200\)\./],
		['of which the path is wrong', answerWith(404, '<html>'), /\(HTTP 404\)\.\nN8N_URL is the address of/],
	] satisfies Array<[string, RequestListener, RegExp]>)('%s is told', async (_, answer, message) => {
		const server = createHttpServer(answer);
		const url = await listen(server);
		const login = { email: 'me@example.com', password: 'secret' };
		await expect(signIn({ url, login })).rejects.toThrow(message);
		await close(server);
		await expect(signIn({ url, login })).rejects.toThrow(`No n8n answers at ${url} (ECONNREFUSED)`);
	});

	test('that does not reach the service, or is not reached by it, is told the address to use', async () => {
		const api = { testCredential: async () => ({ status: 'Error', message: 'Refused.' }) };
		const data = { baseUrl: 'http://127.0.0.1:8700/api', apiKey: 'key', signingSecret: 'secret' };
		const credential = { id: '1', name: 'One', type: 'messagingChannelApi' };
		const service = { origin: 'http://127.0.0.1:8700' };
		await expect(expectServiceReached(api as unknown as N8nApi, credential, data, service)).rejects.toThrow(
			/service at http:\/\/127\.0\.0\.1:8700: Refused\.[^]*--network host[^]*SERVICE_URL=http:\/\/host\.docker\.internal:8700$/,
		);
		expect(unreachedN8n('http://n8n:5678/webhook', 'ENOTFOUND')).toMatch(
			/at http:\/\/n8n:5678\/webhook \(ENOTFOUND\).*N8N_WEBHOOK_URL/,
		);
	});

	test('keeps the example published beside workflows that were published before', async () => {
		const nodes = [{ type: 'n8n-nodes-messaging-channel.messagingChannelTrigger' }];
		const published = ['example', 'before', 'after'];
		const unpublished: string[] = [];
		const api = {
			workflows: async () => published.map((id) => ({ id, active: true })),
			workflow: async (id: string) => ({ id, name: id, nodes }),
			deactivate: async (id: string) => void unpublished.push(id),
		};
		const { signal } = new AbortController();
		expect(await makeWay(api as unknown as N8nApi, 'example', signal, ['before'])).toBe('after');
		expect(unpublished).toEqual(['example']);
	});
});

test('the execution that an event started is found, however many there are since', async () => {
	const executions = Array.from({ length: 50 }, (_, index) => ({
		id: String(50 - index),
		startedAt: new Date(50 - index).toISOString(),
	}));
	const api = {
		workflows: async () => await Promise.resolve([{ id: 'a', active: true }]),
		executions: async () => await Promise.resolve(executions),
		execution: async (id: string) =>
			await Promise.resolve({ raw: { resultData: { runData: { eventId: `event ${id};` } } } }),
	} as unknown as N8nApi;
	const n8n = { url: 'http://n8n', api };
	expect(await executionStartedBy('event 7;', 5, n8n)).toBe('http://n8n/workflow/a/executions/7');
	expect(await executionStartedBy('event 4;', 5, n8n)).toBeUndefined();
});
