import {
	createKnownWebhook,
	WEBHOOK_TTL_MS,
} from '../../../../nodes/MessagingChannel/trigger/account/knownWebhook';

const HUB = 'https://n8n.example.com/webhook/hub/webhook';
const at = (query: string) => ({ url: `${HUB}${query}`, events: ['message.received'], timeoutSeconds: 30 });

/** A webhook that is read as the service has it. */
const knowing = (query = '?subscribers=new') => {
	const service = { webhook: at(query), reads: 0, fails: false };
	const read = async () => {
		service.reads++;
		return await (service.fails
			? Promise.reject(new Error('No response'))
			: Promise.resolve(service.webhook));
	};
	return { service, read, webhook: createKnownWebhook() };
};

test('the webhook is read once a minute for all triggers, also if that fails', async () => {
	const { service, read, webhook } = knowing();
	for (const now of [0, 1, WEBHOOK_TTL_MS - 1]) expect(await webhook.recent(read, now)).toBe(service.webhook);
	service.fails = true;
	for (const now of [WEBHOOK_TTL_MS, WEBHOOK_TTL_MS + 1])
		await expect(webhook.recent(read, now)).rejects.toThrow('No response');
	expect(service.reads).toBe(2);
});

test('after a change that failed, all triggers leave the service alone for the time given', async () => {
	const { service, read, webhook } = knowing();
	webhook.keepFailure(new Error('Refused'), 300_000, 0);
	await expect(webhook.recent(read, 299_999)).rejects.toThrow('Refused');
	expect(service.reads).toBe(0);
	expect(await webhook.recent(read, 300_000)).toBe(service.webhook);
});

test('a delivery with another list than the one that is known has it read, once a minute', async () => {
	const { service, read, webhook } = knowing();
	const forList = async (list: unknown, now: number) => (await webhook.forList(list, read, now))?.webhook;
	expect(await forList('old', 0)).toBe(service.webhook);
	expect(await forList('new', 1)).toBe(service.webhook);
	expect(await forList(undefined, 2)).toBe(service.webhook);
	expect(await forList('other', 3)).toBeUndefined();
	expect(service.reads).toBe(1);
	expect(await forList('new', WEBHOOK_TTL_MS)).toBe(service.webhook);
	// What this process has set is newer than what was read.
	webhook.noteSet(service.webhook.url);
	expect(await forList('other', WEBHOOK_TTL_MS + 1)).toBe(service.webhook);
	expect(service.reads).toBe(3);
});

test('a delivery has the webhook read again at once when that failed', async () => {
	const { service, read, webhook } = knowing();
	service.fails = true;
	await expect(webhook.forList('new', read, 0)).rejects.toThrow('No response');
	service.fails = false;
	expect(await webhook.forList('new', read, 1)).toEqual({ webhook: service.webhook });
});

test.each<[string, (webhook: ReturnType<typeof knowing>['webhook']) => void, boolean]>([
	['was read', () => {}, true],
	['was changed since, and has a list', (webhook) => webhook.noteSet(at('?subscribers=x').url), true],
	['was changed since, and has none', (webhook) => webhook.noteSet(HUB), false],
	['was removed since', (webhook) => webhook.noteSet(undefined), false],
	['may have changed since', (webhook) => webhook.forget(), true],
])('it is known whether a URL has a list: it %s', async (_, happens, isShared) => {
	const { read, webhook } = knowing();
	expect(webhook.isSharedAt(HUB)).toBe(false);
	await webhook.recent(read, 0);
	happens(webhook);
	expect(webhook.isSharedAt(HUB.replace('n8n', 'N8N'))).toBe(isShared);
	expect(webhook.isSharedAt('https://n8n.example.com/webhook/other/webhook')).toBe(false);
});

test('what was read last is known until it may have changed, and what is read late changes nothing', async () => {
	const { service, read, webhook } = knowing();
	const late = webhook.recent(read, 0);
	webhook.noteSet(undefined);
	await late;
	expect([webhook.hasHub(HUB), webhook.latest()]).toEqual([false, undefined]);

	await webhook.recent(read, 0);
	expect([webhook.hasHub(HUB), await webhook.latest()]).toEqual([true, service.webhook]);
	webhook.forget();
	expect(webhook.latest()).toBeUndefined();
	await webhook.recent(async () => await Promise.resolve(undefined), 0);
	expect(webhook.hasHub(HUB)).toBe(false);
});
