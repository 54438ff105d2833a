import type { ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { testConnection } from '../../../nodes/MessagingChannel/n8n/credentialTest';
import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { answer } from '../api/scripted';

const healthy = { success: true, status: 'ok', account: { id: 'account-1', status: 'connected' } };

/** Presses "Test" at a service that gives this answer; an error is thrown instead. */
async function press(
	given: ReturnType<typeof answer> | Error,
	data: Record<string, string> = {},
): Promise<{ result: INodeCredentialTestResult; sent: object[] }> {
	const sent: object[] = [];
	const request = async (options: object) => {
		sent.push(options);
		if (given instanceof Error) throw given;
		return await Promise.resolve(given);
	};
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const result = await testConnection.call(context, {
		id: '1',
		name: 'Messaging Channel',
		type: 'messagingChannelApi',
		data: { baseUrl: 'https://service.example.com', apiKey: 'secret-key', ...data },
	});
	return { result, sent };
}

const network = (code: string) => Object.assign(new Error('connect failed'), { code });

test('asks for the health of the service with the key, and follows no redirect with it', async () => {
	const { result, sent } = await press(answer(200, healthy));
	expect(result).toEqual({ status: 'OK', message: 'The service is up and accepts the API key.' });
	expect(sent).toEqual([
		expect.objectContaining({
			method: 'GET',
			url: 'https://service.example.com/api/v1/whatsapp/external/health',
			headers: { Authorization: 'Bearer secret-key' },
			followRedirect: false,
		}),
	]);
});

test('is content with a success that is written as a text', async () => {
	expect((await press(answer(200, { ...healthy, success: 'true' }))).result.status).toBe('OK');
});

test.each([
	['a wrong key', answer(401, { success: false, error: 'invalid_api_key' }), 'rejected the API key'],
	['a host without the API', answer(404, 'Not found'), 'No messaging service at this address'],
	['a web page', answer(200, '<h1>Hello</h1>'), 'not in the format of the messaging service'],
	['a redirect', answer(302, ''), 'redirects to another address'],
	['a port on which nothing listens', network('ECONNREFUSED'), 'The connection to the service was refused'],
	['a host that keeps silent', network('ECONNABORTED'), 'did not respond in time'],
	['a broken network of another kind', new Error('odd'), 'could not be reached'],
])('tells of %s in sentences, after one request', async (_, given, words) => {
	const { result, sent } = await press(given);
	expect(result.status).toBe('Error');
	expect(result.message).toContain(words);
	expect(result.message).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
	expect(result.message).not.toContain('run again');
	expect(sent).toHaveLength(1);
});

test('names the button that tests again', async () => {
	const { result } = await press(network('ECONNREFUSED'));
	expect(result.message).toContain("Then press 'Retry'");
});

test.each([
	['a key of spaces', { apiKey: ' \n' }, "The 'API Key' is empty"],
	[
		'an address with a login',
		{ baseUrl: 'https://user:secret@service.example.com' },
		'a user name or password',
	],
	['another path', { baseUrl: 'https://service.example.com/api/v2' }, "ends with '/api/v2'"],
])('tells of %s before anything is sent', async (_, data, words) => {
	const { result, sent } = await press(answer(200, healthy), data);
	expect(result).toEqual({ status: 'Error', message: expect.stringContaining(words) as string });
	expect(result.message).not.toContain('undefined');
	expect(sent).toEqual([]);
});

test('hides the key when whatever answers repeats it', async () => {
	const { result } = await press(answer(400, { error: 'odd', message: 'I got Bearer secret-key' }));
	expect(result.message).toContain('I got Bearer ***');
	expect(result.message).not.toContain('secret-key');
});

test('hides the key as it goes out, without an invisible character that was copied with it', async () => {
	const given = answer(400, { error: 'odd', message: 'I got secret-key' });
	const { result, sent } = await press(given, { apiKey: 'secret-\u200bkey\u200b' });
	expect(sent).toMatchObject([{ headers: { Authorization: 'Bearer secret-key' } }]);
	expect(result.message).toContain('I got ***');
});

test('leaves its own words as they are when the key is a part of them', async () => {
	const { result } = await press(answer(401, { success: false, error: 'invalid_api_key' }), {
		apiKey: 'key',
	});
	expect(result.message).toBe('The service rejected the API key. Enter the key from the account panel.');
});

test.each([new MessagingChannel(), new MessagingChannelTrigger()])('both nodes offer it', (node) => {
	const [credential] = node.description.credentials ?? [];
	expect(credential?.testedBy).toBe('testConnection');
	expect(node.methods.credentialTest.testConnection).toBe(testConnection);
});
