import type { INode } from 'n8n-workflow';

import {
	createSecretCache,
	credentialIdOf,
	signingSecretIn,
} from '../../../../nodes/MessagingChannel/trigger/delivery/secretCache';

function lookup(...values: string[]) {
	const look = jest.fn(async () => values.shift() ?? 'none left');
	return { look, secretCache: createSecretCache() };
}

test.each([
	[{ signingSecret: ' secret\n' }, 'secret'],
	[{ signingSecret: '' }, ''],
	[{}, ''],
])('the secret in %j is %j', (credential, secret) => {
	expect(signingSecretIn(credential)).toBe(secret);
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

test('a secret is looked up again after the clock was set back', async () => {
	const { look, secretCache } = lookup('old', 'old', 'new', 'newer');
	await secretCache.get('1', look, 3_600_000);
	await secretCache.refresh('1', look, 3_600_001);
	expect(await secretCache.refresh('1', look, 0)).toBe('new');
	await secretCache.fetch('1', async () => 'fetched', 3_600_000);
	expect(await secretCache.get('1', look, 0)).toBe('newer');
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
	expect(await secretCache.get('1', async () => 'back', 1)).toBe('back');
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
