import type { IDataObject } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../../../support/engine/engine';
import { newKeyRow, type KeyRow } from '../../../support/engine/keyRow';
import { ID, images, killedWhenSending, rows, startedAnew } from '../../../support/engine/requestIds';
import { jsonOf } from '../../../support/engine/run';
import type { Fault } from '../../../support/service/core/faults';
import { permissions } from '../../../support/service/core/records';

const engine = useEngine();
const runAnew = startedAnew(engine);
const killedAt = killedWhenSending(engine);

describe('after n8n was killed', () => {
	const items = rows(4);

	test('a text that the service has is not sent again, and the rest is', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });

		const second = await runAnew(left, { items });

		expect(jsonOf(second)).toEqual([
			expect.objectContaining({ already_sent: true, request_id: '0-march' }),
			expect.objectContaining({ already_sent: true, request_id: '1-march', verified: true, body: 'm 1' }),
			expect.objectContaining({ queued: true }),
			expect.objectContaining({ queued: true }),
		]);
		// The third knows how the second ended, and sends what is new.
		const third = await runAnew(left, { items: rows(60) });
		expect(jsonOf(third).filter(({ already_sent, verified }) => already_sent && !verified)).toHaveLength(4);
		expect((await engine.accepted()).sort()).toEqual(
			rows(60)
				.map(({ message }) => message)
				.sort(),
		);
	});

	test('a text stays uncertain while the queue of the service is not empty', async () => {
		await engine.service.control.holdQueue();
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });

		const second = await runAnew(left, { items, node: CONTINUES });

		expect(jsonOf(second).slice(1)).toEqual(
			items.slice(1).map(() => expect.objectContaining({ ambiguous: true, code: 'send_timeout' })),
		);
		await engine.service.control.releaseQueue();
		await engine.service.control.idle();
		const third = await runAnew(left, { items });
		expect(third.error).toBeUndefined();
		expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2', 'm 3']);
	});

	test('a text stays uncertain while another process is alive, which may be about to send it', async () => {
		const left = await killedAt('m 1', 'before', newKeyRow(), { items });
		const step = Math.floor(engine.now() / 15_000);
		// It has another name, whatever that of the next process is.
		const beats = [0, 1, 2, 3, 4].flatMap((later) => [0, 1].map((bit) => `alive ${step + later} 0 ${bit}`));
		left.keys = [...left.keys, ...beats];

		const { output } = await runAnew(left, { items, node: CONTINUES });

		expect(output.map(({ json }) => [json.already_sent, json.ambiguous])).toEqual([
			[true, undefined],
			[undefined, true],
			[undefined, true],
			[undefined, true],
		]);
		expect(await engine.accepted()).toEqual(['m 0']);
	});

	test('a process that waits for the queue of the service shows others that it is alive', async () => {
		await engine.service.control.holdQueue();
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });
		const before = [...left.keys];
		const steps: Array<{ step: number; isAlive: boolean }> = [];
		await runAnew(left, {
			items,
			node: CONTINUES,
			transport: async ({ url }, send) => {
				const step = Math.floor(engine.now() / 15_000);
				const shown = (each: number) => left.keys.some((key) => key.startsWith(`alive ${each} `));
				const isAlive = shown(step) || shown(step - 1);
				if (url.endsWith('/messages/queue')) steps.push({ step, isAlive });
				return await send();
			},
		});

		const [first, last] = [steps.at(0), steps.at(-1)];
		// It waits for five minutes.
		expect(Number(last?.step) - Number(first?.step)).toBeGreaterThanOrEqual(19);
		expect(steps.filter(({ isAlive }) => !isAlive)).toEqual([]);
		expect(left.keys.filter((key) => key.startsWith('alive ') && !before.includes(key))).toEqual([]);
	});

	test.each<[string, string, Fault]>([
		['a proxy responds 404 for the chat', 'chat.resolve', { kind: 'html', status: 404 }],
		[
			'the messages are null, which is no empty chat',
			'chat.getMessages',
			{ kind: 'status', status: 200, body: { success: true, data: null } },
		],
		[
			'one of the messages has no ID',
			'chat.getMessages',
			{ kind: 'status', status: 200, body: { data: [{ id: '1', body: 'Hello' }, { body: 1 }] } },
		],
	])('a text is not sent when %s', async (_, operationId, fault) => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items: rows(2) });
		await engine.service.control.addFault({ operationId, times: 'always', ...fault });

		const { output } = await runAnew(left, { items: rows(2), node: CONTINUES });

		expect(output[1]?.json).toMatchObject({ ambiguous: true });
		expect(await engine.accepted()).toEqual(['m 0', 'm 1']);
	});

	test('a text is not sent if another item had its ID in flight with another text', async () => {
		// The first item waits for a message to the same person, so that the last one is sent in its place.
		const first = { to: person(0), message: 'm 0', row: 0 };
		const withSameId = [
			{ to: person(1), message: 'slow', row: 8 },
			{ ...first, to: person(1) },
			{ to: person(2), message: 'm 2', row: 0 },
		];
		const row = newKeyRow();
		await new Promise<void>((resolve) => {
			void engine.runBeside({
				items: withSameId,
				options: ID,
				row,
				node: { id: 'killed' },
				transport: async ({ body }, send) => {
					const { message } = (body ?? {}) as IDataObject;
					if (message !== 'm 2') return await new Promise(() => {});
					await send();
					resolve();
					return await new Promise(() => {});
				},
			});
		});
		expect(await engine.accepted()).toEqual(['m 2']);

		const second = await runAnew({ ...row }, { items: [{ ...first, to: person(1) }], node: CONTINUES });

		expect(jsonOf(second).map(({ ambiguous }) => ambiguous)).toEqual([true]);
		expect(await engine.accepted()).toEqual(['m 2']);
	});

	test('a text is not sent if another item with its ID has the text that was sent', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });
		// The first item waits for a message to the same person, so that the last one is looked for in its place.
		const withSameId = [
			{ to: person(1), message: 'slow', row: 8 },
			{ to: person(1), message: 'm 1', row: 1 },
			{ to: person(2), message: 'm 2', row: 1 },
		];

		await runAnew(left, { items: withSameId, node: CONTINUES });

		expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'slow']);
	});

	/** Lets so many hours pass, in which another account waits. */
	const pass = async (hours: number) => {
		const { apiKey } = await engine.service.control.createKey({ permissions: [...permissions] });
		await engine.service.control.addFault({
			operationId: 'account.get',
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': String(hours * 3600), 'X-RateLimit-Reset': '' },
		});
		await engine.run({
			operation: 'account:get',
			items: [{}],
			options: { maxRateLimitWait: hours * 4000 },
			credential: { baseUrl: engine.service.baseUrl, apiKey },
		});
	};

	test('a text is found hours later, and one like it from hours before is not taken for it', async () => {
		// A run that crosses the end of ten minutes knows less of when others have sent.
		const now = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9));
		await engine.reset();
		now.mockRestore();
		const row = newKeyRow();
		await engine.run({ items: rows(1, 28) });
		await runAnew(row, { items: rows(1) });
		await pass(3);
		// They are in the second batch of the next execution.
		await killedAt('m 27', 'after', row, { items: rows(28) });
		const left = await killedAt('m 28', 'before', { ...row }, { items: rows(1, 28) });
		await engine.service.control.idle();
		await pass(5);

		const next = await runAnew(left, { items: rows(29), node: CONTINUES });

		expect(jsonOf(next).map(({ outcome }) => outcome)).toEqual([
			...Array<string>(28).fill('already_sent'),
			'uncertain',
		]);
		expect(await engine.accepted()).toHaveLength(29);
	});

	test('a text is not sent again when others were sent since, whose batches are newer than it', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });
		await engine.service.control.idle();
		const sentAt = Math.floor(engine.now() / 1000);
		const others = Array.from({ length: 450 }, (_, place) => sentAt + 600 + place);
		await engine.service.control.seed({
			messages: others.map((timestamp) => ({ chatId: person(1), body: 'Hi', timestamp })),
		});
		await pass(3);
		await runAnew(left, { items: rows(1, 50) });

		const third = await runAnew(left, { items, node: CONTINUES });

		expect(jsonOf(third)[1]).toMatchObject({ outcome: 'uncertain' });
		expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2', 'm 3', 'm 50']);
	});

	test('media are reported as uncertain, and not sent', async () => {
		const left = await killedAt('m 0', 'after', newKeyRow(), images(rows(2)));

		const second = await runAnew(left, { ...images(rows(2)), node: CONTINUES });

		expect(jsonOf(second)).toEqual([
			expect.objectContaining({
				ambiguous: true,
				error: "The request with the ID '0-march' may have been made before",
			}),
			expect.objectContaining({ ambiguous: true }),
		]);
		// Nobody waits for what the chat could not show.
		expect(second.clock.skippedMs).toBeLessThan(15_000);
		expect(await engine.requests('media.sendImage')).toHaveLength(1);
	});

	/** Runs the node in an n8n that is killed after so many calls to the row, of which the second reads what was sent. */
	const killedAfterCalls = async (count: number, left: KeyRow, read: IDataObject[]) =>
		await new Promise<KeyRow>((resolve) => {
			let calls = 0;
			const row = new Proxy(
				{ ...left },
				{
					set(target, name, value) {
						Reflect.set(target, name, value);
						if (name === 'keys' && ++calls === count) resolve({ ...target });
						return true;
					},
					get: (target, name) =>
						name === 'isBroken' && calls >= count ? true : (Reflect.get(target, name) as unknown),
				},
			);
			void engine.runBeside({ items: read, options: ID, row, node: { id: 'killed again' } });
		});

	const others = rows(4, 0, 'other');

	test.each<[string, number, IDataObject[], string[]]>([
		['while the next one reads the row', 2, items, ['already_sent', 'queued', 'queued']],
		['before the next one, with other texts, reads the row', 2, others, Array<string>(3).fill('uncertain')],
	])('again %s, nothing is sent again', async (_, calls, next, outcomes) => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });
		const interrupted = await killedAfterCalls(calls, left, next);

		const third = await runAnew(interrupted, { items: next, node: CONTINUES });

		const [, ...later] = jsonOf(third).map((json) => json.outcome);
		expect(later).toEqual(outcomes);
		const sentNow = outcomes.includes('queued') ? ['m 2', 'm 3'] : [];
		expect(await engine.accepted()).toEqual(['m 0', 'm 1', ...sentNow]);
	});
});
