import { setTimeout as sleep } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../../../support/engine/engine';
import { newKeyRow } from '../../../support/engine/keyRow';
import { ID, images, rows, startedAnew } from '../../../support/engine/requestIds';
import { jsonOf, type RunOptions } from '../../../support/engine/run';
import { eventually } from '../../../support/poll';
import type { Fault } from '../../../support/service/core/faults';

const engine = useEngine();
const runAnew = startedAnew(engine);

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

test.each<[string, Partial<INode>, number]>([
	['has its ID is told before anything is sent', {}, 0],
	['has its ID and is turned off', { disabled: true }, 1],
	['has another ID', { id: 'other' }, 1],
	['has its ID and is of another type', { type: 'n8n-nodes-base.set' }, 1],
])('another node of the workflow that %s', async (_, twin, sent) => {
	const { error } = await engine.run({ items: rows(1), options: ID, twin });

	const told =
		"'Request ID' cannot be used here, because the node 'Twin' has the same internal ID as this one, so that n8n would mix up what the two have sent";
	expect(error?.message).toBe(sent === 0 ? told : undefined);
	expect(await engine.accepted()).toHaveLength(sent);
});

test('an ID is the same in each form of its letters, and with space around it', async () => {
	const row = newKeyRow();
	for (const requestId of ['Zo\u00eb', ' Zoe\u0308 '])
		await runAnew(row, { items: rows(1), options: { requestId } });

	expect(await engine.accepted()).toEqual(['m 0']);
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
	[
		'is refused in a successful response, the second is sent',
		{ kind: 'status', status: 200, body: { success: false, error: 'content_blocked' } },
		['not_sent', 'queued'],
		['m 1'],
	],
	['is uncertain, both are', { kind: 'reset', when: 'before' }, ['uncertain', 'uncertain'], []],
])('of two items with the same ID, if the first %s', async (_, fault, outcomes, accepted) => {
	const items = [0, 1].map((number) => ({ to: person(number), message: `m ${number}`, row: 0 }));
	if (fault) await engine.spoilSend(fault, 'm 0');

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

test('stopping an execution ends its wait for another one that has the ID in its hands', async () => {
	const row = newKeyRow();
	const options = { items: rows(1), options: ID, row };
	await engine.service.control.addFault({ kind: 'delay', ms: 2_000, operationId: 'message.send' });
	const execution = new AbortController();
	const first = engine.run({ ...options, executionId: 'first' });
	await eventually(
		async () => await engine.requests(),
		({ length }) => length === 1,
	);
	const second = engine.run({
		...options,
		executionId: 'second',
		node: CONTINUES,
		cancelled: execution.signal,
	});
	// By then, it waits for the first one.
	await sleep(300);
	execution.abort();
	const ended = await Promise.race([second, first]);

	expect(jsonOf(ended)).toEqual([expect.objectContaining({ code: 'execution_stopped' })]);
	expect(jsonOf(await first)).toEqual([expect.objectContaining({ queued: true })]);
	expect(await engine.accepted()).toEqual(['m 0']);
});

test('what may have been sent is looked for when no other execution of the node runs, as its error says', async () => {
	const row = newKeyRow();
	const options = { options: ID, row, node: CONTINUES };
	let end = () => {};
	const isEnded = new Promise<void>((resolve) => (end = resolve));
	const other = engine.runBeside({
		...options,
		items: rows(1, 1),
		executionId: 'other',
		transport: async (_options, send) => await isEnded.then(send),
	});
	const runAgain = async (executionId: string) =>
		jsonOf(await engine.run({ ...options, items: rows(1), executionId }));
	await engine.loseSend('before');
	await runAgain('first');

	const [beside] = await runAgain('second');
	end();
	await other;
	const [alone] = await runAgain('third');

	expect(beside).toMatchObject({ outcome: 'uncertain' });
	expect(beside?.description).toContain('in some minutes, while no other execution of it runs');
	expect(alone).toMatchObject({ outcome: 'queued' });
});

test.each(['another text', 'm 0'])(
	'%s of another node with the same ID and name is not mixed up with that of the first',
	async (message) => {
		await engine.run({ items: rows(1), options: ID, node: { id: 'first' } });
		await engine.spoilSend({ kind: 'reset', when: 'before' }, message);

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

test('Retry On Fail sends what is missing, and knows the rest by its ID', async () => {
	const row = newKeyRow();
	await engine.spoilSend({ kind: 'status', status: 400 }, 'm 1');
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
