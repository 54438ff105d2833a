import { createServer } from 'node:http';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { close, listen } from '../../../support/localServer';
import type { Trigger } from '../../../support/engine/trigger';
import { foreignConfig, idsOf, lost, MINUTE, NOWHERE, share, useSharing } from './sharing';

const sharing = useSharing();
const { place, api, time, receiver, create, publish, pair, config, secret, oldSecret, listed } = sharing;
const { urls, urlOf, subscriberOf, setWebhook, register, foreign, deliver, requestsOf, watch } = sharing;
const { advance, die, deleteCredential, endings } = sharing;

describe('looking after the subscription', () => {
	test.each<[string, (triggers: readonly [Trigger, Trigger]) => Promise<unknown>, number]>([
		['an entry that is missing', async ([hub]) => await setWebhook(subscriberOf(hub)), 1],
		['a webhook that was deleted', async () => await api('DELETE', '/webhooks'), 1],
		[
			'events that are missing',
			async () => await api('POST', '/webhooks', { ...(await config()), is_active: undefined, events: [] }),
			1,
		],
		[
			'a list of an old secret',
			async ([hub, other]) =>
				await setWebhook(registrationOf([subscriberOf(hub), subscriberOf(other)], 'an-old-secret')),
			1,
		],
	])('restores %s', async (_, happens, minutes) => {
		const both = await pair();
		const before = await listed();
		await happens(both);
		await watch(...both);
		await advance(minutes);

		expect((await listed())?.isSigned).toBe(true);
		expect(new Set(await urls())).toEqual(new Set(before?.subscribers.map(({ url }) => url)));
		expect((await config())?.events).toEqual(['message.received']);
		expect(await deliver()).toBe(200);
		expect(both.map(idsOf)).toEqual([['event'], ['event']]);
		expect(both.flatMap(({ log }) => log)).toContain("Listens: the account's webhook was repaired");
	});

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

	test('removes a test that n8n did not end', async () => {
		const hub = await publish();
		const before = await config();
		const tested = await create();
		await tested.activate('manual');
		time.skip(11 * MINUTE);
		await watch(hub);
		await advance(1);

		expect(await config()).toEqual(before);
	});

	test.each(['fail', 'replace', 'share'])(
		'with %s takes the place of a test that n8n did not end, beside another system, also after a change of the secret',
		async (choice) => {
			const production = await publish({ options: { ifWebhookExists: choice } });
			const { url } = await receiver();
			const tested: Subscriber = {
				...subscriberOf(production),
				url: urlOf(production).replace('/webhook/', '/webhook-test/'),
				kind: 'test',
				expiresAt: Math.floor(Date.now() / 1000) - 1,
			};
			const external: Subscriber = { ...subscriberOf(production), url, kind: 'external' };
			await setWebhook(registrationOf([tested, external], oldSecret()));
			await watch(production);
			await advance(1);

			expect(await urls()).toEqual([urlOf(production), url]);
		},
	);

	test.each([
		['a dead hub', 0],
		['a workflow that is gone', 1],
	])('removes %s within minutes, and not at once', async (_, dead) => {
		const both = await pair();
		const alive = both[1 - dead] as Trigger;
		await die(both[dead] as Trigger);
		await watch(alive);
		await advance(1);
		expect(await urls()).toHaveLength(2);
		await advance(2);

		expect(await config()).toMatchObject({ url: urlOf(alive), is_active: true });
		expect(await deliver()).toBe(200);
		expect(idsOf(alive)).toEqual(['event']);
	});

	test.each<[string, string, RegExp | undefined]>([
		[
			'fail',
			'stays',
			/the webhook could not be repaired: The account's webhook already points to .* set it to 'Replace'/,
		],
		[
			'replace',
			'stays',
			/the webhook could not be repaired: The account's webhook already points to .* Unpublish and publish the workflow/,
		],
		['share', 'shares', undefined],
	])('with %s, another system that has set its own webhook %s', async (choice, _, words) => {
		const trigger = await publish({ options: { ifWebhookExists: choice } });
		const other = await foreign();
		await watch(trigger);
		await advance(11);

		if (words === undefined) {
			expect(await urls()).toEqual([urlOf(trigger), `${other.url}?token=1`]);
			return;
		}
		expect(await config()).toEqual(foreignConfig(other));
		expect(trigger.log.filter((line) => words.test(line))).toHaveLength(1);
	});

	test('takes over from a hub of another n8n that no longer responds, and leaves it on the list', async () => {
		const trigger = await create(share);
		await register(lost('one'), lost('two'));
		await trigger.activate('init');
		expect((await urls())?.[0]).toBe(lost('one').url);
		await watch(trigger);
		await advance(4);
		expect((await urls())?.[0]).toBe(lost('one').url);
		await advance(4);

		expect(await urls()).toEqual([urlOf(trigger), lost('one').url, lost('two').url]);
		expect(await deliver()).toBe(503);
		expect(idsOf(trigger)).toEqual(['event']);
	});

	test.each<[string, string, string, Subscriber['kind'], () => Promise<string> | string]>([
		['n8n', 'an old', '/webhook/one/webhook', 'workflow', oldSecret],
		['another system', 'an old', '/api/v1/webhook', 'external', oldSecret],
		['n8n, whatever its path', 'the same', '/api/v1/webhook', 'workflow', secret],
	])(
		'keeps a hub that no longer responds as one of %s, on a list with %s secret',
		async (_, _which, path, kind, signedWith) => {
			const trigger = await publish();
			const hub = { ...lost('one'), url: `${NOWHERE}${path}` };
			await setWebhook(registrationOf([hub, subscriberOf(trigger)], await signedWith()));
			await watch(trigger);
			await advance(10);

			expect((await listed())?.subscribers).toMatchObject([{ url: urlOf(trigger) }, { url: hub.url, kind }]);
		},
	);

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

	test('takes over from a hub whose credential was deleted, and leaves it on the list', async () => {
		const [hub, other] = await pair();
		deleteCredential(hub);
		await watch(other);
		time.skip(2 * MINUTE);
		expect(await deliver('before')).toBe(503);
		await advance(4);
		expect((await urls())?.[0]).toBe(urlOf(hub));
		await advance(4);

		expect(await urls()).toEqual([other, hub].map((trigger) => urlOf(trigger)));
		expect(await deliver()).toBe(503);
		expect(idsOf(other)).toEqual(['event']);
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
