import type { INode } from 'n8n-workflow';

import {
	accessIn,
	createSecretCache,
	credentialIdOf,
	signingSecretIn,
	type Access,
} from '../../../../nodes/MessagingChannel/trigger/delivery/secrets';

const accessWith = (secret: string): Access => ({ secret, account: 'account' });

function lookup(...values: string[]) {
	const look = jest.fn(async () => await Promise.resolve(accessWith(values.shift() ?? 'none left')));
	const cache = createSecretCache();
	const secretOf = async (found: Promise<Access | undefined>) => (await found)?.secret;
	return {
		look,
		secretCache: {
			get: async (...given: Parameters<typeof cache.get>) => await secretOf(cache.get(...given)),
			refresh: async (...given: Parameters<typeof cache.refresh>) => await secretOf(cache.refresh(...given)),
			fetch: async (...given: Parameters<typeof cache.fetch>) => await secretOf(cache.fetch(...given)),
		},
	};
}

test.each([
	[{ signingSecret: ' secret\n' }, 'secret'],
	[{ signingSecret: '' }, ''],
	[{}, ''],
])('the secret in %j is %j', (credential, secret) => {
	expect(signingSecretIn(credential)).toBe(secret);
	expect(accessIn(credential)).toMatchObject({ secret });
});

test('a secret that was never looked up is new', async () => {
	const { look, secretCache } = lookup('first', 'second');
	expect(await secretCache.refresh('1', look, 0)).toBe('first');
	expect(await secretCache.refresh('1', look, 999)).toBeUndefined();
});

test('a secret is looked up once a minute', async () => {
	const { look, secretCache } = lookup('first', 'second');
	expect(await secretCache.get('1', look, 0)).toBe('first');
	expect(await secretCache.get('1', look, 59_999)).toBe('first');
	expect(look).toHaveBeenCalledTimes(1);
	expect(await secretCache.get('1', look, 60_000)).toBe('second');
});

test('each credential has its own secret', async () => {
	const { look, secretCache } = lookup('first', 'second');
	expect(await secretCache.get('1', look, 0)).toBe('first');
	expect(await secretCache.get('2', look, 0)).toBe('second');
});

test('a secret that does not match is looked up again, at most once a second', async () => {
	const { look, secretCache } = lookup('same', 'same', 'newer');
	await secretCache.get('1', look, 0);
	expect(await secretCache.refresh('1', look, 1)).toBe('same');
	for (let time = 2; time < 1_001; time += 111)
		expect(await secretCache.refresh('1', look, time)).toBe('same');
	expect(look).toHaveBeenCalledTimes(2);
	expect(await secretCache.refresh('1', look, 1_001)).toBe('newer');
});

test('a secret that has just changed is not known for a second', async () => {
	const { look, secretCache } = lookup('old', 'new', 'newer');
	await secretCache.get('1', look, 0);
	expect(await secretCache.refresh('1', look, 1)).toBe('new');
	expect(await secretCache.refresh('1', look, 1_000)).toBeUndefined();
	expect(await secretCache.get('1', look, 1_000)).toBe('new');
	expect(await secretCache.refresh('1', look, 1_001)).toBe('newer');
});

test('a secret is also looked up in any case', async () => {
	const { look, secretCache } = lookup('old', 'same', 'new');
	await secretCache.get('1', look, 0);
	await secretCache.refresh('1', look, 1);
	expect(await secretCache.fetch('1', look, 2)).toBe('new');
	expect(await secretCache.get('1', look, 60_001)).toBe('new');
	expect(await secretCache.refresh('1', look, 3)).toBeUndefined();
});

test('concurrent deliveries share one look-up', async () => {
	const { look, secretCache } = lookup('one');
	const found = await Promise.all(
		Array.from({ length: 50 }, async () => await secretCache.get('1', look, 0)),
	);
	expect(new Set(found)).toEqual(new Set(['one']));
	expect(look).toHaveBeenCalledTimes(1);
});

test('a failed look-up is reported, and the next delivery tries again', async () => {
	const secretCache = createSecretCache();
	await expect(
		secretCache.get('1', async () => await Promise.reject(new Error('database')), 0),
	).rejects.toThrow();
	expect(await secretCache.get('1', async () => accessWith('back'), 1)).toEqual(accessWith('back'));
});

test('nodes with one credential share its secret, and a node without one shares with no other', () => {
	const node = (id: string, credentialId?: string) =>
		({
			id,
			credentials: credentialId && { messagingChannelApi: { id: credentialId, name: 'Support' } },
		}) as unknown as INode;
	expect(credentialIdOf(node('1', 'credential'))).toBe(credentialIdOf(node('2', 'credential')));
	expect(credentialIdOf(node('1', 'credential'))).not.toBe(credentialIdOf(node('1', 'another')));
	expect(credentialIdOf(node('1'))).not.toBe(credentialIdOf(node('2')));
	expect(credentialIdOf({ ...node('1'), credentials: {} })).toBe(credentialIdOf(node('1')));
});
