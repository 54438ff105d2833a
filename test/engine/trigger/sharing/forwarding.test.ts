import { REQUEST_HEADER } from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import { messageBody } from '../../../support/engine/trigger';
import { sign } from '../../../support/service/core/signature';
import { foreignConfig, idsOf, MINUTE, share, useSharing } from './sharing';

const sharing = useSharing();
const { place, api, time, receiver, publish, pair, config, secret, urlOf } = sharing;
const { subscriberOf, foreign, deliver, requestsOf } = sharing;

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

	test('with another signature is never forwarded', async () => {
		const { calls } = await shared();
		expect(await deliver('event', { signature: 'other-key' })).not.toBe(200);
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

	test('with a newer list than the one that was read reaches a workflow that has just joined', async () => {
		const triggers = [...(await pair())];
		const url = async () => `${(await config())?.url}x`;
		expect(await deliver('one', { url: await url() })).toBe(200);
		triggers.push(await publish());

		expect(await deliver('two', { url: await url() })).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['one', 'two'], ['one', 'two'], ['two']]);
	});
});
