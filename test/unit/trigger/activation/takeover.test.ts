import type { IHttpRequestOptions, ITriggerFunctions } from 'n8n-workflow';

import { API_PATH } from '../../../../nodes/MessagingChannel/api/baseUrl';
import { takeOver } from '../../../../nodes/MessagingChannel/trigger/activation/takeover';
import {
	noteActivated,
	noteDeactivated,
} from '../../../../nodes/MessagingChannel/trigger/activation/subscription';
import { secretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import { checkUrlOf, newCheckToken } from '../../../../nodes/MessagingChannel/webhook/checkUrl';
import { registrationOf, subscribersIn } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Registration, Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { answer } from '../../api/scripted';

// Time stands still: a check is open for seconds only.
const NOW = Date.UTC(2030, 0, 31, 9);
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

const SECRET = 'the-secret-of-the-trigger';

const workflowAt = (name: string): Subscriber => ({
	url: `https://n8n.example/webhook/${name}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
});
const [hub, own, other] = [workflowAt('hub'), workflowAt('own'), workflowAt('other')];
const listOf = (...subscribers: Subscriber[]) => registrationOf(subscribers, 'the-secret-of-the-hub');
const shared = listOf(hub, own, other);

/** What the check finds out from the service's sample event. */
type Sample = 'right' | 'wrong' | 'not sent';

/** A check remembers when it was made for an account. */
let accounts = 0;

/** Lets the trigger take over from the hub where the service has this webhook, and sends this sample. */
function attempt(webhook: Registration | undefined, sample: Sample = 'right') {
	let url = webhook?.url;
	const requests: string[] = [];
	const baseUrl = `https://service-${++accounts}.example${API_PATH}`;
	const credential = { baseUrl, apiKey: 'key', signingSecret: SECRET };
	const request = (path: string, { method, body }: IHttpRequestOptions) => {
		requests.push(`${method} ${path}`);
		if (method === 'GET')
			return answer(200, { success: true, data: { ...webhook, url, is_active: url !== undefined } });
		if (path === '/webhooks') {
			({ url } = body as { url: string });
		} else {
			if (sample === 'not sent') return answer(400, { success: false, error: 'no sample' });
			const check = secretChecks.open(new URL(String(url)).searchParams.get('check'), NOW);
			check?.report(
				sample === 'right'
					? {
							verified: true,
							event: { id: 'sample', type: 'message.received', body: {}, keys: [] },
							deliveredAt: '',
							rawBody: Buffer.from('{}'),
						}
					: { verified: false, status: 401, error: 'invalid_signature', reason: '' },
			);
		}
		return answer(200, { success: true, data: {} });
	};
	const context = {
		getCredentials: async () => await Promise.resolve(credential),
		getNode: () => ({ name: 'Listens' }),
		getNodeParameter: (name: string, fallback: unknown) => (name === 'events' ? own.events : fallback),
		helpers: {
			httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) =>
				await Promise.resolve(request(options.url.replace(baseUrl, ''), options)),
		},
	} as unknown as ITriggerFunctions;
	const result = takeOver(context, own.url, hub.url);
	return { result, requests, urlAfter: () => url };
}

test('a trigger whose secret is right takes over, and the hub stays on the list', async () => {
	const { result, urlAfter } = attempt(shared);

	expect(await result).toBe(true);
	expect(subscribersIn(urlAfter() ?? '', SECRET)).toEqual({ subscribers: [own, hub, other], isSigned: true });
});

test.each<[Sample, string]>([
	['wrong', 'showed that the one of this workflow is wrong'],
	['not sent', 'did not show which one is right'],
])('a trigger whose sample is %s says so, and the webhook stays', async (sample, words) => {
	const { result, urlAfter } = attempt(shared, sample);

	await expect(result).rejects.toThrow(
		`The trigger that receives the events has another 'Signing Secret', and the service's sample event ${words}. Give all credentials of this account the same 'Signing Secret'.`,
	);
	expect(urlAfter()).toBe(shared.url);
});

describe('a trigger leaves the webhook alone', () => {
	afterEach(() => noteActivated(own.url));

	test.each<[string, Registration | undefined]>([
		['there is none any more', undefined],
		['another trigger is the hub now', listOf(other, own)],
		['the trigger is no longer on the list', listOf(hub, other)],
		['another trigger checks its secret', { ...shared, url: checkUrlOf(shared.url, newCheckToken(NOW)) }],
	])('if %s', async (_, webhook) => {
		const { result, requests } = attempt(webhook);

		expect(await result).toBe(false);
		expect(requests).toEqual(['GET /webhooks']);
	});

	test('if n8n has deactivated the trigger', async () => {
		noteDeactivated(own.url);
		const { result, requests } = attempt(shared);

		expect(await result).toBe(false);
		expect(requests).toEqual(['GET /webhooks']);
	});
});
