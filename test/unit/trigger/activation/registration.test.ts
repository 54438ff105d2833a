import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { accountAt } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import {
	changeSubscribers,
	QueryDropped,
	WebhookKeepsChanging,
} from '../../../../nodes/MessagingChannel/trigger/activation/registration';
import type { WebhookState } from '../../../../nodes/MessagingChannel/webhook/webhookState';
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

/**
 * The account's webhook alone, and what was done to it.
 *
 * @param stored what the service has after the webhook was set, the first time and later
 */
function account(config?: Config, stored: (set: Config, times: number) => Config = (set) => set) {
	const done: string[] = [];
	const state: { config?: Config } = { config };
	const client = {
		call: async ({ endpoint: { method }, parameters }: Parameters<Client['call']>[0]) => {
			done.push(method);
			const times = done.filter((each) => each === 'POST').length;
			if (method === 'GET') return await Promise.resolve({ success: true, data: state.config ?? null });
			if (method === 'DELETE' && state.config) state.config = { ...state.config, is_active: false };
			if (method === 'POST') state.config = stored(configOf(parameters as unknown as Registration), times);
			return { success: true };
		},
	} as unknown as Client;
	const access = { client, account: accountAt('account'), secret: SECRET };
	const change = async (to: (state: WebhookState) => Subscribers | undefined, restored?: Registration) => {
		const choose = async (before: WebhookState) =>
			await Promise.resolve({ found: 'this', wanted: to(before), restored });
		const changed = await changeSubscribers(access, choose);
		expect(changed.found).toBe('this');
		return changed.change;
	};
	return { done, state, change };
}

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

describe('a change', () => {
	test('registers a single workflow as it is, in two requests', async () => {
		const { change, done, state } = account();
		const { url, events, timeoutSeconds } = first;
		const registration = { url, events, timeoutSeconds };
		expect(await change(add(first))).toEqual({ registration, isChanged: true });
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

	test.each<[string, Config | undefined, Registration | undefined, Config | undefined, string[]]>([
		[
			'deletes the webhook when nobody is left',
			configOf(first),
			undefined,
			{ ...configOf(first), is_active: false },
			['GET', 'DELETE'],
		],
		['restores the previous one', configOf(first), foreign, configOf(foreign), ['GET', 'POST']],
		['needs nothing where there is none', undefined, undefined, undefined, ['GET']],
	])('%s', async (_, before, restored, after, requests) => {
		const { change, state, done } = account(before);
		expect(await change(remove(first), restored)).toBeUndefined();
		expect(state.config).toEqual(after);
		expect(done).toEqual(requests);
	});

	test('restores a webhook, whoever else is wanted', async () => {
		const { change, state } = account(configOf(first));
		expect(await change(() => [second], foreign)).toBeUndefined();
		expect(state.config).toEqual(configOf(foreign));
	});

	test('leaves another system its webhook when the last workflow goes', async () => {
		const { change, state } = account(configOf(foreign));
		await change(add(first));
		expect(withoutQuery(state.config?.url ?? '')).toBe(first.url);
		await change(remove(first));
		expect(state.config).toEqual(configOf(foreign));
	});

	const other = shared(first, workflow('other'));
	test.each<[string, (set: Config) => Config, Config]>([
		['another n8n has undone it', () => other, shared(first, workflow('other'), second)],
		[
			'another n8n has signed the same list with an old secret',
			() => configOf(registrationOf([first, second], 'an-old-secret')),
			shared(first, second),
		],
		['another system has removed the webhook', (set) => ({ ...set, is_active: false }), configOf(second)],
	])('is made again when %s at the same moment', async (_, undo, expected) => {
		const { change, state } = account(configOf(first), (set, times) => (times === 1 ? undo(set) : set));
		await change(add(second));
		expect(state.config).toEqual(expected);
	});

	test('ends with an error when it is always undone', async () => {
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

	test('of more workflows than the URL can name changes nothing', async () => {
		const { change, done } = account();
		const many = Array.from({ length: 100 }, (_, index) => workflow(`workflow-with-a-long-id-${index}`));
		await expect(change(() => many)).rejects.toThrow(TooManySubscribers);
		expect(done).toEqual(['GET']);
	});
});
