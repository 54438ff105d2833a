import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import { accountAt } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import {
	changeSubscribers,
	QueryDropped,
	WebhookKeepsChanging,
} from '../../../../nodes/MessagingChannel/trigger/activation/registration';
import { areOfOneN8n } from '../../../../nodes/MessagingChannel/webhook/triggerUrl';
import { readWebhookState, type WebhookState } from '../../../../nodes/MessagingChannel/webhook/webhookState';
import {
	registrationOf,
	TooManySubscribers,
	withoutQuery,
} from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import {
	withoutSubscriber,
	withSubscriber,
	type Registration,
	type Subscriber,
	type Subscribers,
} from '../../../../nodes/MessagingChannel/webhook/subscribers';

interface Config {
	url: string;
	events: string[];
	is_active: boolean;
	timeout_seconds: number;
	updated_at?: string;
}

const SECRET = 'a-signing-secret';
const NOW = Date.UTC(2030, 0, 31, 9);
beforeAll(() => void jest.spyOn(clock, 'now').mockReturnValue(NOW));
afterAll(() => jest.restoreAllMocks());

const configOf = ({ url, events, timeoutSeconds }: Registration): Config => ({
	url,
	events: [...events],
	is_active: true,
	timeout_seconds: timeoutSeconds,
});

/** The account's webhook alone, and what was done to it. */
function account(config?: Config, stored: (config: Config) => Config = (set) => set) {
	const done: string[] = [];
	const state: { config?: Config; failure?: ApiError } = { config };
	const client = {
		call: async ({ endpoint, parameters }: Parameters<Client['call']>[0]) => {
			done.push(endpoint.method);
			if (state.failure) throw state.failure;
			if (endpoint.method === 'GET') {
				if (state.config) return { success: true, data: state.config };
				throw apiError(404);
			}
			if (endpoint.method === 'DELETE' && state.config) state.config = { ...state.config, is_active: false };
			if (endpoint.method === 'POST') state.config = stored(configOf(parameters as unknown as Registration));
			return { success: true };
		},
	} as unknown as Client;
	const access = { client, account: accountAt('account'), secret: SECRET };
	const change = async (to: (state: WebhookState) => Subscribers | undefined, restored?: Registration) =>
		(
			await changeSubscribers(
				access,
				async (before) => await Promise.resolve({ found: undefined, wanted: to(before), restored }),
			)
		).change;
	return { access, client, done, state, change };
}

const apiError = (httpStatus: number) => {
	const code = httpStatus === 404 ? 'not_found' : 'internal_error';
	return new ApiError({ message: '', description: '', code, httpStatus, hasOwnCode: true });
};

const workflow = (name: string, more: Partial<Subscriber> = {}): Subscriber => ({
	url: `https://n8n.example.com/webhook/${name}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
	...more,
});
const first = workflow('first');
const second = workflow('second', { events: ['message.sent'], timeoutSeconds: 40 });
const foreign: Registration = {
	url: 'https://other.example.com/hook?token=1',
	events: ['message.sent'],
	timeoutSeconds: 9,
};
const shared = (...subscribers: Subscribers) => configOf(registrationOf(subscribers, SECRET));
const add =
	(added: Subscriber) =>
	({ subscribers }: WebhookState) =>
		withSubscriber(subscribers, added);
const remove =
	({ url }: Subscriber) =>
	({ subscribers }: WebhookState) =>
		withoutSubscriber(subscribers, url);

describe('reading', () => {
	test.each<[string, Config | undefined, Subscribers]>([
		['a webhook that was never set', undefined, []],
		['a disabled webhook', { ...configOf(foreign), is_active: false }, []],
		['a webhook without a URL', { ...configOf(foreign), url: '' }, []],
		['another system', configOf(foreign), [{ ...foreign, kind: 'external' }]],
		['a URL that a trigger may have', configOf(first), [first]],
		[
			'a trigger whose secret is checked',
			{ ...configOf(first), url: `${first.url}?check=1900000000000-3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b` },
			[first],
		],
		[
			'a URL that only resembles a trigger',
			configOf({ ...first, url: `${first.url}?a=1` }),
			[{ ...first, url: `${first.url}?a=1`, kind: 'external' }],
		],
		[
			'a URL that no trigger has',
			configOf({ ...first, url: 'https://crm.example.com/api/webhook' }),
			[{ ...first, url: 'https://crm.example.com/api/webhook', kind: 'external' }],
		],
		['a list', shared(first, second), [first, second]],
		[
			'a list with an expired test',
			shared(first, { ...second, kind: 'test', expiresAt: NOW / 1000 - 1 }),
			[first],
		],
	])('%s', async (_, config, subscribers) => {
		const { client } = account(config);
		const state = await readWebhookState(client, SECRET, NOW);
		expect(state).toMatchObject({ subscribers, isSigned: config?.url.includes('subscribers=') === true });
		expect(state.registered?.url).toBe(subscribers.length > 0 ? config?.url : undefined);
	});

	test('a trigger where the path of all webhooks has another name', async () => {
		const url = 'https://n8n.example.com/hooks/1/webhook';
		const { client } = account(configOf({ ...first, url }));
		expect((await readWebhookState(client, SECRET, NOW)).subscribers).toMatchObject([
			{ url, kind: 'workflow' },
		]);
	});

	test('a list that another secret signed is read, but does not count as signed', async () => {
		const { client } = account(shared(first, second));
		expect(await readWebhookState(client, 'another', NOW)).toMatchObject({
			subscribers: [first, second],
			isSigned: false,
		});
	});

	test.each([401, 429, 500])('a service that responds %i is not one without a webhook', async (status) => {
		const { client, state } = account();
		state.failure = apiError(status);
		await expect(readWebhookState(client, SECRET, NOW)).rejects.toMatchObject({
			httpStatus: status,
		});
	});

	test('the time of the last change', async () => {
		const { client } = account({ ...configOf(foreign), updated_at: '2030-01-31T09:00:00Z' });
		expect((await readWebhookState(client, SECRET, NOW)).registered?.since).toBe('2030-01-31T09:00:00.000Z');
	});

	test.each<[keyof Config, object]>([
		['timeout_seconds', { timeout_seconds: 30 }],
		[
			'events',
			{ events: expect.arrayContaining(['message.received', 'message.sent', 'connection.connected']) },
		],
	])('a webhook of which the service leaves out %s can be shared and restored', async (name, restored) => {
		const { change, state } = account({ ...configOf(foreign), [name]: undefined });
		await change(add(first));
		await change(remove(first));
		expect(state.config).toEqual({ ...configOf(foreign), ...restored });
	});
});

describe('a change', () => {
	test('registers a single workflow as it is, in two requests', async () => {
		const { change, done, state } = account();
		expect(await change(add(first))).toEqual({ registration: configWithoutKind(first), isChanged: true });
		expect(state.config).toEqual(configOf(first));
		expect(done).toEqual(['GET', 'POST']);
	});

	test('registers several workflows with all their events and the longest timeout, and reads them again', async () => {
		const { change, done, state } = account(configOf(first));
		await change(add(second));
		expect(state.config).toEqual(shared(first, second));
		expect(state.config).toMatchObject({ events: ['message.received', 'message.sent'], timeout_seconds: 40 });
		expect(done).toEqual(['GET', 'POST', 'GET']);
	});

	test('sends nothing if the webhook is right, whatever the order of its events', async () => {
		const events = ['message.sent', 'message.received'];
		const { change, done } = account({ ...configOf(first), events });
		expect(await change(() => [{ ...first, events: [...events].reverse() }])).toMatchObject({
			registration: { url: first.url },
			isChanged: false,
		});
		expect(done).toEqual(['GET']);
	});

	test.each([{ events: ['message.sent'] }, { timeout_seconds: 7 }])('updates %j', async (other) => {
		const { change, state } = account({ ...configOf(first), ...other });
		await change(() => [first]);
		expect(state.config).toEqual(configOf(first));
	});

	test('sends nothing if it is not wanted', async () => {
		const { change, done } = account(configOf(foreign));
		expect(await change(() => undefined)).toBeUndefined();
		expect(done).toEqual(['GET']);
	});

	test('deletes the webhook when nobody is left, or restores the previous one', async () => {
		const deleted = account(configOf(first));
		expect(await deleted.change(remove(first))).toBeUndefined();
		expect(deleted.state.config?.is_active).toBe(false);
		const restored = account(configOf(first));
		expect(await restored.change(remove(first), foreign)).toBeUndefined();
		expect(restored.state.config).toEqual(configOf(foreign));
		expect(restored.done).toEqual(['GET', 'POST']);
		const none = account();
		await none.change(() => []);
		expect(none.done).toEqual(['GET']);
	});

	test('leaves another system its webhook when the last workflow goes', async () => {
		const { change, state } = account(configOf(foreign));
		await change(add(first));
		expect(withoutQuery(state.config?.url ?? '')).toBe(first.url);
		await change(remove(first));
		expect(state.config).toEqual(configOf(foreign));
	});

	test('is made again when another n8n has undone it at the same moment', async () => {
		const other = shared(first, workflow('other'));
		let undone = 0;
		const { change, state } = account(configOf(first), (set) => (undone++ === 0 ? other : set));
		await change(add(second));
		expect(state.config).toEqual(shared(first, workflow('other'), second));
	});

	test('is made again when another system has removed the webhook at the same moment', async () => {
		let removed = 0;
		const { change, state } = account(configOf(first), (set) => ({ ...set, is_active: removed++ > 0 }));
		await change(add(second));
		expect(state.config).toEqual(configOf(second));
	});

	test.each<[string, Subscribers | undefined, Registration | undefined]>([
		['nothing is to change', undefined, undefined],
		['nothing is left', [], undefined],
		['the webhook before is restored', [second], registrationOf([first, second], SECRET)],
	])('tells what was found out, also if %s', async (_, wanted, restored) => {
		const { access } = account(configOf(first));
		const choose = async () => await Promise.resolve({ found: 'this', wanted, restored });
		expect(await changeSubscribers(access, choose)).toEqual({
			found: 'this',
		});
	});

	test('is made again when another n8n has signed the same list with an old secret', async () => {
		const old = configOf(registrationOf([first, second], 'an-old-secret'));
		let undone = 0;
		const { change, state } = account(configOf(first), (set) => (undone++ === 0 ? old : set));
		await change(add(second));
		expect(state.config).toEqual(shared(first, second));
	});

	test('ends with an error when it is always undone', async () => {
		const other = shared(first, workflow('other'));
		const { change, done } = account(configOf(first), () => other);
		await expect(change(add(second))).rejects.toThrow(WebhookKeepsChanging);
		expect(done.filter((method) => method === 'POST')).toHaveLength(3);
	});

	test.each<[string, Config | undefined]>([
		['a webhook', configOf(first)],
		['none', undefined],
	])('restores %s when the service drops the query', async (_, before) => {
		const { change, state } = account(before, (set) => ({ ...set, url: withoutQuery(set.url) }));
		const test = workflow('test', { kind: 'test', expiresAt: NOW });
		await expect(change(add(test))).rejects.toThrow(QueryDropped);
		expect(state.config).toEqual(before ?? { ...configOf(test), is_active: false });
	});

	test('restores the webhook when the service cuts the URL off', async () => {
		const { change, state } = account(configOf(first), (set) => ({ ...set, url: set.url.slice(0, 80) }));
		await expect(change(add(second))).rejects.toThrow(QueryDropped);
		expect(state.config).toEqual(configOf(first));
	});

	test('understands a service that encodes the URL', async () => {
		const { change } = account(configOf(first), (set) => ({ ...set, url: set.url.replaceAll('~', '%7E') }));
		expect(await change(add(second))).toMatchObject({
			registration: { url: shared(first, second).url },
			isChanged: true,
		});
	});

	test('of more workflows than the URL can name changes nothing', async () => {
		const { change, done } = account();
		const many = Array.from({ length: 100 }, (_, index) => workflow(`workflow-with-a-long-id-${index}`));
		await expect(change(() => many)).rejects.toThrow(TooManySubscribers);
		expect(done).toEqual(['GET']);
	});
});

const configWithoutKind = ({ url, events, timeoutSeconds }: Subscriber): Registration => ({
	url,
	events,
	timeoutSeconds,
});

test.each([
	[first.url, second.url, true],
	[first.url, 'https://n8n.example.com/hook', true],
	['https://n8n.example.com/hooks/1/webhook', 'https://n8n.example.com/hooks-test/1/webhook', true],
	[first.url, 'https://other.example.com/webhook/first/webhook', false],
	[first.url, 'http://n8n.example.com/webhook/first/webhook', false],
	[first.url, 'https://n8n.example.com:5678/webhook/first/webhook', false],
	[first.url, 'not a URL', false],
	['not a URL', 'not a URL', false],
])('%s and %s are URLs of one n8n: %s', (one, other, expected) => {
	expect(areOfOneN8n(one, other)).toBe(expected);
});
