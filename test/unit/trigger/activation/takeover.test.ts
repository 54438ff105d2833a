import {
	noteDeactivated,
	noteActivated,
} from '../../../../nodes/MessagingChannel/trigger/activation/subscription';
import { takeOver } from '../../../../nodes/MessagingChannel/trigger/activation/takeover';
import { clock, secretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import type { Verification } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { checkUrlOf, newCheckToken } from '../../../../nodes/MessagingChannel/webhook/checkUrl';
import { OWN_URL, serviceWith, triggerOf, webhookOf, workflow } from './triggerOf';

const own = workflow(OWN_URL);
const hub = workflow('https://n8n.example.com/webhook/hub/webhook');
const other = workflow('https://n8n.example.com/webhook/other/webhook');
const listed = webhookOf([hub, own, other], 'the secret of the hub');

const right: Verification = {
	verified: true,
	event: { id: 'sample', type: 'message.received', body: {}, keys: [] },
	deliveredAt: '2030-01-31T09:00:00.000Z',
	rawBody: Buffer.from('{}'),
};
const wrong: Verification = { verified: false, status: 401, error: 'invalid_signature', reason: 'it is not' };

let services = 0;

/** A trigger that takes over from the hub of this webhook, with what the sample of the service shows. */
function triggerBeside(webhook: ReturnType<typeof webhookOf> | null, shown?: Verification) {
	const service = serviceWith(webhook);
	service.sendSample = (url) => {
		const token = new URL(url).searchParams.get('check');
		if (shown) secretChecks.open(token, Date.now())?.report(shown);
	};
	const { respond } = service;
	const { context } = triggerOf({ baseUrl: `https://service-${++services}.example.com`, respond });
	return { service, takenOver: async () => await takeOver(context, OWN_URL, hub.url) };
}

afterEach(() => jest.restoreAllMocks());

test('a trigger whose secret is right becomes the hub, and the others stay on the list', async () => {
	const { service, takenOver } = triggerBeside(listed, right);

	expect(await takenOver()).toBe(true);

	expect(service.webhook).toEqual(webhookOf([own, hub, other]));
});

test.each<[string, Verification | undefined, string]>([
	['is wrong', wrong, 'showed that the one of this workflow is wrong'],
	['stays in doubt', undefined, 'did not show which one is right'],
])('a trigger whose secret %s leaves the webhook as it was, and says what to do', async (_, shown, words) => {
	const { service, takenOver } = triggerBeside(listed, shown);

	await expect(takenOver()).rejects.toThrow(
		`The trigger that receives the events has another 'Signing Secret', and the service's sample event ${words}. Give all credentials of this account the same 'Signing Secret'.`,
	);

	expect(service.webhook).toEqual(listed);
});

test.each([
	['an hour', undefined, 2],
	['ever', wrong, 1],
])('a secret is checked once within %s', async (_, shown, checks) => {
	const { service, takenOver } = triggerBeside(listed, shown);
	const hour = 3_600_000;
	const now = jest.spyOn(clock, 'now').mockReturnValue(10 * hour);
	await expect(takenOver()).rejects.toThrow();
	now.mockReturnValue(11 * hour - 1);
	expect(await takenOver()).toBe(false);
	now.mockReturnValue(11 * hour);
	await takenOver().catch(() => undefined);

	expect(service.requests.filter((request) => request === 'POST test')).toHaveLength(checks);
});

describe('a trigger does not take over', () => {
	test.each([
		['without a webhook', null],
		['from another hub', webhookOf([other, own])],
		['from a list on which it is not', webhookOf([hub, other])],
		[
			'while another one checks its secret',
			{ ...listed, url: checkUrlOf(listed.url, newCheckToken(Date.now())) },
		],
	])('%s', async (_, webhook) => {
		const { service, takenOver } = triggerBeside(webhook, right);

		expect(await takenOver()).toBe(false);

		expect(service.requests).toEqual(['GET webhooks']);
	});

	test('when it is deactivated', async () => {
		const { service, takenOver } = triggerBeside(listed, right);
		noteDeactivated(OWN_URL);

		expect(await takenOver()).toBe(false);

		expect(service.requests).toEqual(['GET webhooks']);
		noteActivated(OWN_URL);
	});
});
