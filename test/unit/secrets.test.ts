import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSecretWatch, type SecretWatch } from '../support/secrets/watch';
import { startService, type Service } from '../support/service/service';

const apiKey = 'key-0123456789+/="&%\\~';
const signingSecret = 'ab12'.repeat(16);

let watch: SecretWatch;

beforeEach(() => {
	watch = createSecretWatch();
	watch.enter('messagingChannelApi', { apiKey, signingSecret });
});

/** What the watch has to say. */
function conclusion(): string {
	try {
		watch.conclude();
		return '';
	} catch (error) {
		return (error as Error).message;
	}
}

describe('a secret is found', () => {
	const json = JSON.stringify({ headers: { Authorization: `Bearer ${apiKey}` } });
	const base64 = (before: string) => Buffer.from(`${before}${apiKey}…`).toString('base64');

	test.each([
		['as it is', `Error: ${apiKey} is wrong`],
		['in JSON', json],
		['in JSON that is a text in JSON', JSON.stringify({ body: json })],
		['in a URL', `https://service.example/?key=${encodeURIComponent(apiKey)}`],
		['in a form', String(new URLSearchParams({ to: '1', key: apiKey }))],
		['in hexadecimal digits', Buffer.from(`Bearer ${apiKey}`).toString('hex')],
		['in base64', base64('')],
		['in base64, a byte later', base64('x')],
		['in the base64 of URLs', Buffer.from(`?${apiKey}?`).toString('base64url')],
	])('%s, and the report does not repeat it', (_, text) => {
		watch.look('the log', `before ${text} after`);
		expect(conclusion()).toMatch(/^The API key is in the log \(.+\): .*before.*\[API key\].*after$/);
		expect(conclusion()).not.toContain(apiKey);
	});

	test('as a text of two bytes per letter, in a file', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
		writeFileSync(join(folder, 'database.sqlite'), Buffer.from(`x${signingSecret}x`, 'utf16le'));
		await watch.lookAtFiles(folder);
		rmSync(folder, { recursive: true });
		expect(conclusion()).toMatch(/^The signing secret is in the file .*database\.sqlite \(UTF-16\)/);
	});
});

describe('a request to the service', () => {
	let service: Service;

	beforeEach(async () => {
		service = await startService({ apiKey, onRequest: (request) => watch.lookAtRequest(request) });
	});
	afterEach(async () => await service.stop());

	const send = async (headers: Record<string, string>, query = '') =>
		await fetch(`${service.baseUrl}/messages/send${query}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify({ to: '905551234567', message: 'Hello' }),
		});

	test('may have the key in its header Authorization, and is answered', async () => {
		expect((await send({ authorization: `Bearer ${apiKey}` })).status).toBe(202);
		expect(conclusion()).toBe('');
	});

	test.each([
		['its header x-key', { 'x-key': apiKey }, ''],
		['its header Authorization', { Authorization: `Bearer ${signingSecret}` }, ''],
		['its header authorization', { authorization: `Bearer ${apiKey} ${apiKey}` }, ''],
		['its URL', {}, `?key=${encodeURIComponent(apiKey)}`],
	])('may not have a secret in %s', async (place, headers, query) => {
		await send(headers, query);
		expect(conclusion().toLowerCase()).toContain(`/messages/send, ${place.toLowerCase()} (`);
	});
});
