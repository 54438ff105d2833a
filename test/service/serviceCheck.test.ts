import omit from 'lodash/omit';
import set from 'lodash/set';
import unset from 'lodash/unset';

import { checkService } from '../support/serviceCheck/checkService';
import { reportFor } from '../support/serviceCheck/reportFor';
import { createService, type Answer, type Asked, type Service } from '../support/serviceCheck/service';
import type { Dialect } from '../support/service/core/dialects';
import { permissions } from '../support/service/core/records';
import { documentedOperations } from '../support/service/core/documentedOperations';
import { callerOf, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);
const NUMBERS = ['905551112233', '905551112244'];
const SECRETS = ['Ada Lovelace', 'secret', 'Hidden', 'crm.example.com', ...NUMBERS];

const READS = documentedOperations.filter(({ method }) => method === 'GET');

/** Fills an account with something of everything. */
async function fillAccount(): Promise<void> {
	const { control } = service;
	const chat = `${NUMBERS[0]}@c.us`;
	await control.configure({
		redelivery: { maxAttempts: 1, backoffMs: 1 },
		sendDelay: { minMs: 0, maxMs: 0 },
	});
	await control.seed({
		chats: [
			{ id: '120363000000000000@g.us', name: 'Hidden' },
			{ id: chat, name: 'Ada Lovelace' },
		],
		contacts: NUMBERS.map((phone) => ({ phone, name: 'Ada Lovelace', tags: ['Hidden'] })),
		groups: [{ name: 'Hidden' }],
		tags: [{ name: 'Hidden' }],
		templates: [{ name: 'Hidden', content: 'Hi {{secret}}', variables: ['secret'] }],
		messages: [1, 2, 3].map((minute) => ({
			chatId: chat,
			body: 'secret',
			timestamp: 1_790_000_000 + minute * 60,
			...(minute < 3 && { media: { mimetype: 'image/png', bytes: 10 } }),
		})),
	});
	const url = 'https://crm.example.com/in';
	await control.setWebhook({
		config: { url, events: ['message.sent'], is_active: true, timeout_seconds: 30 },
	});
	const texts = { name: 'Hidden', message: 'secret', variables: { secret: 'secret' } };
	const rule = { name: 'Hidden', trigger_type: 'keyword', trigger_value: 'secret', reply: 'secret' };
	for (const to of NUMBERS) {
		await call('POST', '/auto-replies', rule);
		await call('POST', '/messages/broadcast', { ...texts, recipients: [to] });
		await call('POST', '/messages/schedule', { to, message: 'secret', scheduled_at: '2031-01-01T00:00:00Z' });
	}
	await control.idle();
	await control.clearRequests();
}

/** What a check with numbers makes beside sends; it takes back what it made. */
const OTHER_WRITES = ['scheduledMessage', 'broadcast', 'autoReply'].flatMap((resource) =>
	['create', 'update', resource === 'autoReply' ? 'delete' : 'cancel']
		.filter((operation) => `${resource}.${operation}` !== 'broadcast.update')
		.map((operation) => `${resource}.${operation}`),
);

beforeEach(fillAccount);

const check = async (...more: string[]) =>
	await reportFor(['--base-url', service.baseUrl, '--key', service.apiKey, ...more], () => undefined);
const SENDS = NUMBERS.flatMap((number) => ['--send-to', number]);

/** What a part of the report names: calls with places. */
function namedIn(report: string, heading: string): string[] {
	const [, part = ''] = report.split(`## ${heading}\n`);
	return [...(part.split('\n## ')[0] ?? '').matchAll(/^- ([^:]+):(?: `([^`]+)`)?/gm)].map(([, ...names]) =>
		names.join(' ').trim(),
	);
}

/** Sees that no value of the account is in a report. */
function expectNothingSecret(report: string): void {
	for (const secret of [...SECRETS, service.apiKey, new URL(service.origin).port])
		expect(report).not.toContain(secret);
}

test('a service as described has no differences, and each send reaches the given numbers only', async () => {
	const report = await check(...SENDS);
	expect([namedIn(report, 'Differences'), namedIn(report, 'Not compared')]).toEqual([[], []]);
	expectNothingSecret(report);
	const accepted = await service.control.accepted();
	expect(new Set(accepted.slice(4).map(({ to }) => to))).toEqual(
		new Set(NUMBERS.map((number) => `${number}@c.us`)),
	);
	const made = await service.control.requests();
	expect(made.length).toBeLessThan(70);
	const writes = made.flatMap(({ method, operationId }) => (method === 'GET' ? [] : [operationId]));
	const sends = documentedOperations.filter(({ operationId }) => /\.send/.test(operationId));
	expect(new Set(writes)).toEqual(
		new Set([...sends.map(({ operationId }) => operationId), 'message.validate', ...OTHER_WRITES]),
	);
	expect((await call('GET', '/auto-replies')).body.data).toHaveLength(2);
});

test('without numbers, it makes every read and nothing else', async () => {
	await check();
	const made = await service.control.requests();
	expect(made.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId)).toEqual([
		'message.validate',
	]);
	expect(new Set(made.map(({ operationId }) => operationId)).size).toBe(READS.length + 1);
});

const TIMES = ['chat.getAll data[].last_message_at', 'chat.getMessages data[].timestamp'];
const FLAGS = ['from_me', 'has_media'].map((name) => `chat.getMessages data[].${name}`);
const PHONES = ['contact.getAll data[].phone', 'contact.get data.phone', 'contact.check phone'];

test.each<[Dialect, string[]]>([
	['numbers', [...TIMES, ...FLAGS, ...PHONES, 'chat.getMessages data[].id', 'webhook.get data.is_active']],
	['database', [...TIMES, ...PHONES, 'chat.getAll data[].type']],
	['pages', ['chat.getAll pagination']],
	['unreadable', [...TIMES, ...FLAGS, 'webhook.get data.is_active', 'webhook.get data.events']],
])('the dialect %s differs in what it writes otherwise', async (dialect, named) => {
	await service.control.configure({ dialect });
	const report = await check();
	expect(namedIn(report, 'Differences').sort()).toEqual(named.sort());
	expectNothingSecret(report);
});

/** A service that is asked, or answers, in another way. */
function changed(
	{ ask = (asked) => asked, answer = (given) => given }: Changes,
	isHit: (asked: Asked) => boolean = () => true,
): Service {
	const real = createService(service.baseUrl, service.apiKey, () => undefined);
	return {
		...real,
		ask: async (asked) => {
			if (!isHit(asked)) return await real.ask(asked);
			const given = await real.ask(ask(asked));
			return given && given.status < 300 ? answer({ ...given, headers: new Headers(given.headers) }) : given;
		},
	};
}

interface Changes {
	ask?: (asked: Asked) => Asked;
	answer?: (given: Answer) => Answer | undefined;
}

type Wrong = [call: string, where: string, changes: Changes];

const answering = (change: (given: Answer) => unknown): Changes => ({
	answer: (given) => {
		change(given);
		return given;
	},
});
const put = (call: string, path: string, value: unknown): Wrong => [
	call,
	path.replace(/\[\d\]/g, '[]'),
	answering(({ body }) => set(body as object, path, value)),
];
const withStatus = (call: string, where: string, status: number): Wrong => [
	call,
	where,
	answering((given) =>
		Object.assign(given, { status, body: { success: false, error: 'odd', message: 'Ada' } }),
	),
];
const without = (call: string, name: string): Wrong => [
	call,
	`query ${name}`,
	{ ask: ({ query, ...asked }) => ({ ...asked, query: omit(query, name) }) },
];

test.each<Wrong>([
	put('account.get', 'data.name', { odd: 1 }),
	put('message.getQueue', 'data.waiting', 'odd'),
	put('contact.getAll', 'data[0].is_channel_user', 'odd'),
	put('template.get', 'data.name', null),
	put('account.getHealth', 'timestamp', '03/02/2031'),
	put('chat.getAll', 'data[0].type', 'odd'),
	put('webhook.get', 'data.odd', 'Ada'),
	put('broadcast.create', 'data.total', 'odd'),
	['template.get', 'data.content', answering(({ body }) => unset(body, 'data.content'))],
	[
		'group.getAll',
		'header X-RateLimit-Limit',
		answering(({ headers }) => headers.delete('x-ratelimit-limit')),
	],
	...[302, 404].map((status) => withStatus('group.getAll', 'status', status)),
	withStatus('group.getAll', 'not compared', 403),
	['group.getAll', 'the answer', { answer: () => undefined }],
	...['limit', 'page'].map((name) => without('scheduledMessage.getAll', name)),
	...['limit', 'before', 'include_raw', 'include_presigned_url'].map((name) =>
		without('chat.getMessages', name),
	),
	put('broadcast.getAll', 'pagination.limit', 50),
	put('broadcast.getAll', 'pagination.page', 0),
])(
	'a service that is wrong in one way is named, and nothing else is: %s, %s',
	async (call, where, changes) => {
		const { method, path } = documentedOperations.find(({ operationId }) => operationId === call) ?? {};
		const pattern = new RegExp(`^${path?.replace(/\{\w+\}/g, '[^/]+')}$`);
		const isHit = (asked: Asked) => asked.method === method && pattern.test(asked.path);

		const found = await checkService(changed(changes, isHit), call === 'broadcast.create' ? NUMBERS : []);

		const isCompared = where !== 'not compared';
		const named = found?.differences.map((each) => `${each.call} ${each.where}`);
		expect(named).toEqual(isCompared ? [`${call} ${where}`] : []);
		if (!isCompared) expect(found?.notCompared.map(([of]) => of)).toContain(call);
		expectNothingSecret(JSON.stringify([found?.differences, found?.notCompared]));
	},
);

test('a rule that a service takes all the same is deleted', async () => {
	const ask = ({ body, ...asked }: Asked) => ({
		...asked,
		body: body && 'trigger_type' in body ? { ...body, trigger_type: 'keyword' } : body,
	});
	const found = await checkService(changed({ ask }), NUMBERS);
	expect(found?.differences).toEqual([
		{ call: 'autoReply.create', where: 'status', what: 'is 201 instead of 400' },
	]);
	expect((await call('GET', '/auto-replies')).body.data).toHaveLength(2);
});

test('it waits for the rate limit rather than exceed it', async () => {
	await service.control.setRateLimit({ limit: 20, windowSeconds: 1 });
	expect(namedIn(await check(), 'Differences')).toEqual([]);
	expect((await service.control.requests()).filter(({ status }) => status === 429)).toEqual([]);
});

test('a key without permissions compares what it may read', async () => {
	const { apiKey } = await service.control.createKey({
		permissions: permissions.filter((each) => each !== 'chats:read'),
	});
	const report = await check('--key', apiKey);
	expect(namedIn(report, 'Differences')).toEqual([]);
	expect(report).toContain("contact.getAll: the key lacks the permission 'chats:read'");
});

test.each([
	[['--key', 'key'], 'The base URL of the service is missing: --base-url https://…'],
	[
		['--base-url', 'https://service.example.com', '--key', 'key', '--send-to', '0555 111'],
		'--send-to takes phone numbers with their country code, such as 905551112233.',
	],
	[
		['--base-url', 'http://127.0.0.1:9', '--key', 'key'],
		'Nothing was compared: the service did not answer, or refused the API key.',
	],
])('refuses %j in a sentence', async (args, sentence) => {
	await expect(reportFor(args, () => undefined)).rejects.toThrow(sentence);
});
