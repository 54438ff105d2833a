import { callerOf, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);

type Records = Array<Record<string, unknown>>;

describe('page based lists', () => {
	test('pages cover every contact once, in the asked order', async () => {
		const contacts = Array.from({ length: 25 }, (_item, index) => ({
			phone: `90555${1000000 + index}`,
			name: `Contact ${String(index).padStart(2, '0')}`,
			tags: index % 2 ? ['odd'] : ['even', 'all'],
		}));
		await service.control.seed({ contacts });
		const names: unknown[] = [];
		for (const page of [1, 2, 3]) {
			const { body } = await call('GET', `/contacts?page=${page}&limit=10&sort_by=name&sort_order=asc`);
			expect(body.pagination).toEqual({ page, limit: 10, total: 25 });
			names.push(...(body.data as Records).map(({ name }) => name));
		}
		expect(names).toEqual(contacts.map(({ name }) => name));
	});

	test.each([
		[false, [0, 1, 2, 3], [4, 5, 6, 7]],
		[true, [0, 1, 2, 3], [10, 11, 12, 13]],
	])('can have short pages that tell the limit asked for; skipping: %p', async (skips, first, second) => {
		const phones = Array.from({ length: 25 }, (_item, index) => `90555${1000000 + index}`);
		await service.control.seed({ contacts: phones.map((phone) => ({ phone })) });
		await service.control.configure({ shortPages: { length: first.length, skips } });

		for (const [page, places] of [first, second].entries()) {
			const path = `/contacts?page=${page + 1}&limit=10&sort_by=phone&sort_order=asc`;
			const { body } = await call('GET', path);
			expect(body.pagination).toEqual({ page: page + 1, limit: 10, total: 25 });
			expect((body.data as Records).map(({ phone }) => phone)).toEqual(places.map((at) => phones[at]));
		}
	});

	test.each([
		[7, [7, 7]],
		['of the page', [10, 5]],
	] as const)('can count otherwise: %s', async (listTotal, totals) => {
		const phones = Array.from({ length: 15 }, (_item, index) => `90555${1000000 + index}`);
		await service.control.seed({ contacts: phones.map((phone) => ({ phone })) });
		await service.control.configure({ listTotal });

		for (const [page, total] of totals.entries()) {
			const { body } = await call('GET', `/contacts?page=${page + 1}&limit=10`);
			expect(body.pagination).toEqual({ page: page + 1, limit: 10, total });
		}
	});

	test('filters by search, tags and channel user', async () => {
		await service.control.seed({
			contacts: [
				{ phone: '905551110001', name: 'Ada', tags: ['vip'] },
				{ phone: '905551110002', name: 'Bob', tags: ['new'], is_channel_user: false },
			],
		});
		const names = async (query: string) =>
			((await call('GET', `/contacts?${query}`)).body.data as Records).map(({ name }) => name);
		expect(await names('search=ad')).toEqual(['Ada']);
		expect(await names('search=0002')).toEqual(['Bob']);
		expect(await names('tags=new,other')).toEqual(['Bob']);
		expect(await names('is_channel_user=true')).toEqual(['Ada']);
	});
});

test.each([
	[{ hides: 1 }, ['4', '2']],
	[{ most: 2 }, ['4', '3']],
])('a page of messages can lack some: %j', async (chatPages, shown) => {
	const messages = ['1', '2', '3', '4'].map((body) => ({ chatId: '905551112233@c.us', body }));
	await service.control.seed({ messages });
	await service.control.configure({ chatPages });
	const bodies = async (limit: number) =>
		((await call('GET', `/chats/905551112233@c.us/messages?limit=${limit}`)).body.data as Records).map(
			({ body }) => body,
		);

	expect(await bodies(3)).toEqual(shown);
	// Only a full page hides one.
	expect(await bodies(50)).toEqual('hides' in chatPages ? ['4', '3', '2', '1'] : shown);
});

describe('the cursor of chat messages', () => {
	const chatId = '905551112233@c.us';
	const start = Date.UTC(2026, 0, 1) / 1000;

	test('pages run from newest to oldest and only hold messages older than the cursor', async () => {
		const messages = Array.from({ length: 30 }, (_item, index) => ({
			chatId,
			body: `message ${index}`,
			timestamp: start + index,
		}));
		await service.control.seed({ messages });
		const seen: unknown[] = [];
		for (let before = ''; ;) {
			const { body } = await call('GET', `/chats/${chatId}/messages?limit=12${before}`);
			const page = body.data as Records;
			if (page.length === 0) break;
			seen.push(...page.map((message) => message.body));
			before = `&before=${new Date(Number(page.at(-1)?.timestamp) * 1000).toISOString()}`;
		}
		expect(seen).toEqual(messages.map(({ body }) => body).reverse());
	});

	test('raw data and the download link come by default and can be left out', async () => {
		await service.control.incomingMessage({
			from: chatId,
			media: { mimetype: 'text/plain', filename: 'a.txt', base64: 'aGVsbG8=' },
		});
		const { body: full } = await call('GET', `/chats/${chatId}/messages`);
		const [message] = full.data as Array<{ raw: object; media: { presigned_url: string } }>;
		expect(message?.raw).toBeDefined();
		expect(await (await fetch(message?.media.presigned_url ?? '')).text()).toBe('hello');
		await service.control.setClock({ offsetMs: 60 * 60 * 1000 });
		expect((await fetch(message?.media.presigned_url ?? '')).status).toBe(404);

		const { body: bare } = await call(
			'GET',
			`/chats/${chatId}/messages?include_raw=false&include_presigned_url=false`,
		);
		const [plain] = bare.data as Array<{ raw?: object; media: object }>;
		expect(plain).not.toHaveProperty('raw');
		expect(plain?.media).not.toHaveProperty('presigned_url');
	});
});

describe('the rate limit', () => {
	test('counts down, refuses with 429 and opens again with the next window', async () => {
		const begun = Date.now();
		await service.control.setClock({ stoppedAtMs: begun });
		await service.control.setRateLimit({ limit: 2, windowSeconds: 0.3 });
		const [first, second, third] = [
			await call('GET', '/health'),
			await call('GET', '/health'),
			await call('GET', '/health'),
		];
		expect([first, second, third].map(({ status }) => status)).toEqual([200, 200, 429]);
		expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
		expect(third.body).toMatchObject({ error: 'rate_limit_exceeded' });
		const reset = Number(third.headers.get('x-ratelimit-reset')) * 1000;
		expect(reset).toBeGreaterThanOrEqual(begun + 300);
		expect(reset).toBeLessThan(begun + 1300);
		await service.control.setClock({ stoppedAtMs: begun + 299 });
		expect((await call('GET', '/health')).status).toBe(429);
		await service.control.setClock({ stoppedAtMs: begun + 300 });
		expect((await call('GET', '/health')).status).toBe(200);
	});

	test('follows the service clock', async () => {
		const begun = Date.now();
		await service.control.setClock({ stoppedAtMs: begun });
		await service.control.setRateLimit({ limit: 1, windowSeconds: 60 });
		expect((await call('GET', '/health')).status).toBe(200);
		expect((await call('GET', '/health')).status).toBe(429);
		await service.control.setClock({ stoppedAtMs: begun + 61_000 });
		const answer = await call('GET', '/messages/rate-limit');
		expect(answer.body.data).toMatchObject({ limit: 1, remaining: 0, window: '1m' });
		const { reset_at } = answer.body.data as { reset_at: string };
		expect(Date.parse(reset_at)).toBe(begun + 120_000);
	});

	test('can be kept quiet, and then tells in Retry-After when to come again', async () => {
		await service.control.setRateLimit({ limit: 1, windowSeconds: 60 });
		await service.control.configure({ rateLimitHeaders: false, retryAfter: 'seconds' });
		expect((await call('GET', '/health')).headers.get('retry-after')).toBeNull();
		const inSeconds = await call('GET', '/health');
		await service.control.configure({ retryAfter: 'date' });
		const asDate = await call('GET', '/health');

		expect([inSeconds.status, asDate.status]).toEqual([429, 429]);
		expect([...inSeconds.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
		expect(Number(inSeconds.headers.get('retry-after'))).toBeGreaterThan(50);
		expect(Number(inSeconds.headers.get('retry-after'))).toBeLessThanOrEqual(60);
		const until = Date.parse(asDate.headers.get('retry-after') ?? '');
		expect(until - Date.parse(asDate.headers.get('date') ?? '')).toBeGreaterThan(50_000);
	});

	test('is told by a clock that stands in Date, also in an answer that a fault makes', async () => {
		const offsetMs = -3_600_000;
		await service.control.setClock({ offsetMs });
		await service.control.addFault({ kind: 'status', status: 503 });
		for (const { headers } of [await call('GET', '/health'), await call('GET', '/health')]) {
			const date = Date.parse(headers.get('date') ?? '');
			expect(Math.abs(date - offsetMs - Date.now())).toBeLessThan(60_000);
			expect(Number(headers.get('x-ratelimit-reset')) * 1000 - date).toBeLessThanOrEqual(61_000);
		}
	});
});
