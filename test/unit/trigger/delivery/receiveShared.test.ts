import type { IDataObject } from 'n8n-workflow';

import { OWN_URL, webhookOf, workflow } from '../activation/triggerOf';
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

const { newTrigger, now, pass } = useReceiver();

describe('an event that others get, too', () => {
	const headers = { 'x-service-event-id': 'forwarded' };

	test('is forwarded once, although another system passes it on to this trigger', async () => {
		const copies: Array<ReturnType<typeof get>> = [];
		const { get, asked } = newTrigger({
			answer: async () => {
				if (copies.length < 5) copies.push(get({ body, headers }));
				return await Promise.race(copies).then(() => ({ status: 200, isTrigger: true }));
			},
			respond: () => ({
				statusCode: 200,
				body: { success: true, data: webhookOf([workflow(OWN_URL), { ...OTHER, kind: 'external' }]) },
			}),
		});
		const body = message();
		// The list is read.
		const first = await get({ body, headers, query: { subscribers: 'x' } });
		const responses = [first, ...(await Promise.all(copies))];
		await settled();

		expect(responses.map(({ status }) => status)).toEqual([200, 200]);
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
		const subscribers = [workflow(OWN_URL.replace('n8n', 'user:hidden@other')), OTHER];
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

	test.each([
		['arrived', true, [0, 0, 0, 0, 1, 1, 1]],
		['was refused, too', false, [0, 0, 0, 0, 1, 2, 3]],
	])('and that one refuses is reported until the report %s', async (_, arrives, expected) => {
		const { get, asked } = newTrigger({
			answer: (url) => (arrives && url === OWN_URL ? { status: 200, isTrigger: true } : { status: 403 }),
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
