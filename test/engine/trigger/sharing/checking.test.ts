import type { Trigger } from '../../../support/engine/trigger';
import { useSharing } from './sharing';

const sharing = useSharing();
const { place, api, time, publish, pair, config, urlOf, subscriberOf, setWebhook, foreign } = sharing;
const { requestsOf, watch, advance, die, endings } = sharing;

describe('looking after the subscription', () => {
	test('makes at most one request a minute for all workflows, and changes nothing that is right', async () => {
		const triggers = [await publish(), await publish(), await publish()];
		const before = await config();
		await place.service.control.clearRequests();
		await watch(...triggers);
		await advance(30);

		const requests = await place.service.control.requests();
		expect(new Set(requests.map(({ operationId }) => operationId))).toEqual(new Set(['webhook.get']));
		expect(requests.length).toBeGreaterThan(4);
		expect(requests.length).toBeLessThanOrEqual(30);
		expect(await config()).toEqual(before);
		expect(triggers.flatMap(({ log }) => log)).toEqual([]);
	});

	test.each<[string, () => Promise<unknown>]>([
		[
			'the service fails',
			async () => await place.service.control.addFault({ kind: 'status', status: 503, times: 'always' }),
		],
		[
			'the webhook cannot be set',
			async () => {
				await api('DELETE', '/webhooks');
				const fault = { operationId: 'webhook.set', kind: 'status', status: 500, times: 'always' } as const;
				await place.service.control.addFault(fault);
			},
		],
		['another system has the webhook', async () => await foreign()],
	])('makes few requests while %s', async (_, happens) => {
		const triggers = [await publish(), await publish(), await publish(), await publish()];
		await happens();
		await place.service.control.clearRequests();
		for (const trigger of triggers) {
			endings.push(await trigger.watch());
			time.skip(10_000);
		}
		await time.untilPausing(triggers.length);
		// All look in the same minute, one after the other: a look, and what one of them tries.
		await advance(1, 10_000);
		expect((await place.service.control.requests()).length).toBeLessThanOrEqual(3);
		await advance(20, 10_000);
		const byOperation = await place.service.control.requests({ operationId: 'webhook.get' });
		expect(byOperation.length).toBeLessThanOrEqual(21);
		await place.service.control.clearFaults();
	});

	test('makes few requests, and says so once, when the service limits the timeout', async () => {
		const trigger = await publish({ options: { timeoutSeconds: 120 } });
		await watch(trigger);
		let repairs = 0;
		for (let minute = 0; minute < 60; minute++) {
			if ((await config())?.timeout_seconds === 120) repairs++;
			await setWebhook({ ...subscriberOf(trigger), timeoutSeconds: 60 });
			await advance(1);
		}

		expect(repairs).toBeLessThan(15);
		expect(trigger.log).toEqual(["Listens: the account's webhook was repaired"]);
	});

	test('says so once when the service keeps nothing of what it sets', async () => {
		const trigger = await publish();
		await api('DELETE', '/webhooks');
		const kept = { kind: 'status', status: 200, body: { success: true }, times: 'always' } as const;
		await place.service.control.addFault({ ...kept, operationId: 'webhook.set' });
		await watch(trigger);
		await advance(30);

		expect(trigger.log).toEqual([
			"Listens: the account's webhook was repaired",
			expect.stringContaining('Listens: the webhook could not be repaired: What n8n sets is not there'),
		]);
	});

	test('says that it has repaired only what it has', async () => {
		const [hub, ...others] = [await publish(), await publish(), await publish()] as const;
		await die(hub);
		await watch(...others);
		await place.service.control.clearRequests();
		await advance(10);

		// Both see that the hub is gone, and one of them removes it.
		expect(await requestsOf('webhook.set')).toBe(1);
		expect(others.flatMap(({ log }) => log)).toEqual(["Listens: the account's webhook was repaired"]);
	});

	test('is done once for a trigger that n8n starts again without ending it', async () => {
		const trigger = await publish();
		await watch(trigger);
		endings.push(await trigger.watch());
		await time.untilPausing(1);
	});

	test('never adds a workflow that was unpublished', async () => {
		const [hub, other] = await pair();
		await watch(hub, other);
		await other.deactivate();
		await advance(6);

		expect(await config()).toMatchObject({ url: urlOf(hub) });
		await hub.deactivate();
		await advance(6);
		expect((await config())?.is_active).toBe(false);
	});
});

describe('a trigger whose API key was changed to that of another account', () => {
	const change = async (trigger: Trigger) => {
		await place.service.control.setAccount({ id: 'account-2' });
		trigger.credential.apiKey = (await place.service.control.createKey({ permissions: [] })).apiKey;
	};
	const TOLD = expect.stringContaining("The account before is 'account-1'");

	test.each([
		['tells so when it is published again', change, TOLD],
		[
			'says nothing if the account before has its webhook back',
			async () => await Promise.resolve(),
			undefined,
		],
	])('%s', async (_, beforeIt, told) => {
		const trigger = await publish();
		await beforeIt(trigger);
		await trigger.deactivate();
		await change(trigger);
		await trigger.activate();
		await watch(trigger);
		await advance(10);

		expect([trigger.log, trigger.reported]).toEqual([told ? [told] : [], []]);
		expect((await config())?.url).toBe(urlOf(trigger));
	});
});
