import { clock } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { REQUEST_HEADER } from '../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { registrationOf } from '../../../nodes/MessagingChannel/webhook/sharedUrl';
import { messageBody } from '../../support/engine/trigger';
import { sign } from '../../support/service/core/signature';
import { foreignConfig, idsOf, MINUTE, share, useSharing } from './sharing';

const sharing = useSharing();
const { place, api, time, receiver, create, publish, pair, config, secret, listed, urlOf } = sharing;
const { subscriberOf, register, foreign, deliver, requestsOf } = sharing;

describe('another system', () => {
	test('gets the same bytes and headers with Share, and its webhook back', async () => {
		const other = await foreign();
		const triggers = [await publish(share), await publish()];
		expect(await config()).toMatchObject({
			events: ['message.received', 'message.sent'],
			timeout_seconds: 30,
		});
		const before = other.received.length;
		const body = ` ${messageBody({ body: 'ü 👋' })}\n`;
		const attempt = await place.deliver({ body, eventId: 'event' });

		expect(attempt.status).toBe(200);
		const [copy] = other.received.slice(before);
		expect(copy?.body.toString()).toBe(body);
		expect(copy?.headers['x-service-signature']).toBe(sign(copy?.body ?? '', await secret()));
		const sent = Object.entries(attempt.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
		expect(copy?.headers).toMatchObject(Object.fromEntries(sent));
		expect(copy?.headers).not.toHaveProperty(REQUEST_HEADER);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event']]);

		for (const trigger of triggers) await trigger.deactivate();
		expect(await config()).toEqual(foreignConfig(other));
	});

	test('gets its webhook back also when the secret of the workflow was right a moment ago', async () => {
		const first = await publish();
		await deliver();
		await first.deactivate();
		const other = await foreign();
		const trigger = await create(share);
		await api('POST', '/webhooks/rotate-secret');

		await expect(trigger.activate()).rejects.toThrow(
			"The 'Signing Secret' in the credential is not the one that the service uses",
		);

		expect(await config()).toEqual(foreignConfig(other));
	});

	test('gets events that only it wants, and new types of events', async () => {
		const other = await foreign();
		const trigger = await publish({ ...share, events: ['message.status'] });
		const before = other.received.length;
		const bodyOf = (event: string) => JSON.stringify({ event, account_id: 'account-1' });
		for (const event of ['message.sent', 'message.status', 'message.reaction'])
			expect(await deliver(event, { event, body: bodyOf(event) })).toBe(200);

		expect(other.received.slice(before).map(({ headers }) => headers['x-service-event'])).toEqual([
			'message.sent',
			'message.reaction',
		]);
		expect(idsOf(trigger)).toEqual(['message.status']);
	});

	test.each(['fail', 'replace', 'share'])('stays when another workflow joins with %s', async (choice) => {
		const other = await foreign();
		await publish(share);
		await publish({ options: { ifWebhookExists: choice } });

		expect((await listed())?.subscribers.map(({ kind }) => kind)).toEqual([
			'workflow',
			'workflow',
			'external',
		]);
		expect((await listed())?.subscribers[2]?.url).toBe(`${other.url}?token=1`);
	});
});

describe('a delivery', () => {
	/** A workflow and another system, and how often the latter was called. */
	const shared = async (options = {}) => {
		const other = await foreign();
		const trigger = await publish({ options: { ifWebhookExists: 'share', ...options } });
		const before = other.received.length;
		return { trigger, other, calls: () => other.received.length - before };
	};

	test('that the hub’s own filter drops is forwarded, once', async () => {
		const { trigger, calls } = await shared({ chatType: 'group' });
		const body = messageBody();
		for (let times = 1; times <= 2; times++) {
			expect(await deliver('event', { body })).toBe(200);
			expect(calls()).toBe(1);
		}
		expect(idsOf(trigger)).toEqual([]);
	});

	test.each([
		['with another signature', { signature: 'other-key' as const }],
		['that is old', { timestamp: { offsetSeconds: -310 } }],
		['without an ID', { headers: { 'X-Service-Event-Id': null } }],
	])('%s is never forwarded', async (_, forged) => {
		const { calls } = await shared();
		expect(await deliver('event', forged)).not.toBe(200);
		expect(calls()).toBe(0);
	});

	test('with a forged list is forwarded as the service has it, which is read once a minute', async () => {
		const { trigger, calls } = await shared();
		const victim = await receiver();
		const forged = registrationOf(
			[subscriberOf(trigger), { ...subscriberOf(trigger), url: victim.url, kind: 'external' }],
			'guessed',
		);
		await place.service.control.clearRequests();
		for (let count = 1; count <= 5; count++) {
			const url = count === 5 ? `${urlOf(trigger)}?subscribers=x` : forged.url;
			// Later, the list may be a newer one than the one that was read.
			expect(await deliver(`${count}`, { url })).toBe(count === 1 ? 200 : 503);
		}
		expect([calls(), victim.received.length, await requestsOf('webhook.get')]).toEqual([1, 0, 1]);

		time.skip(MINUTE);
		await deliver('later', { url: forged.url });
		expect(await requestsOf('webhook.get')).toBe(2);
	});

	test('does not wait minutes for a service that does not respond when the list is read', async () => {
		const { trigger, calls } = await shared();
		await place.service.control.addFault({ operationId: 'webhook.get', kind: 'silence' });
		jest.mocked(clock.sleep).mockImplementationOnce(async (ms) => expect(ms).toBe(10_000));

		expect(await deliver('event', { url: `${urlOf(trigger)}?subscribers=x` })).toBe(503);

		expect(calls()).toBe(0);
	});

	test('reaches everybody when the service drops the list from the URL', async () => {
		const { trigger, calls } = await shared();
		await place.service.control.clearRequests();

		for (const id of ['one', 'two']) expect(await deliver(id, { url: urlOf(trigger) })).toBe(200);
		expect([idsOf(trigger), calls(), await requestsOf('webhook.get')]).toEqual([['one', 'two'], 2, 1]);
	});

	test('reaches everybody after a change of the secret, before the list is signed again', async () => {
		const triggers = [...(await pair())];
		await api('POST', '/webhooks/rotate-secret');
		for (const trigger of triggers) trigger.credential.signingSecret = await secret();
		time.skip(2 * MINUTE);
		await place.service.control.clearRequests();

		for (const id of ['one', 'two']) expect(await deliver(id)).toBe(200);

		expect(triggers.map(idsOf)).toEqual(Array(2).fill(['one', 'two']));
		expect(await requestsOf('webhook.get')).toBe(1);
	});

	test.each([
		['another system has', async () => await foreign()],
		['nobody has', async () => await api('DELETE', '/webhooks')],
	])('is asked for again when its list is not signed, and %s the webhook now', async (_, replace) => {
		await publish();
		await publish();
		const url = (await config())?.url ?? '';
		await replace();

		expect(await deliver('event', { url: `${url}x` })).toBe(503);
	});

	test('whose list is old is taken by a workflow that is alone by now', async () => {
		const [, second] = await pair();
		const { url } = (await config()) ?? {};
		await second.deactivate();

		expect(await deliver('event', { url: `${url}x` })).toBe(200);
	});

	test.each([
		['without its list', (url: string) => url.split('?')[0]],
		['with a newer list than the one that was read', (url: string) => `${url}x`],
	])('%s reaches a workflow that has just joined', async (_, received) => {
		const triggers = [...(await pair())];
		const url = async () => received((await config())?.url ?? '');
		expect(await deliver('one', { url: await url() })).toBe(200);
		triggers.push(await publish());

		expect(await deliver('two', { url: await url() })).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['one', 'two'], ['one', 'two'], ['two']]);
	});
});

test('all workflows get an event that comes without the list, also right after a start of n8n', async () => {
	const triggers = [await create(), await create()] as const;
	// This process has not seen the key, and the webhook stands.
	const { apiKey } = await place.service.control.createKey({ permissions: [] });
	for (const { credential } of triggers) credential.apiKey = apiKey;
	await register(...triggers.map(subscriberOf));
	for (const trigger of triggers) await trigger.activate('init');

	expect(await deliver('event', { url: urlOf(triggers[0]) })).toBe(200);

	expect(triggers.map(idsOf)).toEqual([['event'], ['event']]);
});
