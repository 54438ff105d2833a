import { UserError, type ICredentialDataDecryptedObject, type IHttpRequestOptions } from 'n8n-workflow';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { TRIGGER_PROPERTIES } from '../../../nodes/MessagingChannel/trigger/triggerProperties';

const { authenticate, properties } = new MessagingChannelApi();

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

	test('that leads elsewhere is refused in words', async () => {
		const credential = { baseUrl: 'https://service.example.com/api/v2', apiKey: 'secret-key' };
		const attempt = authenticated({ url: '/health' }, credential);
		await expect(attempt).rejects.toThrow(UserError);
		await expect(attempt).rejects.toThrow("ends with '/api/v2'");
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
		' secret-key',
		'secret-key\n',
		'\u00a0secret-key\t',
		'Bearer secret-key',
		' bearer  secret-key',
	])('is used without what was pasted with it: %j', async (apiKey) => {
		const { headers } = await authenticated(
			{ url: '/health' },
			{ baseUrl: 'https://service.example.com', apiKey },
		);
		expect(headers).toEqual({ Authorization: 'Bearer secret-key' });
	});

	test('is used as it is if the word is a part of it', async () => {
		const { headers } = await authenticated(
			{ url: '/health' },
			{ baseUrl: 'https://service.example.com', apiKey: 'the Bearer key' },
		);
		expect(headers).toEqual({ Authorization: 'Bearer the Bearer key' });
	});

	test('is empty until the user enters one', async () => {
		const { headers } = await authenticated({ url: '/health' }, { baseUrl: 'https://service.example.com' });
		expect(headers).toEqual({ Authorization: 'Bearer ' });
	});

	test('is not left on the request that was handed in', async () => {
		const before = structuredClone(request);
		await authenticated(request);
		expect(request).toEqual(before);
	});
});

describe('the form', () => {
	const named = (name: string) => properties.find((property) => property.name === name);

	test.each(['apiKey', 'signingSecret'])('hides %s', (name) => {
		expect(named(name)?.typeOptions?.password).toBe(true);
	});

	test('shows the address', () => {
		expect(named('baseUrl')?.typeOptions?.password).toBeUndefined();
	});

	test('requires what every call needs, and not the secret that only the trigger needs', () => {
		expect(properties.filter(({ required }) => required).map(({ name }) => name)).toEqual([
			'baseUrl',
			'apiKey',
		]);
	});
});

describe('the signing secret', () => {
	test('has a hint that says who needs it, and who does not', () => {
		const { hint } = properties.find(({ name }) => name === 'signingSecret') ?? {};
		expect(hint).toContain('Needed by the trigger');
		expect(hint).toContain("except with 'Polling'");
	});

	test('is in the notice of the trigger, which is hidden with polling', () => {
		const notice = TRIGGER_PROPERTIES.find(({ type }) => type === 'notice');
		expect(notice?.displayName).toContain('The credential needs the signing secret.');
		expect(notice?.displayOptions).toEqual({ hide: { listen: ['poll'] } });
	});
});
