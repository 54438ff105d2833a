import { createServer } from 'node:http';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import { close, listen } from '../../../support/localServer';
import { idsOf, MINUTE, share, useSharing } from './sharing';

const sharing = useSharing();
const { place, api, time, publish, pair, config, secret, oldSecret, listed } = sharing;
const { subscriberOf, setWebhook, deliver, requestsOf, watch } = sharing;
const { advance, endings } = sharing;

describe('looking after the subscription', () => {
	test('restores a webhook also after the clock was set back by hours', async () => {
		const trigger = await publish();
		await watch(trigger);
		await advance(1);
		await api('DELETE', '/webhooks');
		const now = jest.mocked(clock.now).mockImplementation(() => Date.now() - 180 * MINUTE);
		await advance(10);
		now.mockImplementation(() => Date.now());

		expect(await config()).toMatchObject({ url: subscriberOf(trigger).url, is_active: true });
	});

	test('looks again only after five minutes for a trigger whose credential had no signing secret', async () => {
		const trigger = await publish();
		const { signingSecret } = trigger.credential;
		trigger.credential.signingSecret = '';
		await api('DELETE', '/webhooks');
		await watch(trigger);
		await advance(1);
		trigger.credential.signingSecret = signingSecret;

		await advance(4);
		expect((await config())?.is_active).toBe(false);
		await advance(1);
		expect((await config())?.is_active).toBe(true);
	});

	test('leaves the webhook to a hub with an old secret, whose user is alerted, and says why no events may come', async () => {
		const [hub, other, third] = [await publish(), await publish(), await publish()];
		const before = await config();
		hub.credential.signingSecret = oldSecret();
		await watch(hub, other, third);
		// The sample at publication verified an event, too.
		time.skip(6 * MINUTE);
		await place.service.control.clearRequests();
		await advance(20);
		for (let count = 1; count <= 5; count++) expect(await deliver(`event-${count}`)).toBe(401);

		expect([await config(), await requestsOf('webhook.test')]).toEqual([before, 0]);
		expect(hub.taken).toEqual([
			{
				json: { report: expect.objectContaining({ message: expect.stringMatching(/^Events are rejected/) }) },
			},
		]);
		expect(other.log).toContainEqual(
			expect.stringMatching(
				/has another 'Signing Secret'\. Give all .* \(webhook .*; an event verified \d+ s ago/,
			),
		);

		hub.credential.signingSecret = await secret();
		time.skip(2_000);
		expect(await deliver('again')).toBe(200);
		expect([hub, other, third].map((trigger) => idsOf(trigger).at(-1))).toEqual(Array(3).fill('again'));
	});

	test('keeps another system as one that registers itself again and fails on the questions of a trigger', async () => {
		const trigger = await publish(share);
		const server = createServer(({ headers }, response) => {
			response.writeHead(headers['x-service-signature'] === undefined ? 500 : 200).end();
		});
		const url = `${await listen(server)}/api/v1/webhook`;
		endings.push(async () => await close(server));
		await setWebhook({ url, events: ['message.received'], timeoutSeconds: 7 });
		await watch(trigger);
		await advance(20);

		expect((await listed())?.subscribers).toMatchObject([{ kind: 'workflow' }, { url, kind: 'external' }]);
		expect(await deliver()).toBe(200);
	});

	test('signs the list again as a hub that has verified an event, although another one has another secret', async () => {
		const [hub, other] = await pair();
		const old = oldSecret();
		other.credential.signingSecret = old;
		// The sample at publication verified an event, too.
		time.skip(6 * MINUTE);
		await setWebhook(registrationOf([subscriberOf(hub), subscriberOf(other)], old));
		const before = await config();
		await watch(hub);
		await advance(12);
		expect(await config()).toEqual(before);

		expect(await deliver()).toBe(200);
		await advance(6);
		expect((await listed())?.isSigned).toBe(true);
	});
});
