import type { IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';

import { forwardToOthers } from '../../../../nodes/MessagingChannel/trigger/delivery/forwardToOthers';
import { clock } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import {
	REQUEST_HEADER,
	RESPONSE_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { OWN_URL, triggerOf, workflow } from '../activation/triggerOf';
import { BODY, delivery, NOW, SECRET } from '../deliveries';

const MINUTE = 60_000;

/** How a receiver responds: with a status, as a trigger of this package or not, or not at all. */
type Response = { status: number; isTrigger?: boolean } | 'never' | 'connection refused';

let now = NOW;
beforeEach(() => {
	now += 180 * MINUTE;
	jest.spyOn(clock, 'now').mockImplementation(() => now);
});
afterEach(() => void jest.restoreAllMocks());

let receivers = 0;

/** A receiver that this process has not called yet. */
const receiver = (kind: Subscriber['kind'] = 'workflow', more: Partial<Subscriber> = {}): Subscriber => ({
	...workflow(`https://n8n.example.com/webhook/${++receivers}/webhook`),
	kind,
	...more,
});
const listening = () => receiver('test', { expiresAt: now / 1000 + 600 });

/** What a hub does with deliveries to these others, whose responses a test can change. */
function hubOf(others: Subscriber[], { mode = 'webhook', type = 'message.received' } = {}) {
	const responses = new Map<string, Response>();
	const calls: string[] = [];
	const timeouts: unknown[] = [];
	const reports: object[] = [];
	const log: string[] = [];
	const { context } = triggerOf({ baseUrl: `https://hub-${receivers}.example.com`, secret: SECRET });
	const httpRequest = async ({ url, headers, body, timeout }: IHttpRequestOptions) => {
		const isReport = String(headers?.[REQUEST_HEADER]).startsWith('report.');
		if (isReport) reports.push(JSON.parse(String(body)) as object);
		else {
			calls.push(url);
			timeouts.push(timeout);
		}
		const response = responses.get(url) ?? { status: 200, isTrigger: true };
		if (response === 'never') return await new Promise<never>(() => {});
		if (response === 'connection refused') throw new Error(response);
		const marks = response.isTrigger ? { [RESPONSE_HEADER]: '1' } : {};
		return await Promise.resolve({ statusCode: response.status, headers: marks, body: {} });
	};
	const url = new URL(registrationOf([workflow(OWN_URL), ...others], SECRET).url);
	const hub = {
		...context,
		getMode: () => mode,
		getQueryData: () => Object.fromEntries(url.searchParams),
		helpers: { ...context.helpers, httpRequest },
	} as unknown as IWebhookFunctions;
	/** Forwards an event. Resolves to whether it is done with, or to `waits` as long as it waits for a response. */
	const forward = async () => {
		const forwarded = forwardToOthers(
			hub,
			{
				headers: delivery().headers,
				rawBody: Buffer.from(BODY),
				event: { id: 'event-1', type, body: {}, keys: [] },
				secret: SECRET,
			},
			{ log: { note: (line) => void log.push(line), isEmpty: () => true } },
		);
		const later = new Promise((resolve) => setImmediate(resolve, 'waits'));
		return await Promise.race([forwarded, later]).finally(async () => await later);
	};
	return { hub, url, forward, responses, calls, timeouts, reports, log };
}

describe('an event', () => {
	test('goes to everybody who wants it, and not back to the hub', async () => {
		const others = [receiver(), listening(), receiver('external'), receiver('workflow', { events: [] })];
		const { forward, calls, timeouts } = hubOf(others);

		expect(await forward()).toBe(true);

		expect(calls).toEqual(others.slice(0, 3).map(({ url }) => url));
		expect(timeouts).toEqual([29_000, 29_000, 29_000]);
	});

	test('of a new type goes only to other systems', async () => {
		const others = [receiver(), receiver('external')];
		const { forward, calls } = hubOf(others, { type: 'message.edited' });

		expect(await forward()).toBe(true);

		expect(calls).toEqual([others[1]?.url]);
	});

	test('goes to nobody when the trigger has the webhook alone', async () => {
		const { forward, url, calls } = hubOf([receiver()]);
		url.search = '';

		expect(await forward()).toBeUndefined();

		expect(calls).toEqual([]);
	});

	test('is delivered again, and the log says why, when nobody knows the list', async () => {
		const { forward, url, calls, log } = hubOf([receiver()]);
		url.search = '?subscribers=x';

		expect(await forward()).toBe(false);

		expect(calls).toEqual([]);
		expect(log).toEqual([
			'An event could not be forwarded, because the list of its receivers could not be read',
		]);
	});
});

test('a receiver that does not respond in time gets the event again', async () => {
	const other = receiver();
	const { forward, responses, log } = hubOf([other]);
	responses.set(other.url, 'never');
	jest.spyOn(clock, 'sleep').mockResolvedValueOnce();

	expect(await forward()).toBe(false);

	expect(log).toEqual([
		`An event could not be forwarded to ${other.url}: it did not accept the event, so the service sends the event again`,
	]);
});

test('a receiver has no more time than a timer, however long the timeout of another system is', async () => {
	const { forward, timeouts } = hubOf([receiver('external', { timeoutSeconds: 3_000_000 })]);

	expect(await forward()).toBe(true);

	expect(timeouts).toEqual([3_599_000]);
});

test('a receiver has a second, however short the timeout of the service is', async () => {
	const others = [receiver('workflow', { timeoutSeconds: 1 })];
	const { url } = registrationOf([{ ...workflow(OWN_URL), timeoutSeconds: 1 }, ...others], SECRET);
	const hub = hubOf(others);
	hub.url.search = new URL(url).search;

	await hub.forward();

	expect(hub.timeouts).toEqual([1_000]);
});

describe('a test', () => {
	test('holds up nobody', async () => {
		const other = listening();
		const { forward, responses } = hubOf([other]);
		responses.set(other.url, 'never');
		jest.spyOn(clock, 'sleep').mockReturnValueOnce(new Promise(() => {}));

		expect(await forward()).toBe(true);
	});

	test('that responds is called again', async () => {
		const other = listening();
		const { forward, calls } = hubOf([other]);

		for (let count = 0; count < 2; count++) expect(await forward()).toBe(true);

		expect(calls).toEqual([other.url, other.url]);
	});

	test('that has ended is called no more, and another one with its URL is', async () => {
		const ended = listening();
		const again = { ...ended, expiresAt: now / 1000 + 660 };
		const [first, next] = [hubOf([ended]), hubOf([again])];
		for (const { responses } of [first, next]) responses.set(ended.url, { status: 404 });

		await first.forward();
		await first.forward();
		expect(first.calls).toEqual([ended.url]);

		// The time at which the first one expires.
		now += 10 * MINUTE;
		await next.forward();
		await first.forward();
		expect([first.calls, next.calls]).toEqual([[ended.url], [ended.url]]);
	});
});

describe('a workflow that has been gone for five minutes', () => {
	const gone = async (kind: 'workflow' | 'external') => {
		const other = receiver(kind);
		const hub = hubOf([other]);
		hub.responses.set(other.url, { status: 404 });
		for (let minute = 0; minute < 5; minute++, now += MINUTE) expect(await hub.forward()).toBe(false);
		expect(hub.reports).toEqual([]);
		return { ...hub, other };
	};
	const lines = (url: string) => [
		`An event could not be forwarded to ${url}: nothing responds there, so the service sends the event again`,
		`An event could not be forwarded to ${url}: nothing has responded there for five minutes, so the service no longer sends events again because of it`,
	];

	test('is no reason to deliver events again, and is not reported', async () => {
		const { forward, other, reports, log } = await gone('workflow');
		for (let count = 0; count < 5; count++) expect(await forward()).toBe(true);
		expect(reports).toEqual([]);
		expect([...new Set(log)]).toEqual(lines(other.url));
	});

	test('holds up nobody, and gets its events when it is back', async () => {
		const { forward, other, responses } = await gone('workflow');
		await forward();
		responses.set(other.url, 'never');
		jest.spyOn(clock, 'sleep').mockReturnValueOnce(new Promise(() => {}));
		expect(await forward()).toBe(true);

		responses.set(other.url, { status: 200, isTrigger: true });
		await forward();
		responses.set(other.url, { status: 404 });
		expect(await forward()).toBe(false);
	});

	test('is reported if it is another system', async () => {
		const { forward, other, reports, log } = await gone('external');
		const since = new Date(now).toISOString();
		for (let count = 0; count < 5; count++) expect(await forward()).toBe(true);
		expect(reports).toEqual([{ receiver: other.url, problem: 'refuses', since }]);
		expect([...new Set(log)]).toEqual(lines(other.url));
	});
});

describe('a receiver that', () => {
	test.each<[string, Subscriber['kind'], Response, boolean, string[]]>([
		['refuses', 'external', { status: 400 }, true, ['refuses']],
		['is blocked by a proxy', 'workflow', { status: 403 }, true, ['blocked']],
		['fails', 'external', { status: 500 }, false, []],
		['fails', 'workflow', { status: 500 }, false, []],
		// Its own execution says that its secret is wrong.
		['cannot verify the event', 'workflow', { status: 401, isTrigger: true }, true, []],
	])('%s (%s) five times in a row', async (_, kind, response, isDone, problems) => {
		const [accepting, other] = [receiver(kind), receiver(kind)];
		const { forward, responses, reports } = hubOf([accepting, other]);
		responses.set(other.url, response);
		const since = new Date(now).toISOString();

		for (let count = 0; count < 5; count++, now += 1_000) {
			expect(reports).toEqual([]);
			expect(await forward()).toBe(isDone);
		}

		expect(reports).toEqual(problems.map((problem) => ({ receiver: other.url, problem, since })));
		await forward();
		expect(reports).toHaveLength(problems.length);
	});

	test.each(['workflow', 'external'] as const)('fails for five minutes is reported (%s)', async (kind) => {
		const other = receiver(kind);
		const { forward, responses, reports } = hubOf([other]);
		responses.set(other.url, { status: 502 });
		await forward();
		now += 5 * MINUTE;
		const since = new Date(now).toISOString();
		expect(await forward()).toBe(false);
		expect(reports).toEqual([{ receiver: other.url, problem: 'fails', since }]);
	});

	test('fails once after it accepted events for minutes is not reported', async () => {
		const other = receiver();
		const { forward, responses, reports } = hubOf([other]);
		for (let minute = 0; minute <= 5; minute++, now += MINUTE) expect(await forward()).toBe(true);
		responses.set(other.url, { status: 502 });
		expect(await forward()).toBe(false);
		expect(reports).toEqual([]);
	});

	test('accepts an event in between is not reported', async () => {
		const other = receiver('external');
		const { forward, responses, reports } = hubOf([other]);
		for (const status of [400, 400, 400, 400, 200, 400, 400, 400, 400]) {
			responses.set(other.url, { status });
			await forward();
		}
		expect(reports).toEqual([]);
	});

	test('cannot verify the event gets it again if the credential has another secret by now, or none', async () => {
		const other = receiver();
		const { forward, hub, responses } = hubOf([other]);
		responses.set(other.url, { status: 401, isTrigger: true });
		const credentials = jest.spyOn(hub, 'getCredentials');

		credentials.mockResolvedValueOnce({ signingSecret: 'rotated' });
		expect(await forward()).toBe(false);
		credentials.mockRejectedValueOnce(new Error('Credentials not found'));
		expect(await forward()).toBe(false);
	});
});

describe('a report', () => {
	const reporting = (mode?: string) => {
		const other = receiver('external');
		other.url += '?token=1';
		const hub = hubOf([other], { mode });
		hub.responses.set(other.url, { status: 400 });
		const forward = async (times: number) => {
			for (let count = 0; count < times; count++) await hub.forward();
		};
		return { ...hub, forward, other };
	};

	test('names the receiver without its query, and comes at most once an hour', async () => {
		const { forward, reports, other } = reporting();
		await forward(20);
		expect(reports).toMatchObject([{ receiver: other.url.replace('?token=1', '') }]);

		now += 60 * MINUTE;
		await forward(1);
		expect(reports).toHaveLength(2);
	});

	test.each<[string, Response]>([
		['nothing responds to it', 'connection refused'],
		['something redirects it', { status: 300, isTrigger: true }],
		['a proxy responds to it', { status: 403, isTrigger: false }],
		['an n8n that starts responds to it', { status: 200, isTrigger: false }],
		['the trigger refuses it', { status: 401, isTrigger: true }],
	])('comes with the next event again when %s', async (_, response) => {
		const { forward, reports, responses } = reporting();
		responses.set(OWN_URL, response);
		await forward(6);
		expect(reports).toHaveLength(2);
	});

	test('comes in no test, whose user sees what happens', async () => {
		const { forward, reports } = reporting('manual');
		await forward(6);
		expect(reports).toEqual([]);
	});
});
