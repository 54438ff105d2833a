import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';

const { authenticate } = new MessagingChannelApi();

async function authenticated(
	request: IHttpRequestOptions,
	credential: ICredentialDataDecryptedObject = {
		baseUrl: 'https://service.example.com',
		apiKey: 'secret-key',
	},
): Promise<IHttpRequestOptions> {
	return await authenticate(credential, request);
}

describe('the base URL', () => {
	test('is made whole and put before the path', async () => {
		expect(await authenticated({ url: '/health' })).toMatchObject({
			baseURL: 'https://service.example.com/api/v1/whatsapp/external',
			url: '/health',
		});
	});

	test('is not put before a whole address', async () => {
		const request = { url: 'https://other.example.com/file' };
		expect(await authenticated(request)).not.toHaveProperty('baseURL');
	});

	test('is not put before the address of an HTTP Request node, which it calls uri', async () => {
		const request = { uri: 'https://service.example.com/file' } as unknown as IHttpRequestOptions;
		const headers = { Authorization: 'Bearer secret-key' };
		expect(await authenticated(request)).toEqual({ ...request, headers });
	});
});

describe('the API key', () => {
	const request: IHttpRequestOptions = {
		method: 'POST',
		url: '/messages/send',
		qs: { page: 1 },
		body: { to: '905551234567' },
		headers: { 'content-type': 'application/json' },
	};

	test('goes into the header and nowhere else', async () => {
		const { headers, ...rest } = await authenticated(request);
		expect(headers).toEqual({
			'content-type': 'application/json',
			Authorization: 'Bearer secret-key',
		});
		expect(JSON.stringify(rest)).not.toContain('secret-key');
		expect(rest).toEqual({
			method: 'POST',
			url: '/messages/send',
			baseURL: 'https://service.example.com/api/v1/whatsapp/external',
			qs: { page: 1 },
			body: { to: '905551234567' },
		});
	});

	test.each([
		[' secret-key\n', 'secret-key'],
		[' bearer  secret-key', 'secret-key'],
		['the Bearer key', 'the Bearer key'],
	])('is used without what was pasted with it: %j', async (apiKey, used) => {
		const { headers } = await authenticated(
			{ url: '/health' },
			{ baseUrl: 'https://service.example.com', apiKey },
		);
		expect(headers).toEqual({ Authorization: `Bearer ${used}` });
	});

	test('is not left on the request that was handed in', async () => {
		const before = structuredClone(request);
		await authenticated(request);
		expect(request).toEqual(before);
	});
});
