import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import {
	snapshotIn,
	withSnapshot,
} from '../../../../nodes/MessagingChannel/trigger/activation/webhookSnapshot';
import {
	register as registerOver,
	unregister,
	readWebhookState,
	WebhookTaken,
	type DesiredWebhook,
} from '../../../../nodes/MessagingChannel/trigger/activation/registration';

interface Config {
	url: string;
	events: string[];
	is_active: boolean;
	timeout_seconds: number;
	updated_at?: string;
}

/** The account's webhook alone, and what was done to it. */
function account(config?: Config) {
	const done: string[] = [];
	const state = { config };
	const client = {
		call: async ({ endpoint, parameters }: Parameters<Client['call']>[0]) => {
			done.push(endpoint.method);
			if (endpoint.method === 'GET') {
				if (state.config) return { success: true, data: state.config };
				throw new ApiError({ message: '', description: '', code: 'not_found', httpStatus: 404 });
			}
			if (endpoint.method === 'DELETE' && state.config) state.config.is_active = false;
			if (endpoint.method === 'POST') {
				const { url, events, timeoutSeconds } = parameters as {
					url: string;
					events: string[];
					timeoutSeconds: number;
				};
				state.config = { url, events, is_active: true, timeout_seconds: timeoutSeconds };
			}
			return { success: true };
		},
	} as unknown as Client;
	return { client, done, state };
}

/** Registers over whatever is there, and returns what that was. */
async function register(client: Client, desired: DesiredWebhook) {
	const before = await readWebhookState(client, desired);
	await registerOver(client, desired, before);
	return before;
}

const tail = 'f3b1/webhook';
const production: DesiredWebhook = {
	url: `https://n8n.example.com/webhook/${tail}`,
	tail,
	isTest: false,
	replace: false,
	events: ['message.received', 'message.sent'],
	timeoutSeconds: 17,
};
const test1: DesiredWebhook = {
	...production,
	url: `https://n8n.example.com/webhook-test/${tail}`,
	isTest: true,
	events: ['message.status'],
	timeoutSeconds: 30,
};
const configOf = ({ url, events, timeoutSeconds }: DesiredWebhook): Config => ({
	url,
	events,
	is_active: true,
	timeout_seconds: timeoutSeconds,
});
const foreign = {
	url: 'https://other.example.com/hook',
	events: ['message.sent'],
	is_active: true,
	timeout_seconds: 9,
};

describe('production', () => {
	test('sets a webhook that was never set or is not active', async () => {
		for (const before of [undefined, { ...foreign, is_active: false }, { ...foreign, url: '' }]) {
			const { client, state } = account(before);
			expect(await register(client, production)).toEqual({});
			expect(state.config).toEqual(configOf(production));
		}
	});

	test('leaves a webhook that is right, whatever the order of its events', async () => {
		const events = ['message.sent', 'message.received'];
		for (const [wished, set] of [
			[production.events, events],
			[events, production.events],
		] as const) {
			const { client, done } = account({ ...configOf(production), events: [...set] });
			await register(client, { ...production, events: [...wished] });
			expect(done).toEqual(['GET']);
		}
	});

	test.each([{ events: ['message.sent'] }, { timeout_seconds: 30 }])('updates %j', async (other) => {
		const { client, state } = account({ ...configOf(production), ...other });
		await register(client, production);
		expect(state.config).toEqual(configOf(production));
	});

	test('leaves a foreign webhook, and says which and since when', async () => {
		const { client, done } = account({ ...foreign, updated_at: '2030-01-31T09:00:00Z' });
		await expect(register(client, production)).rejects.toThrow(WebhookTaken);
		await expect(register(client, production)).rejects.toThrow(`${foreign.url}, since 2030-01-31T09:00:00Z`);
		expect(done).toEqual(['GET', 'GET']);
	});

	test('replaces a foreign webhook when told to, and says what it was', async () => {
		const { client, state } = account({ ...foreign });
		expect(await register(client, { ...production, replace: true })).toMatchObject({
			foreign: { url: foreign.url },
		});
		expect(state.config).toEqual(configOf(production));
	});

	test.each([
		`https://other.example.com/webhook/${tail}`,
		`https://n8n.example.com/webhook/x${tail}`,
		'https://n8n.example.com/webhook/another/webhook',
		'not an address',
	])('takes %s for foreign', async (url) => {
		await expect(register(account({ ...foreign, url }).client, production)).rejects.toThrow(WebhookTaken);
	});

	test('takes over a webhook that a test left behind', async () => {
		const { client, state } = account(configOf({ ...test1, url: withSnapshot(test1.url, production) }));
		await register(client, production);
		expect(state.config).toEqual(configOf(production));
	});

	test('deletes only its own webhook', async () => {
		const own = account(configOf(production));
		await unregister(own.client, production);
		expect(own.state.config?.is_active).toBe(false);
		for (const config of [
			foreign,
			{ ...foreign, url: `${production.url}x` },
			{ ...configOf(production), is_active: false },
		]) {
			const other = account({ ...config });
			await unregister(other.client, production);
			expect(other.done).toEqual(['GET']);
		}
		const none = account();
		await unregister(none.client, production);
		expect(none.done).toEqual(['GET']);
	});
});

describe('a test', () => {
	test('replaces the webhook of production and restores exactly that', async () => {
		const before = configOf(production);
		const { client, state } = account({ ...before });
		await register(client, test1);
		expect(state.config).toMatchObject({ events: ['message.status'], timeout_seconds: 30 });
		expect(state.config?.url.split('?')[0]).toBe(test1.url);
		await unregister(client, test1);
		expect(state.config).toEqual(before);
		await unregister(client, test1);
		expect(state.config).toEqual(before);
	});

	test('that never ended still restores what the first one replaced', async () => {
		const before = configOf(production);
		const { client, state } = account({ ...before });
		await register(client, test1);
		await register(client, test1);
		await unregister(client, test1);
		expect(state.config).toEqual(before);
	});

	test('replaces a foreign webhook only when told to, and restores it', async () => {
		const { client, state } = account({ ...foreign });
		await expect(register(client, test1)).rejects.toThrow(WebhookTaken);
		await register(client, { ...test1, replace: true });
		await unregister(client, test1);
		expect(state.config).toEqual(foreign);
	});

	test('keeps a foreign webhook to restore when production ends, which has nothing to do with it', async () => {
		const { client, state, done } = account({ ...foreign });
		await register(client, { ...test1, replace: true });
		await unregister(client, production);
		expect(done).toEqual(['GET', 'POST', 'GET']);
		await unregister(client, test1);
		expect(state.config).toEqual(foreign);
	});

	test('restores a webhook without events', async () => {
		const { client, state } = account({ ...foreign, events: undefined } as unknown as Config);
		await register(client, { ...test1, replace: true });
		await unregister(client, test1);
		expect(state.config).toEqual({ ...foreign, events: [] });
	});

	test('leaves no webhook where there was none', async () => {
		const { client, state } = account();
		await register(client, test1);
		await unregister(client, test1);
		expect(state.config).toMatchObject({ url: test1.url, is_active: false });
	});

	test('restores nothing when production has ended meanwhile', async () => {
		const { client, state } = account(configOf(production));
		await register(client, test1);
		await unregister(client, production);
		expect(state.config).toEqual(configOf(test1));
		await unregister(client, test1);
		expect(state.config?.is_active).toBe(false);
	});
});

test('the message about a foreign webhook omits the query of its URL', async () => {
	const { client } = account({ ...foreign, url: `${foreign.url}?token=1` });
	const taken = await register(client, production).catch((error: unknown) => error);
	expect(taken).toMatchObject({ url: foreign.url, message: expect.not.stringContaining('token') });
});

test('the webhook that a publication replaced is restored, also from the URL of a check', async () => {
	const { client, state } = account(configOf({ ...production, url: `${production.url}?check=1` }));
	await unregister(client, production, {
		url: foreign.url,
		events: foreign.events,
		timeoutSeconds: foreign.timeout_seconds,
	});
	expect(state.config).toEqual(foreign);
});

test('a URL carries the webhook to restore beside other parameters', () => {
	const [, query] = withSnapshot(test1.url, production).split('?');
	expect(snapshotIn(`${test1.url}?other=1&${query}`)).toEqual({
		url: production.url,
		events: production.events,
		timeoutSeconds: production.timeoutSeconds,
	});
	const numbers = Buffer.from('["url",[1],30]').toString('base64url');
	expect(snapshotIn(`${test1.url}?lent=${numbers}`)).toEqual({
		url: 'url',
		events: ['1'],
		timeoutSeconds: 30,
	});
});

test.each([
	['2030-01-31T09:00:00Z', undefined, ', since 2030-01-31T09:00:00Z'],
	[undefined, '2029-01-31T09:00:00Z', ', since 2029-01-31T09:00:00Z'],
	[undefined, undefined, ''],
	[1_900_000_000, undefined, ''],
])('says since when a foreign webhook is set: %s, %s', async (updated_at, created_at, words) => {
	const { client } = account({ ...foreign, updated_at, created_at } as Config);
	await expect(register(client, production)).rejects.toMatchObject({
		name: 'WebhookTaken',
		message: `The account's webhook already points to ${foreign.url}${words}`,
	});
});

test('a failing service does not count as one without a webhook', async () => {
	const failure = new ApiError({ message: 'down', description: '', code: 'internal_error', httpStatus: 500 });
	const calls: string[] = [];
	const client = {
		call: async ({ endpoint }: Parameters<Client['call']>[0]) => {
			calls.push(endpoint.method);
			return await Promise.reject(failure);
		},
	} as unknown as Client;
	await expect(register(client, production)).rejects.toBe(failure);
	await expect(unregister(client, production)).rejects.toBe(failure);
	expect(calls).toEqual(['GET', 'GET']);
});

test('a webhook without events is set again', async () => {
	const { client, done } = account({ ...configOf(production), events: undefined } as unknown as Config);
	await register(client, production);
	expect(done).toEqual(['GET', 'POST']);
});

test.each([
	'',
	'?lent=',
	'?lent=not-json',
	...['{"a":1}', '"text"', '[1,[],30]', '["url","events",30]', '["url",[],"30"]'].map(
		(value) => `?lent=${Buffer.from(value).toString('base64url')}`,
	),
	`?not${withSnapshot('', production).slice(1)}`,
	'?lent=%00',
])('an address with %j carries nothing', (query) => {
	expect(snapshotIn(test1.url + query)).toBeUndefined();
});
