import { useSharing } from './sharing';

const sharing = useSharing();
const { place, api, publish, pair, config, urlOf, watch, advance } = sharing;

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

test('a trigger whose API key was changed to that of another account says nothing if the one before has its webhook back', async () => {
	const trigger = await publish();
	await trigger.deactivate();
	await place.service.control.setAccount({ id: 'account-2' });
	trigger.credential.apiKey = (await place.service.control.createKey({ permissions: [] })).apiKey;
	await trigger.activate();
	await watch(trigger);
	await advance(10);

	expect([trigger.log, trigger.reported]).toEqual([[], []]);
	expect((await config())?.url).toBe(urlOf(trigger));
});
