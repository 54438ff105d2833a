import { type INodeParameters } from 'n8n-workflow';

import { callerOf } from '../../support/service/testing';
import { useTrigger, type Trigger } from '../../support/engine/trigger';

const place = useTrigger();
const api = callerOf(() => place.service);
const { config } = place;
const elsewhere = { url: 'http://127.0.0.1:9/hook', events: ['message.sent'], timeout_seconds: 7 };

const production = (trigger: Trigger) => `${place.n8nUrl}/webhook/${pathOf(trigger)}`;
const HOW_TO_GET_A_SECRET =
	"If another credential for this account works, select it here. Otherwise, run Webhook > Rotate Secret once and paste the secret that it returns into the credential as 'Signing Secret'. All other workflows of this account stop receiving events until they have the new secret.";
const pathOf = ({ node: { webhookId } }: Trigger) => `${webhookId}/webhook`;

describe('activation', () => {
	test('registers the address, with the events and the timeout of the panel', async () => {
		const trigger = await place.trigger({
			parameters: { events: ['message.sent', 'message.status'], options: { timeoutSeconds: 12 } },
		});

		expect(await trigger.activate()).toBe(true);

		expect(await config()).toEqual({
			url: production(trigger),
			events: ['message.sent', 'message.status'],
			is_active: true,
			timeout_seconds: 12,
		});
		expect(trigger.log).toEqual([]);
		expect(trigger.taken).toEqual([]);
	});

	test('leaves a webhook that points elsewhere, and says what to do', async () => {
		await api('POST', '/webhooks', elsewhere);
		const trigger = await place.trigger();

		await expect(trigger.activate()).rejects.toThrow(
			/^The account's webhook already points to http:\/\/127\.0\.0\.1:9\/hook\. An account has only one webhook\. To receive the events at both URLs, set the option 'If Webhook Exists' of the trigger to 'Share'\. If the other URL is no longer needed, set it to 'Replace'\.$/,
		);
		expect(await config()).toEqual({ ...elsewhere, is_active: true });
		expect(await place.operations()).toEqual(['webhook.set', 'webhook.get']);
		expect(trigger.kept).toEqual({});
	});

	test('finds out that the signing secret is wrong, and sets the webhook back to what it was', async () => {
		await api('POST', '/webhooks', elsewhere);
		const trigger = await place.trigger({ parameters: { options: { ifWebhookExists: 'replace' } } });
		trigger.credential.signingSecret = 'an-old-secret';

		await expect(trigger.activate()).rejects.toThrow(
			`The 'Signing Secret' in the credential is not the one that the service uses. ${HOW_TO_GET_A_SECRET}`,
		);
		expect(await config()).toEqual({ ...elsewhere, is_active: true });
	});

	test.each([
		['drops', () => undefined],
		['changes', (signature: unknown) => `sha256=${String(signature)}`],
	])('does not blame the secret when a proxy %s the signature', async (_, change) => {
		const trigger = await place.trigger();
		const { receive } = trigger;
		jest.spyOn(trigger, 'receive').mockImplementation(async (request, ...more) => {
			request.headers['x-service-signature'] = change(request.headers['x-service-signature']);
			return await receive(request, ...more);
		});

		await expect(trigger.activate()).rejects.toThrow(
			/^The service's sample event came without a signature of .*'X-Service-Signature', let it pass\..* keep it\.$/,
		);
	});

	test('that fails where nothing was before is taken back by what n8n calls then', async () => {
		const trigger = await place.trigger();
		trigger.credential.signingSecret = 'an-old-secret';

		await expect(trigger.activate()).rejects.toThrow("The 'Signing Secret' in the credential");
		await trigger.deactivate();

		expect((await config())?.is_active).toBe(false);
	});

	test('finds out that the clocks are apart', async () => {
		await place.service.control.setClock({ offsetMs: 400_000 });

		await expect((await place.trigger()).activate()).rejects.toMatchObject({
			message:
				"The service's sample event has no timestamp within 5 minutes of n8n's clock. Correct the clock of the machine that runs n8n. If it is right, report this to the provider of the service. Until then, every event is rejected.",
			description: undefined,
		});
	});

	test('succeeds when the sample does not arrive, and says so in the log', async () => {
		await place.service.control.addFault({ operationId: 'webhook.test', kind: 'status', status: 404 });
		const trigger = await place.trigger();

		expect(await trigger.activate()).toBe(true);

		expect(trigger.log).toEqual([
			`Listens: the service's sample event did not arrive at ${production(trigger)}, so only the first event will show whether the service reaches this address and the signing secret is right`,
		]);
		expect((await config())?.url).toBe(production(trigger));
	});

	test('says in its own words what the service refuses', async () => {
		const trigger = await place.trigger();
		trigger.credential.apiKey = 'unknown';

		await expect(trigger.activate()).rejects.toMatchObject({
			name: 'NodeApiError',
			message:
				'The service rejected the API key. Open the credential and enter the API key from the account panel.',
		});
	});

	test('finds its addresses by the id of the workflow in nodes that have no path of their own', async () => {
		const trigger = await place.trigger({ node: { webhookId: undefined } });
		await trigger.activate();
		const { url = '' } = (await config()) ?? {};

		await trigger.activate('manual');
		expect((await config())?.url.startsWith(`${url}?`)).toBe(true);
		await trigger.deactivate('manual');

		expect((await config())?.url).toBe(url);
	});
});

describe('when n8n starts', () => {
	test.each(['init', 'leadershipChange'] as const)(
		'the webhook is set again, without a sample (%s)',
		async (mode) => {
			const trigger = await place.trigger();

			expect(await trigger.activate(mode)).toBe(true);

			expect((await config())?.url).toBe(production(trigger));
			expect(await place.service.control.deliveries()).toEqual([]);
		},
	);

	test.each([429, 500])('a service that answers %i changes nothing', async (status) => {
		const inAnHour = Math.floor(Date.now() / 1000) + 3600;
		const headers = {
			'X-RateLimit-Limit': '100',
			'X-RateLimit-Remaining': '0',
			'X-RateLimit-Reset': String(inAnHour),
		};
		await place.service.control.addFault({
			kind: 'status',
			status,
			...(status === 429 && { headers }),
			times: 'always',
		});
		const trigger = await place.trigger();

		expect(await trigger.activate('init')).toBe(true);

		expect(trigger.log).toEqual([
			'Listens: the service could not be reached at startup, so the webhook was not checked',
		]);
	});
});

describe('listening for a test event', () => {
	const parameters: INodeParameters = { events: ['message.received'], options: { timeoutSeconds: 17 } };

	test('sends no sample where nothing was before', async () => {
		await (await place.trigger({ parameters })).activate('manual');

		expect(await place.service.control.deliveries()).toEqual([]);
	});
});

describe('deactivation', () => {
	test('ends nothing of the workflow that a copy has its URL from', async () => {
		const trigger = await place.trigger();
		await trigger.activate();
		const { id, webhookId } = trigger.node;
		const copy = await place.trigger({ node: { id, webhookId }, workflowId: 'copy' });

		// n8n 1.x asks for it after it has refused to activate the copy.
		await copy.deactivate();

		expect((await config())?.is_active).toBe(true);
		await trigger.deactivate();
		await copy.activate();
		await copy.deactivate();
		expect((await config())?.is_active).toBe(false);
	});
});
