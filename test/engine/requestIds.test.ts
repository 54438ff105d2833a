import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../support/service/core/control';
import { CONTINUES, person, useEngine } from '../support/engine/engine';
import { newKeyRow, type KeyRow } from '../support/engine/keyRow';
import { manualClock } from '../support/engine/manualClock';
import { ID, rows, startedAnew } from '../support/engine/requestIds';
import { retriedFromList } from '../support/engine/retries';
import { jsonOf, type Run, type RunOptions } from '../support/engine/run';
import { eventually } from '../support/poll';
import { permissions } from '../support/service/core/records';

const engine = useEngine();

const spoil = async (message: string, fault: Fault) =>
	await engine.service.control.addFault({ operationId: 'message.send', bodyHas: { message }, ...fault });

const runAnew = startedAnew(engine);

let killed = 0;

/** An image to each of these people, with the text as its caption. */
const images = (items: IDataObject[]): RunOptions => ({
	operation: 'media:sendImage',
	items,
	parameters: {
		to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
		mediaSource: 'url',
		mediaUrl: 'https://example.com/image.png',
		additionalFields: { caption: '={{ $json.message }}' },
	},
});

/**
 * Runs the node in an n8n that is killed when it sends a text.
 *
 * @param when whether the service gets the text
 * @returns what is left of the row
 */
const killedAt = async (
	message: string,
	when: 'before' | 'after',
	row: KeyRow,
	options: RunOptions,
): Promise<KeyRow> =>
	await new Promise((resolve) => {
		let isKilled = false;
		void engine.runBeside({
			...options,
			row,
			node: { id: `killed ${++killed}` },
			options: { ...ID, maxConcurrency: 1, ...options.options },
			transport: async ({ body }, send) => {
				const { message: text, caption = text } = (body ?? {}) as IDataObject;
				if (!isKilled && caption === message) {
					isKilled = true;
					if (when === 'after') await send();
					resolve({ ...row });
				}
				return isKilled ? await new Promise(() => {}) : await send();
			},
		});
	});

test('another execution does not repeat what was sent', async () => {
	const row = newKeyRow();
	await runAnew(row, { items: rows(3) });

	const second = await runAnew(row, { items: rows(4) });

	expect(jsonOf(second)).toMatchObject([
		{ already_sent: true, request_id: '0-march' },
		{ already_sent: true, request_id: '1-march' },
		{ already_sent: true, request_id: '2-march' },
		expect.objectContaining({ queued: true }),
	]);
	expect(second.output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })));
	expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2', 'm 3']);
});

test('an item whose ID is empty is sent each time', async () => {
	const row = newKeyRow();
	const items = [
		{ to: person(0), message: 'Hello', row: 1 },
		{ to: person(1), message: 'Hello', row: ' ' },
	];
	const options = { requestId: '={{ $json.row }}' };
	await runAnew(row, { items, options });

	const second = await runAnew(row, { items, options });

	expect(jsonOf(second).map(({ already_sent, request_id }) => [already_sent, request_id])).toEqual([
		[true, '1'],
		[undefined, undefined],
	]);
	expect(await engine.accepted()).toHaveLength(3);
});

// With a misspelled field, no message would be protected.
test.each([
	'={{ $json.rwo }}',
	// Without the number, all items of all executions would have the same ID, and only one message would be sent.
	'={{ $json.rwo }}-march',
])('the ID from %s is refused before anything is sent', async (requestId) => {
	const { error } = await engine.run({ items: rows(2), options: { requestId } });

	expect(error?.message).toContain("'Request ID' has an expression that gives nothing");
	expect(await engine.requests()).toEqual([]);
});

test.each<[string, Fault | undefined, string[], string[]]>([
	['is sent, the second is not', undefined, ['queued', 'already_sent'], ['m 0']],
	['is refused, the second is sent', { kind: 'status', status: 400 }, ['not_sent', 'queued'], ['m 1']],
	['is uncertain, both are', { kind: 'reset', when: 'before' }, ['uncertain', 'uncertain'], []],
])('of two items with the same ID, if the first %s', async (_, fault, outcomes, accepted) => {
	const items = [0, 1].map((number) => ({ to: person(number), message: `m ${number}`, row: 0 }));
	if (fault) await spoil('m 0', fault);

	const { output } = await engine.run({ items, options: ID, node: CONTINUES });

	expect(output.map(({ json }) => json.outcome)).toEqual(outcomes);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	expect(await engine.accepted()).toEqual(accepted);
});

test('stopping the execution ends an item that waits for another one with its ID', async () => {
	const row = newKeyRow();
	const items = [person(0), person(1)].map((to) => ({ to, message: 'Hello', row: 0 }));
	await engine.service.control.addFault({ kind: 'status', status: 504, operationId: 'message.send' });
	const execution = new AbortController();
	const stopped = await runAnew(row, {
		items,
		node: CONTINUES,
		cancelled: execution.signal,
		watch: { answered: () => execution.abort() },
	});
	expect(jsonOf(stopped).map(({ outcome }) => outcome)).toEqual(['uncertain', 'uncertain']);

	const second = await runAnew(row, { items, node: CONTINUES });

	expect(jsonOf(second).map(({ queued, already_sent }) => [queued, already_sent])).toEqual([
		[true, undefined],
		[undefined, true],
	]);
	expect(await engine.accepted()).toEqual(['Hello']);
});

describe('with contacts who are skipped', () => {
	const options = { ...ID, skipTags: ['unsubscribed'] };
	const tag = async (number: number, tags: string[]) =>
		await engine.service.control.seed({
			tags: [{ name: 'unsubscribed' }],
			contacts: [{ phone: person(number), tags }],
		});
	const statesOf = (run: Run) =>
		jsonOf(run).map(({ skipped, already_sent, queued }) =>
			skipped ? 'skipped' : already_sent ? 'sent before' : queued ? 'sent' : 'other',
		);

	// The chat could not show that an image was never sent.
	test('a skipped ID is free again', async () => {
		const toThree = { ...images(rows(3)), options };
		const row = newKeyRow();
		await tag(1, ['unsubscribed']);
		const first = await runAnew(row, toThree);
		expect(statesOf(first)).toEqual(['sent', 'skipped', 'sent']);
		const second = await runAnew(row, toThree);
		expect(statesOf(second)).toEqual(['sent before', 'skipped', 'sent before']);
		await tag(1, []);
		await tag(2, ['unsubscribed']);

		const third = await runAnew(row, toThree);

		expect(statesOf(third)).toEqual(['sent before', 'sent', 'sent before']);
		expect(third.output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		const requests = await engine.requests('media.sendImage');
		const recipients = requests.map(({ body }) => (body as IDataObject).to);
		expect([...recipients.slice(0, 2).sort(), recipients[2]]).toEqual([0, 2, 1].map(person));
	});

	test('who opts out after n8n was killed gets no message, although the text was begun', async () => {
		const left = await killedAt('m 1', 'before', newKeyRow(), { items: rows(3) });
		await tag(1, ['unsubscribed']);

		const second = await runAnew(left, { items: rows(3), options });

		expect(statesOf(second)).toEqual(['sent before', 'skipped', 'sent']);
		expect(await engine.accepted()).toEqual(['m 0', 'm 2']);
	});
});

test.each(['another text', 'm 0'])(
	'%s of another node with the same ID and name is not mixed up with that of the first',
	async (message) => {
		await engine.run({ items: rows(1), options: ID, node: { id: 'first' } });
		await spoil(message, { kind: 'reset', when: 'before' });

		const second = await engine.run({
			items: rows(1).map((item) => ({ ...item, message })),
			options: ID,
			node: { id: 'second', ...CONTINUES },
		});

		expect(jsonOf(second)).toEqual([expect.objectContaining({ ambiguous: true })]);
		expect(await engine.accepted()).toEqual(['m 0']);
	},
);

test('two executions at once send each once', async () => {
	const row = newKeyRow();
	const items = rows(60);
	const options = { items, options: ID, row };

	const runs = await Promise.all([
		engine.run({ ...options, executionId: 'one' }),
		engine.run({ ...options, items: items.toReversed(), executionId: 'other' }),
	]);

	expect((await engine.accepted()).sort()).toEqual(items.map(({ message }) => message).sort());
	expect(runs.flatMap(jsonOf).filter(({ already_sent }) => already_sent)).toHaveLength(60);
});

test.each([
	['the length of the queue', 'message.getQueue', { pauseWhenQueueAbove: 1 }],
	['the list of those who opted out', 'contact.getAll', { skipTags: ['unsubscribed'] }],
])('an image before which %s could not be read was certainly not sent', async (_, operationId, option) => {
	const row = newKeyRow();
	const image: RunOptions = {
		...images(rows(1)),
		options: { ...ID, ...option, maxAttempts: 1 },
		node: CONTINUES,
	};
	await engine.service.control.seed({ tags: [{ name: 'unsubscribed' }] });
	await engine.service.control.addFault({ operationId, kind: 'status', status: 500, times: 1 });

	const first = await runAnew(row, image);
	expect(jsonOf(first)).toEqual([expect.objectContaining({ code: 'internal_error', httpStatus: 500 })]);
	expect(jsonOf(first)[0]).not.toHaveProperty('ambiguous');

	expect(jsonOf(await runAnew(row, image))).toEqual([expect.objectContaining({ queued: true })]);
	expect(await engine.requests('media.sendImage')).toHaveLength(1);
});

test('what an execution did not get to is free again', async () => {
	const row = newKeyRow();
	await spoil('m 1', { kind: 'status', status: 400 });
	const first = await runAnew(row, { items: rows(4), options: { ...ID, maxConcurrency: 1 } });
	expect(first.error?.context.itemIndex).toBe(1);

	const second = await runAnew(row, { items: rows(4) });

	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([
		true,
		undefined,
		undefined,
		undefined,
	]);
	expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2', 'm 3']);
});

test('Retry On Fail sends what is missing, and knows the rest by its ID', async () => {
	const row = newKeyRow();
	await spoil('m 1', { kind: 'status', status: 400 });
	const options = { items: rows(3), options: { ...ID, maxConcurrency: 1 } };
	const first = await runAnew(row, options);

	const second = await engine.run({ ...options, row, execution: first.execution });

	expect(jsonOf(second).map(({ already_sent, request_id }) => [already_sent, request_id])).toEqual([
		[true, '0-march'],
		[undefined, undefined],
		[undefined, undefined],
	]);
	expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2']);
});

test('another account does not know the IDs', async () => {
	const row = newKeyRow();
	await runAnew(row, { items: rows(1) });
	const { apiKey } = await engine.service.control.createKey({
		permissions: ['messages:send', 'messages:read', 'chats:read'],
	});

	await runAnew(row, { items: rows(1), credential: { baseUrl: engine.service.baseUrl, apiKey } });

	expect(await engine.accepted()).toEqual(['m 0', 'm 0']);
});

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

	test('a text that the service does not have is sent', async () => {
		const left = await killedAt('m 1', 'before', newKeyRow(), { items });

		const second = await runAnew(left, { items });

		expect(second.error).toBeUndefined();
		expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2', 'm 3']);
	});

	test('a lost text is not found in the message of another item with the same text to the same person', async () => {
		const [first, second] = rows(2).map((item) => ({ ...item, to: person(0), message: 'Reminder' }));
		const row = newKeyRow();
		await runAnew(row, { items: [first as IDataObject] });
		const left = await killedAt('Reminder', 'before', row, { items: [second as IDataObject] });

		const { output } = await runAnew(left, {
			items: [first, second] as IDataObject[],
			node: CONTINUES,
		});

		expect(output.map(({ json }) => [json.already_sent, json.ambiguous])).toEqual([
			[true, undefined],
			[undefined, true],
		]);
		expect(await engine.accepted()).toEqual(['Reminder']);
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
		left.keys = [...left.keys, ...[0, 1, 2, 3, 4].map((later) => `alive ${step + later}`)];

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
				const isAlive = [step, step - 1].some((shown) => left.keys.includes(`alive ${shown}`));
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

	test('a text that another process sends meanwhile is not sent', async () => {
		const left = await killedAt('m 1', 'before', newKeyRow(), { items });
		const { now } = engine;
		const began = now();
		const row = new Proxy(left, {
			get: (target, name) =>
				// The other process confirms all of them soon after this one has read the row.
				name === 'keys' && now() > began + 10_000
					? target.keys.filter((key) => !key.startsWith('open '))
					: (Reflect.get(target, name) as unknown),
		});

		const { output } = await runAnew(row, { items });

		expect(output.map(({ json }) => json.already_sent)).toEqual([true, true, true, true]);
		expect(await engine.accepted()).toEqual(['m 0']);
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

	test('a text that has changed since is not sent', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });
		const changed = items.map((item) => ({ ...item, message: `Dear customer, ${item.message}` }));

		for (let run = 0; run < 2; run++) {
			const { output } = await runAnew(left, { items: changed, node: CONTINUES });
			expect(output.map(({ json }) => json.ambiguous)).toEqual([true, true, true, true]);
		}
		expect(await engine.accepted()).toEqual(['m 0', 'm 1']);
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
			void engine.runBeside({ items: read, options: ID, row, node: { id: `killed ${++killed}` } });
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

test('what another process overwrites in the row is stored again', async () => {
	const row = newKeyRow();
	await runAnew(row, {
		items: rows(2),
		transport: async (_, send) => {
			const response = await send();
			// Another process writes the row as it was before.
			row.keys = [];
			return response;
		},
	});

	const second = await runAnew(row, { items: rows(2) });

	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true]);
	expect(await engine.accepted()).toHaveLength(2);
});

test('what a stopped execution had in flight is looked for by the next one', async () => {
	const row = newKeyRow();
	await engine.service.control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after' });
	const execution = new AbortController();
	const stopped = runAnew(row, { items: rows(2), node: CONTINUES, cancelled: execution.signal });
	await eventually(engine.accepted, ({ length }) => length === 2);
	execution.abort();
	expect(jsonOf(await stopped).map(({ outcome }) => outcome)).toEqual(['uncertain', 'uncertain']);
	await engine.service.control.clearFaults();

	const second = await runAnew(row, { items: rows(3) });

	expect(jsonOf(second).map(({ verified, queued }) => verified ?? queued)).toEqual([true, true, true]);
	expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2']);
});

describe('a text that goes out as several messages', () => {
	const long = {
		items: [{ to: person(0), message: 'First part. Second part.', row: 0 }],
		options: { ...ID, splitLongText: 12 },
	};
	const parts = ['First part.', 'Second part.'];

	test('is not sent again', async () => {
		const row = newKeyRow();
		await runAnew(row, long);

		const second = await runAnew(row, long);

		expect(jsonOf(second)).toMatchObject([{ already_sent: true, request_id: '0-march' }]);
		expect(await engine.accepted()).toEqual(parts);
	});

	test('goes on after the part that was refused, with Retry On Fail', async () => {
		const row = newKeyRow();
		await spoil('Second part.', { kind: 'status', status: 400 });
		const first = await runAnew(row, long);
		expect(first.error).toBeDefined();

		await engine.run({ ...long, row, execution: first.execution, node: { id: 'retry' } });
		const third = await runAnew(row, long);

		expect(await engine.accepted()).toEqual(parts);
		expect(jsonOf(third)).toMatchObject([{ already_sent: true, request_id: '0-march' }]);
	});

	test('is uncertain after n8n was killed between two parts', async () => {
		const left = await killedAt('Second part.', 'before', newKeyRow(), long);

		const second = await runAnew(left, { ...long, node: CONTINUES });

		expect(jsonOf(second)[0]).toMatchObject({ ambiguous: true });
		expect(await engine.accepted()).toEqual(['First part.']);
	});

	test('says how to send what is missing after a part was refused, and that works', async () => {
		const row = newKeyRow();
		const advice = "put only them into an item, with another 'Request ID'";
		await spoil('Second part.', { kind: 'status', status: 400 });

		const first = await runAnew(row, { ...long, node: CONTINUES });
		const second = await runAnew(row, { ...long, node: CONTINUES });
		await runAnew(row, { ...long, items: [{ to: person(0), message: 'Second part.', row: 1 }] });

		const [refused, uncertain] = [first, second].map((run) => jsonOf(run)[0]?.description);
		expect(refused).toMatch(/^1 of 2 parts of the text were sent\. A retry .* A new execution sends no part/);
		expect(refused).toContain(advice);
		expect(uncertain).toContain('An earlier execution sent parts of this text');
		expect(uncertain).toContain('which parts were sent');
		expect(uncertain).toContain(advice);
		expect(await engine.accepted()).toEqual(parts);
	});

	test('is not free after an earlier retry sent its first part', async () => {
		const { execution, row } = await engine.run({ operation: 'account:get', items: [{}] });
		const retry = retriedFromList(engine);
		await spoil('Second part.', { kind: 'status', status: 400, times: 2 });
		await retry({ execution }, row, { ...long, options: { splitLongText: 12 } });
		const second = await retry({ execution }, row, long);
		expect(second.error?.description).toMatch(/^1 of 2 parts .* A new execution sends no part of this text/);

		const third = await runAnew(row, { ...long, node: CONTINUES });

		expect(jsonOf(third)[0]).toMatchObject({ ambiguous: true });
		expect(await engine.accepted()).toEqual(['First part.']);
	});

	test('is free again when the service refused its first part', async () => {
		const row = newKeyRow();
		await spoil('First part.', { kind: 'status', status: 400 });
		await runAnew(row, { ...long, node: CONTINUES });

		await runAnew(row, long);

		expect(await engine.accepted()).toEqual(parts);
	});
});

describe('creates', () => {
	const tags: RunOptions = {
		operation: 'tag:create',
		items: [{ name: 'one' }, { name: 'two' }],
		parameters: { name: '={{ $json.name }}' },
		options: { requestId: '={{ $json.name }}' },
	};

	test('are made once', async () => {
		const row = newKeyRow();
		await runAnew(row, tags);

		const second = await runAnew(row, tags);

		expect(jsonOf(second)).toEqual([
			{ already_sent: true, request_id: 'one' },
			{ already_sent: true, request_id: 'two' },
		]);
		expect(await engine.requests('tag.create')).toHaveLength(2);
	});

	test('are uncertain when nobody confirmed them', async () => {
		const row = newKeyRow();
		await engine.service.control.addFault({
			kind: 'status',
			status: 500,
			operationId: 'tag.create',
			bodyHas: { name: 'two' },
		});
		const first = await runAnew(row, { ...tags, node: CONTINUES });
		expect(jsonOf(first)[1]).toMatchObject({ code: 'internal_error', ambiguous: true });

		const second = await runAnew(row, { ...tags, node: CONTINUES });

		expect(jsonOf(second)[1]).toMatchObject({ ambiguous: true });
		expect(await engine.requests('tag.create')).toHaveLength(2);
	});
});

test('without the database nothing is sent, as nobody knows what was', async () => {
	const { error } = await runAnew({ ...newKeyRow(), isBroken: true }, { items: rows(2) });

	expect(error?.message).toBe('n8n could not check whether this request ID was used before');
	expect(await engine.accepted()).toEqual([]);
});

test('the database fails at the end: the log says so, and nothing is sent again', async () => {
	const row = newKeyRow();
	const first = await runAnew(row, {
		items: rows(2),
		transport: async (_, send) => {
			row.isBroken = true;
			return await send();
		},
	});
	expect(first.log).toEqual([expect.stringContaining('could not store what was sent: database is locked')]);
	row.isBroken = false;

	const second = await runAnew(row, { items: rows(2) });

	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true]);
	expect(await engine.accepted()).toHaveLength(2);
});

/** How many facts of a row are done and open. */
function stateCounts(keys: readonly string[]): { done: number; open: number } {
	const open = keys.filter((key) => /^open [\w-]{43}$/.test(key)).length;
	return { open, done: keys.filter((key) => /^known [\w-]{43}$/.test(key)).length - open };
}

test('a quick run uses the database for each 125 messages', async () => {
	const clock = manualClock(engine.now());
	const { row } = await engine.run({
		items: rows(1000),
		options: ID,
		clock,
		transport: async (_options, send) => {
			await clock.advance(4);
			return await send();
		},
	});

	// Three for each batch, of which the first has 25; one before the first, and some at the end.
	expect(row.calls).toBeLessThanOrEqual(3 * (Math.ceil(975 / 125) + 1) + 6);
	expect(await engine.accepted()).toHaveLength(1000);
});

test('in a slow run, the database knows after a second what was sent', async () => {
	const clock = manualClock(engine.now());
	const row = newKeyRow();
	const made: number[] = [];
	await engine.run({
		items: rows(3),
		options: { ...ID, maxConcurrency: 1 },
		row,
		clock,
		transport: async (_, send) => {
			await clock.advance(1000);
			made.push(stateCounts(row.keys).done);
			return await send();
		},
	});

	expect(made).toEqual([0, 1, 2]);
});

test('at any moment, the database does not know of at most 350 messages whether they were sent', async () => {
	const row = newKeyRow();
	let most = 0;
	const watched = new Proxy(row, {
		set(target, name, value: unknown) {
			if (name === 'keys') {
				most = Math.max(most, stateCounts(value as string[]).open);
			}
			return Reflect.set(target, name, value);
		},
	});

	await engine.run({ items: rows(500), options: { ...ID, maxConcurrency: 100 }, row: watched });

	expect(most).toBeLessThanOrEqual(350);
});

test('the keys are digests', async () => {
	const { row } = await engine.run({ items: rows(1), options: ID });

	expect(row.keys).toEqual([
		expect.stringMatching(/^day \d+ 0$/),
		expect.stringMatching(/^time \d+$/),
		expect.stringMatching(/^known [\w-]{43}$/),
	]);
});
