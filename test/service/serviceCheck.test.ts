import { checkService } from '../support/serviceCheck/checkService';
import { reportFor } from '../support/serviceCheck/reportFor';
import { createService } from '../support/serviceCheck/service';
import { createRandom } from '../support/service/core/random';
import type { Dialect } from '../support/service/core/dialects';
import { permissions } from '../support/service/core/records';
import { documentedOperations } from '../support/service/documentedOperations';
import { callerOf, useService } from '../support/service/testing';
import { drawn, fillAccount, startWrongService, wrongServices, type Wrong } from '../support/wrongServices';

const service = useService();
const call = callerOf(() => service);
let gateway: Awaited<ReturnType<typeof startWrongService>>;
beforeAll(async () => void (gateway = await startWrongService(service.origin)));
afterAll(async () => await gateway.stop());

/** Draws other services; the same ones without. */
const SEED = Number(process.env.SERVICE_CHECK_SEED ?? 57);
const NUMBERS = ['905551112233', '905551112244'];
const SECRETS = ['Ada Lovelace', 'secret', 'Hidden', 'crm.example.com', ...NUMBERS];

const READS = documentedOperations().filter(({ method }) => method === 'GET');

beforeEach(async () => {
	gateway.be(undefined);
	await fillAccount(service, NUMBERS);
});

const check = async (...more: string[]) =>
	await reportFor(['--base-url', gateway.baseUrl, '--key', service.apiKey, ...more], () => undefined);
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
	const writes = made.filter(
		({ method, operationId }) => method !== 'GET' && operationId !== 'message.validate',
	);
	const sends = [
		'message.send',
		'message.send',
		'media.send',
		'media.sendImage',
		'media.sendDocument',
		'media.sendAudio',
		'media.sendVoice',
		'media.sendSticker',
		'template.send',
	];
	const others = [
		'scheduledMessage.create',
		'scheduledMessage.update',
		'scheduledMessage.cancel',
		'broadcast.create',
		'broadcast.cancel',
		'autoReply.create',
		'autoReply.update',
		'autoReply.delete',
	];
	expect(writes.map(({ operationId }) => operationId)).toEqual([...sends, ...others]);
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
const COUNTS = ['waiting', 'active', 'failed', 'delayed'].map((name) => `message.getQueue data.${name}`);
const PAGES = ['contact', 'scheduledMessage', 'broadcast'].flatMap((each) =>
	['limit', 'total'].map((name) => `${each}.getAll pagination.${name}`),
);
const CAMPAIGNS = ['getAll data[]', 'get data', 'getProgress data'].flatMap((each) =>
	['total', 'failed'].map((name) => `broadcast.${each}.${name}`),
);

test.each<[Dialect, string[]]>([
	['documented', []],
	['numbers', [...TIMES, ...FLAGS, ...PHONES, 'chat.getMessages data[].id', 'webhook.get data.is_active']],
	[
		'texts',
		[
			...TIMES,
			...FLAGS,
			...COUNTS,
			...PAGES,
			...CAMPAIGNS,
			'message.getRateLimit data.limit',
			'webhook.get data.is_active',
		],
	],
	['database', [...TIMES, ...PHONES, 'chat.getAll data[].type']],
	['pages', ['chat.getAll pagination']],
	['unreadable', [...TIMES, ...FLAGS, 'webhook.get data.is_active', 'webhook.get data.events']],
])('the dialect %s differs in what it writes otherwise', async (dialect, named) => {
	await service.control.configure({ dialect });
	const report = await check();
	expect(namedIn(report, 'Differences').sort()).toEqual(named.sort());
	expectNothingSecret(report);
});

/** Sees that a service is named by its one wrong way, and by nothing else. */
async function expectNamed(wrong: Wrong): Promise<void> {
	gateway.be(wrong);
	const report = await check(...SENDS);
	const differences = namedIn(report, 'Differences');
	const others = namedIn(report, 'Not compared');
	const all = [...differences, ...others.map((each) => `${each} not compared`)];
	expect({ wrong, differences, report }).toEqual({
		wrong,
		report,
		differences: wrong.named.endsWith('not compared') ? [] : [wrong.named],
	});
	expect(all).toContain(wrong.named);
	expectNothingSecret(report);
}

test('thirty services, each wrong in one way, are named, and nothing else is', async () => {
	await check(...SENDS);
	const wrongs = drawn(wrongServices(gateway.samples), 30, createRandom(SEED));
	for (const wrong of wrongs) await expectNamed(wrong);
});

test('a rule that a service takes all the same is deleted, and a file of JSON is no wrong answer', async () => {
	const [file] = [
		{
			chatId: `${NUMBERS[0]}@c.us`,
			body: '',
			timestamp: 1_795_000_000,
			media: { mimetype: 'application/json' },
		},
	];
	await service.control.seed({ messages: [file] });
	const real = createService(gateway.baseUrl, service.apiKey, () => undefined);
	const found = await checkService(
		{
			...real,
			ask: async ({ body, ...asked }) =>
				await real.ask({
					...asked,
					body: body && 'trigger_type' in body ? { ...body, trigger_type: 'keyword' } : body,
				}),
		},
		NUMBERS,
	);
	expect(found?.differences).toEqual([
		{ call: 'autoReply.create', where: 'status', what: 'is 201 instead of 400' },
	]);
	expect((await call('GET', '/auto-replies')).body.data).toHaveLength(2);
});

test('a header that all calls lack is told once', async () => {
	gateway.be({
		named: '',
		operationId: undefined,
		answer: ({ headers }) => delete headers['x-ratelimit-reset'],
	});
	expect(namedIn(await check(), 'Differences')).toEqual(['every call header X-RateLimit-Reset']);
});

test('it waits for the rate limit rather than exceed it', async () => {
	await service.control.setRateLimit({ limit: 20, windowSeconds: 1 });
	expect(namedIn(await check(), 'Differences')).toEqual([]);
	expect((await service.control.requests()).filter(({ status }) => status === 429)).toEqual([]);
});

test('the key can be pasted with the word before it in the header', async () => {
	expect(await check('--key', `Bearer ${service.apiKey}`)).toContain('## Differences');
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
	[['--base-url', 'https://service.example.com'], 'The API key is missing: --key …'],
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
