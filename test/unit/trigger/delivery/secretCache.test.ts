import type { INode } from 'n8n-workflow';

import {
	accessIn,
	createSecretCache,
	credentialIdOf,
	signingSecretIn,
} from '../../../../nodes/MessagingChannel/trigger/delivery/secrets';

/** A cache, and a credential that has these secrets, one after the other; an error if it cannot be read. */
function caching(...secrets: Array<string | Error>) {
	const cache = createSecretCache();
	const look = jest.fn(async () => {
		const secret = secrets.shift() ?? 'none left';
		return await (secret instanceof Error
			? Promise.reject(secret)
			: Promise.resolve({ secret, account: 'account' }));
	});
	const at =
		(method: keyof typeof cache) =>
		async (now: number, id = '1') =>
			(await cache[method](id, look, now)).secret;
	return { look, get: at('get'), refresh: at('refresh'), fetch: at('fetch') };
}

test.each([
	[{ signingSecret: ' \u200bsecret\u200b\n' }, 'secret'],
	[{ signingSecret: '' }, ''],
	[{}, ''],
])('the secret in %j is %j', (credential, secret) => {
	expect(signingSecretIn(credential)).toBe(secret);
	expect(accessIn(credential)).toMatchObject({ secret });
});

test('a secret is looked up once a minute, that of each credential', async () => {
	const { look, get } = caching('first', 'other', 'second');
	expect(await get(0)).toBe('first');
	expect(await get(0, '2')).toBe('other');
	expect(await get(59_999)).toBe('first');
	expect(look).toHaveBeenCalledTimes(2);
	expect(await get(60_000)).toBe('second');
});

test('a secret that does not match is looked up again, at most once a second', async () => {
	const { look, get, refresh } = caching('same', 'same', 'newer');
	await get(0);
	for (let time = 1; time < 1_001; time += 111) expect(await refresh(time)).toBe('same');
	expect(look).toHaveBeenCalledTimes(2);
	expect(await refresh(1_001)).toBe('newer');
});

test('a secret that has just changed is looked up again at once', async () => {
	const { get, refresh } = caching('old', 'new', 'newer', 'newer', 'none');
	expect(await refresh(0)).toBe('old');
	expect(await refresh(1)).toBe('new');
	expect(await get(2)).toBe('new');
	for (const time of [2, 3, 1_002]) expect(await refresh(time)).toBe('newer');
});

test('a secret is also looked up in any case', async () => {
	const { get, refresh, fetch } = caching('same', 'same', 'new');
	await get(0);
	await refresh(1);
	expect(await fetch(2)).toBe('new');
	expect(await get(60_001)).toBe('new');
	expect(await refresh(1_000)).toBe('new');
});

test('concurrent deliveries share one look-up', async () => {
	const { look, get } = caching('one');
	const found = await Promise.all(Array.from({ length: 50 }, async () => await get(0)));
	expect(new Set(found)).toEqual(new Set(['one']));
	expect(look).toHaveBeenCalledTimes(1);
});

test('a failed look-up is reported, and the next delivery tries again', async () => {
	const { get } = caching(new Error('database'), 'back');
	await expect(get(0)).rejects.toThrow('database');
	expect(await get(1)).toBe('back');
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
