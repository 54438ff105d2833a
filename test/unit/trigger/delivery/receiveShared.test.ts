import type { IDataObject } from 'n8n-workflow';

import type { Subscriber, Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { OWN_URL, webhookOf, workflow, type Answer } from '../activation/triggerOf';
import {
	message,
	MINUTE,
	OTHER,
	queryOf,
	settled,
	SHARED,
	sharedWith,
	useReceiver,
	type ReceivingTrigger,
} from './receiver';

const { newTrigger, now, pass, elapse } = useReceiver();

describe('an event that others get, too', () => {
	const headers = { 'x-service-event-id': 'forwarded' };

	test.each<[string, Subscriber['kind'], number, boolean, number | undefined]>([
		['a system passes on, which is responded to at once', 'external', 0, false, 200],
		['a workflow passes on', 'workflow', 0, false, undefined],
		['the service makes later', 'external', 1_000, false, undefined],
		['the service makes with the list', 'external', 0, true, undefined],
	])('is forwarded once, with a copy that %s', async (_, kind, laterMs, hasList, atOnce) => {
		const subscribers: Subscribers = [workflow(OWN_URL), { ...OTHER, kind }];
		const statuses: Array<number | undefined> = [];
		const { get, asked } = newTrigger({
			answer: async () => {
				pass(laterMs);
				const copy = await get({ body, headers, query: hasList ? queryOf(subscribers) : {} });
				statuses.push(copy.status);
				return { status: 200, isTrigger: true };
			},
			respond: () => ({
				statusCode: 200,
				body: { success: true, data: webhookOf(subscribers) },
			}),
		});
		const body = message();
		// The list is read.
		const first = await get({ body, headers, query: { subscribers: 'x' } });
		await settled();

		expect([...statuses, first.status]).toEqual([atOnce, 200]);
		expect(asked).toHaveLength(1);
	});

	/** The response to each of these bodies, and how often others were asked until then. */
	const deliverAll = async ({ get, asked }: ReceivingTrigger, bodies: IDataObject[], query: IDataObject) => {
		const deliveries: unknown[] = [];
		for (const body of bodies) {
			const { status } = await get({ body, headers, query });
			deliveries.push([status, asked.length]);
		}
		return deliveries;
	};

	test('is forwarded until all of them have it, and then not again for a day', async () => {
		const statuses = [500, 200];
		const trigger = newTrigger({
			answer: () => ({ status: statuses.shift() ?? 500, isTrigger: true }),
		});
		const body = message();

		const deliveries = await deliverAll(trigger, [body, body], SHARED);
		pass(1440 * MINUTE);
		expect([...deliveries, ...(await deliverAll(trigger, [body], SHARED))]).toEqual([
			[503, 1],
			[200, 2],
			[200, 2],
		]);
	});

	test('is forwarded again to who refused it, or who has another event with its ID', async () => {
		const statuses = [410, 500];
		const third = workflow('https://n8n.example.com/webhook/third/webhook');
		const trigger = newTrigger({
			answer: () => ({ status: statuses.shift() ?? 200, isTrigger: true }),
		});
		const query = queryOf([workflow(OWN_URL), OTHER, third]);
		const body = message();
		const bodies = [body, body, message({ body: 'another' })];

		expect(await deliverAll(trigger, bodies, query)).toEqual([
			[503, 2],
			[200, 4],
			[200, 6],
		]);
	});

	test('is delivered again with another delivery whose receivers do not take it', async () => {
		const second: Array<ReturnType<typeof get>> = [];
		const { get, asked } = newTrigger({
			answer: async () => {
				pass(MINUTE);
				if (second.length === 0) second.push(get({ body, headers, query: SHARED }));
				await settled();
				return { status: 500 };
			},
		});
		const body = message();
		const { status } = await get({ body, headers, query: SHARED });

		expect([status, ...(await Promise.all(second)).map((each) => each.status)]).toEqual([503, 503]);
		expect(asked).toHaveLength(1);
	});

	test('is delivered again if its URL in this process is not the one that is registered, and the log says so', async () => {
		const subscribers: Subscribers = [OTHER, workflow(OWN_URL.replace('n8n', 'user:hidden@other'))];
		const { get, log } = newTrigger({
			respond: () => ({ statusCode: 200, body: { success: true, data: webhookOf(subscribers) } }),
		});

		expect((await get({ query: queryOf(subscribers) })).status).toBe(503);
		expect(log).toEqual([
			expect.stringMatching(
				/registered at https:\/\/other\.\S+, and its URL in this process is https:\/\/n8n\.\S+ Give all/,
			),
		]);
	});

	test('is only its own when the service has lost the list', async () => {
		const { get, asked } = newTrigger({
			respond: () => ({ statusCode: 200, body: { success: true, data: webhookOf([workflow(OWN_URL)]) } }),
		});
		expect(await get({ query: { subscribers: 'x' } })).toMatchObject({ status: 200 });
		expect(asked).toEqual([]);
	});

	// The timeout of another system can be longer than a timer.
	test.each([
		[30, 29_000],
		[10_000_000, 3_599_000],
	])('is delivered again if another workflow does not respond in time (%d s)', async (timeoutSeconds, ms) => {
		const { get, log } = newTrigger({ answer: async () => await new Promise<never>(() => {}) });
		const response = get({ query: sharedWith({ ...OTHER, timeoutSeconds }) });
		await settled();
		expect(elapse()).toBe(ms);
		expect(await response).toMatchObject({ status: 503 });
		expect(log).toEqual([
			expect.stringContaining('it did not accept the event, so the service sends the event again'),
		]);
	});

	test.each([
		['refuses it', async () => await Promise.resolve({ status: 404 })],
		['does not respond', async () => await new Promise<never>(() => {})],
	])('goes to a test until that is over, which holds up nobody when it %s', async (_, answer) => {
		const { get, asked, log } = newTrigger({ answer });
		for (const [seconds, count] of [
			[-1, 0],
			[600, 1],
		] as const) {
			const query = sharedWith({ ...OTHER, kind: 'test', expiresAt: now() / 1000 + seconds });
			expect(await get({ query })).toMatchObject({ status: 200 });
			expect(asked).toHaveLength(count);
		}
		expect(log).toEqual([]);
	});

	test('goes from a test to all others, also to production of the same trigger', async () => {
		const ends = { kind: 'test', expiresAt: now() / 1000 + 600 } as const;
		const own = { ...workflow(OWN_URL.replace('/webhook/', '/webhook-test/')), ...ends };
		const { get, asked } = newTrigger({ answer: () => ({ status: 200, isTrigger: true }) });
		const query = queryOf([workflow(OWN_URL), own, { ...OTHER, ...ends }]);
		await get({ mode: 'manual', query });
		expect(asked).toEqual([`event ${OWN_URL}`, `event ${OTHER.url}`]);
	});

	test('goes only to another system if its type is new', async () => {
		const system = { ...OTHER, url: 'https://crm.example.com/hook', kind: 'external' } as const;
		const { get, asked } = newTrigger({ answer: () => ({ status: 200 }) });
		const query = queryOf([workflow(OWN_URL), OTHER, system]);
		for (const event of ['new.type', 'message.sent']) await get({ body: message({ event }), query });
		expect(asked).toEqual([expect.stringContaining(system.url)]);
	});

	test.each<[string, Answer, number[]]>([
		['arrived', { status: 200, isTrigger: true }, [0, 0, 0, 0, 1, 1, 1]],
		['was redirected', { status: 300, isTrigger: true }, [0, 0, 0, 0, 1, 2, 3]],
		['met a proxy', { status: 200 }, [0, 0, 0, 0, 1, 2, 3]],
		['got no response', undefined, [0, 0, 0, 0, 1, 2, 3]],
	])('and that one refuses is reported until the report %s', async (_, toReport, expected) => {
		const { get, asked } = newTrigger({
			answer: (url) => (url === OWN_URL ? toReport : { status: 403 }),
		});
		const reports: number[] = [];
		for (let count = 1; count <= 7; count++) {
			void get({ query: SHARED });
			await settled();
			reports.push(asked.filter((request) => request === `report ${OWN_URL}`).length);
		}
		expect(reports).toEqual(expected);
	});
});
