import { request } from 'node:http';

import { startService, type Service } from '../support/service/service';

let service: Service;

beforeAll(async () => {
	service = await startService();
});
beforeEach(async () => await service.control.reset());
afterAll(async () => await service.stop());

/** What a browser sends for a page, and the answer. */
async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
	return await new Promise<{ status?: number; body: unknown }>((resolve, reject) => {
		const sent = request(service.origin + path, { method: 'POST', headers }, (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('end', () =>
				resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }),
			);
		});
		sent.on('error', reject);
		sent.end(JSON.stringify(body));
	});
}

const accountStatus = async () => (await service.control.setAccount({})).status;

test.each([
	['a page of another site', { origin: 'https://evil.example.com' }],
	['a file that was opened in a sandbox', { origin: 'null' }],
	['a name that leads to this machine', { host: 'evil.example.com' }],
])('%s cannot use the controls', async (_, headers) => {
	expect(await post('/control/setAccount', { status: 'banned' }, headers)).toMatchObject({ status: 403 });
	expect(await accountStatus()).toBe('connected');
});

test('the phone page can use the controls', async () => {
	const headers = { origin: service.origin };
	expect(await post('/control/setAccount', { status: 'disconnected' }, headers)).toMatchObject({
		status: 200,
	});
	expect(await accountStatus()).toBe('disconnected');
});

test.each(['/control/constructor', '/control/__proto__', '/control/toString', '/control/nothing'])(
	'there is no control %s',
	async (path) => {
		expect(await post(path, {})).toEqual({ status: 404, body: { error: 'There is no such method.' } });
	},
);

test('what the controls cannot take is refused in words', async () => {
	expect(await post('/control/incomingMessage', { from: 'nobody' })).toEqual({
		status: 400,
		body: { error: 'nobody is neither a phone number nor a chat id.' },
	});
	const huge = { from: '905551112233', body: 'x'.repeat(65 * 1024 * 1024) };
	expect(await post('/control/incomingMessage', huge)).toEqual({
		status: 413,
		body: { error: 'request entity too large' },
	});
});

test.each(['constructor', '__proto__', '..%2fphonePage.ts', 'phonePage.ts'])(
	'there is no file %s',
	async (file) => {
		expect((await fetch(`${service.origin}/phone/${file}`)).status).toBe(404);
	},
);
