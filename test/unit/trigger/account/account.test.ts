import { randomUUID } from 'crypto';

import {
	accountAt,
	accountIn,
	createOwner,
	noteWebhookSet,
	serviceAt,
} from '../../../../nodes/MessagingChannel/trigger/account/account';

const MINUTE = 60_000;
const URL_OF_ONE = 'https://n8n.example.com/webhook/one/webhook';
const NOTHING = { events: [], timeoutSeconds: 30 };

test('all triggers with one service and API key share an account, and no others', () => {
	const credential = { baseUrl: 'https://service.example', apiKey: 'key' };
	const account = accountIn(credential);
	expect(accountIn({ ...credential, apiKey: 'Bearer key ' })).toBe(account);
	expect(accountIn({ ...credential, apiKey: 'another' })).not.toBe(account);
	expect(accountIn({ ...credential, baseUrl: 'https://other.example' })).not.toBe(account);
	expect(serviceAt('https://service.example')).toBe(serviceAt('https://service.example'));
});

test('a receiver is one, however its URL is spelled', () => {
	const account = accountAt('spelling');
	const receiver = account.receiver({ url: URL_OF_ONE, kind: 'workflow' });
	expect(account.receiver({ url: URL_OF_ONE.replace('n8n', 'N8N'), kind: 'workflow' })).toBe(receiver);
	expect(account.receiver({ url: URL_OF_ONE, kind: 'external' })).not.toBe(receiver);
	// It may take the events of one account and refuse those of another.
	expect(accountAt('other').receiver({ url: URL_OF_ONE, kind: 'workflow' })).not.toBe(receiver);
});

test.each<[string, unknown, string, number, boolean, unknown?]>([
	['of the account', 'account-1', 'secret', 5 * MINUTE, true],
	['of the account long ago', 'account-1', 'secret', 5 * MINUTE + 1, false],
	['of another account', 'account-2', 'secret', 0, false],
	['with another secret', 'account-1', 'another', 0, false],
	['of no account', undefined, 'secret', 0, false],
	['of an account with a number', '123', 'secret', 0, true, 123],
])('an event %s proves a secret', (_, accountId, secret, now, isProven, ownId = 'account-1') => {
	const account = accountAt(`proof ${_}`);
	account.noteProof(undefined, 'secret', MINUTE);
	expect(account.isProven(accountId, secret, MINUTE + now)).toBe(false);
	account.noteProof(ownId, 'secret', MINUTE);
	expect(account.isProven(accountId, secret, MINUTE + now)).toBe(isProven);
});

test('an account prints itself in one line, without secrets', async () => {
	const account = accountAt('line');
	expect(account.describe(0)).toBe('webhook unknown or none; no event verified');
	const url = `${URL_OF_ONE.replace('://', '://crm:hidden@')}?token=hidden`;
	await account.webhook.recent(async () => await Promise.resolve({ url, ...NOTHING }), MINUTE);
	account.noteProof('account-1', 'hidden', MINUTE);
	account.receiver({ url, kind: 'external' }).noteAnswer('absent', MINUTE);
	account.receiver({ url, kind: 'workflow' }).noteAnswer('present', MINUTE);
	expect(account.describe(2 * MINUTE)).toBe(
		`webhook ${URL_OF_ONE}, read 60 s ago; an event verified 60 s ago; external ${URL_OF_ONE} is absent for 60 s`,
	);
});

test('the service is asked at most once a minute whose the API key is, and at once after a failure', async () => {
	const owner = createOwner();
	const ask = jest.fn(async (id: string) => await Promise.resolve(id));
	const current = async (id: string, now: number) => await owner.current(async () => await ask(id), now);
	ask.mockRejectedValueOnce(new Error('No response'));
	await expect(current('one', 0)).rejects.toThrow('No response');

	expect(await current('one', 0)).toEqual({ id: 'one', isNew: true });
	expect(await current('two', MINUTE - 1)).toEqual({ id: 'one', isNew: false });
	expect(await current('two', MINUTE)).toEqual({ id: 'two', isNew: true });
	expect([owner.id, ask.mock.calls.length]).toEqual(['two', 3]);
});

test('who asks while the question runs shares its answer, also that it fails', async () => {
	const owner = createOwner();
	const ask = jest.fn<Promise<string>, []>();
	ask.mockRejectedValueOnce(new Error('No response')).mockResolvedValueOnce('one');
	const failing = await Promise.allSettled([owner.current(ask, 0), owner.current(ask, 1)]);
	expect(failing.map(({ status }) => status)).toEqual(['rejected', 'rejected']);

	const answered = await Promise.all([owner.current(ask, 2), owner.current(ask, 3)]);
	expect(answered).toEqual([
		{ id: 'one', isNew: true },
		{ id: 'one', isNew: true },
	]);
	expect(ask).toHaveBeenCalledTimes(2);
});

test('triggers with several keys of one account know that their hub shares the webhook as soon as one of them joins', () => {
	const [hub, joining, other] = [accountAt('hub'), accountAt('joining'), accountAt('other')];
	noteWebhookSet(hub, URL_OF_ONE);
	noteWebhookSet(other, 'https://other.example/webhook/1/webhook');
	noteWebhookSet(joining, `${URL_OF_ONE}?subscribers=x`);
	expect([hub, joining, other].map(({ webhook }) => webhook.isSharedAt(URL_OF_ONE))).toEqual([
		true,
		true,
		false,
	]);
});

test('the deliveries of the last hour are counted, and the latest of each kind is known', () => {
	const { deliveries } = accountAt(randomUUID());
	for (const at of [0, 1, 30 * MINUTE]) deliveries.note('verified', at);
	deliveries.note('notTaken', 30 * MINUTE);
	deliveries.note('verified', 30 * MINUTE + 5);
	const now = 60 * MINUTE + 6;
	expect(deliveries.inLastHour(now)).toEqual({ verified: 2, notTaken: 1 });
	expect(deliveries.lastMsAgo(now)).toEqual({ verified: 30 * MINUTE + 1, notTaken: 30 * MINUTE + 6 });
});
