import type { RequestListener } from 'node:http';

import { close, createHttpServer, listen } from '../support/localServer';
import type { N8nApi } from '../support/n8n/api';
import { makeWay } from '../support/n8n/makeWay';
import { namedN8n, signIn } from '../support/n8n/runningN8n';

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
