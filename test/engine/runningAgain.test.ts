import type { IDataObject } from 'n8n-workflow';

import { virtualClock } from '../support/engine/clock';
import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import { stored, type Run, type RunOptions } from '../support/engine/run';
import { scheduledIn } from '../support/engine/scheduled';
import { permissions } from '../support/service/core/records';

const engine = useEngine();
const { spoilSend } = engine;

const failing = (message = 'a forbiddenword') => [...toEach(4), { to: person(9), message }];

const flags = (output: Array<{ json: IDataObject }>) => output.map(({ json }) => json.already_sent === true);

test('what was accepted is not sent again; its earlier answer is returned', async () => {
	const first = await engine.run({ items: failing(), options: { maxConcurrency: 1 } });
	expect(first.error).toBeDefined();
	const accepted = await engine.service.control.accepted();

	const second = await engine.run({ items: failing('fine'), execution: first.execution });

	expect(flags(second.output)).toEqual([true, true, true, true, false]);
	expect(second.output.slice(0, 4).map(({ json }) => json.job_id)).toEqual(
		accepted.map(({ jobId }) => jobId),
	);
	expect(second.output.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 1, 2, 3, 4].map((item) => ({ item })),
	);
	expect(await engine.accepted()).toEqual([...toEach(4).map(({ message }) => message), 'fine']);
});

test('the log survives being stored and read again', async () => {
	const first = await engine.run({ items: failing() });

	await engine.run({ items: failing('fine'), execution: stored(first.execution) });

	expect((await engine.accepted()).sort()).toEqual([...toEach(4).map(({ message }) => message), 'fine']);
});

test('five tries over items of which some fail send each once', async () => {
	const items = failing();
	let { execution } = await engine.run({ items, node: CONTINUES });

	for (let tries = 1; tries < 5; tries++) {
		({ execution } = await engine.run({ items, node: CONTINUES, execution }));
	}

	expect((await engine.accepted()).sort()).toEqual(toEach(4).map(({ message }) => message));
});

describe('a message that may have arrived', () => {
	test('is never sent again, but searched for again', async () => {
		await engine.service.control.holdQueue();
		await spoilSend({ kind: 'reset', when: 'after' });
		const items = [{ to: `${person(1)}@c.us`, message: 'Hello' }];
		const first = await engine.run({ items });
		expect(first.error?.message).toContain('may have been sent');
		await engine.service.control.releaseQueue();
		await engine.service.control.idle();

		const second = await engine.run({ items, execution: first.execution });

		expect(second.output[0]?.json).toMatchObject({ body: 'Hello', verified: true });
		expect(await engine.requests('message.send')).toHaveLength(1);
	});

	test('stays unconfirmed, try after try, when it is not found', async () => {
		await spoilSend({ kind: 'reset', when: 'before' });
		const first = await engine.run({ items: toEach(1), node: CONTINUES });

		const second = await engine.run({ items: toEach(1), node: CONTINUES, execution: first.execution });

		expect(second.output[0]?.json).toMatchObject({ ambiguous: true, code: 'send_timeout' });
		expect(await engine.requests('message.send')).toHaveLength(1);
	});

	test('is not searched for when the option says so', async () => {
		await spoilSend({ kind: 'reset', when: 'after' });
		const options = { afterAmbiguousSend: 'fail' };
		const first = await engine.run({ items: toEach(1), options });

		const second = await engine.run({ items: toEach(1), options, execution: first.execution });

		expect(second.error?.message).toContain('may have been sent');
		expect(await engine.requests()).toHaveLength(1);
	});

	test('was found by an earlier try: its message does not confirm another', async () => {
		const to = `${person(1)}@c.us`;
		const items = [
			{ to, message: 'Hello' },
			{ to: person(2), message: 'a forbiddenword' },
			{ to, message: 'Hello' },
		];
		await spoilSend({ kind: 'status', status: 504, when: 'after' });
		const first = await engine.run({ items: items.slice(0, 2) });
		await spoilSend({ kind: 'status', status: 504, when: 'before', bodyHas: { to } });

		const second = await engine.run({ items, node: CONTINUES, execution: first.execution });

		expect(second.output.map(({ json }) => [json.already_sent, json.ambiguous])).toEqual([
			[true, undefined],
			[undefined, undefined],
			[undefined, true],
		]);
	});
});

test('a message that was certainly not accepted is sent by the next try', async () => {
	await spoilSend({ kind: 'status', status: 429, headers: { 'X-RateLimit-Reset': '' }, times: 4 });
	const first = await engine.run({ items: toEach(1) });
	expect(first.error?.httpCode).toBe('429');

	const second = await engine.run({ items: toEach(1), execution: first.execution });

	expect(second.output[0]?.json).toMatchObject({ queued: true });
	expect(second.output[0]?.json.already_sent).toBeUndefined();
});

describe('does not count as a new try', () => {
	test('the next pass of a loop', async () => {
		const items = toEach(2, 'Same');
		const first = await engine.run({ items, inLoop: true });

		const second = await engine.run({ items, execution: first.execution, runIndex: 1, inLoop: true });

		expect(flags(second.output)).toEqual([false, false]);
		expect(await engine.accepted()).toHaveLength(4);
	});

	test('the next pass of a loop after one that failed', async () => {
		const first = await engine.run({ items: failing(), node: CONTINUES, inLoop: true });

		await engine.run({
			items: toEach(4),
			execution: first.execution,
			runIndex: 1,
			inLoop: true,
		});

		expect(await engine.accepted()).toHaveLength(8);
	});

	test('an item to another recipient in the same place', async () => {
		const first = await engine.run({ items: failing(), options: { maxConcurrency: 1 } });
		const others = toEach(4).map(({ message }, number) => ({ to: person(100 + number), message }));

		await engine.run({ items: others, execution: first.execution });

		expect(await engine.accepted()).toHaveLength(8);
	});

	test('another item with the same text to the same recipient', async () => {
		const same = { to: person(1), message: 'Hello' };
		const items = [same, same, same, { to: person(2), message: 'a forbiddenword' }];
		const first = await engine.run({ items, node: CONTINUES });
		expect(await engine.accepted()).toHaveLength(3);

		await engine.run({ items, node: CONTINUES, execution: first.execution });

		expect(await engine.accepted()).toHaveLength(3);
	});

	test('another execution', async () => {
		await engine.run({ items: failing(), node: CONTINUES });
		await engine.run({ items: failing(), node: CONTINUES });

		expect(await engine.accepted()).toHaveLength(8);
	});
});

// With Retry On Fail, n8n then runs the node again.
test.each(['', 'number unknown', null])(
	'a message whose response has the error %j is not sent again',
	async (error) => {
		const body = { success: true, queued: true, job_id: 'job-1', to: `${person(0)}@c.us`, error };
		await spoilSend({ kind: 'status', status: 202, body, when: 'after' });
		const first = await engine.run({ items: toEach(2) });
		expect(first.output[0]?.json.error).toBe(error);

		const second = await engine.run({ items: toEach(2), execution: first.execution });

		expect(flags(second.output)).toEqual([true, true]);
		expect(await engine.accepted()).toHaveLength(2);
	},
);

test('nothing is kept in the execution once all items are done', async () => {
	const { execution } = await engine.run({ items: toEach(20) });

	const kept = JSON.stringify(execution.executionData?.contextData);
	expect(kept).not.toContain('job');
	expect(kept.length).toBeLessThan(100);
});

test('creates are made once, too', async () => {
	const parameters = { name: '={{ $json.name }}' };
	await engine.service.control.addFault({
		kind: 'status',
		status: 400,
		operationId: 'tag.create',
		bodyHas: { name: 'two' },
	});
	const items = [{ name: 'one' }, { name: 'two' }];
	const options = { operation: 'tag:create', items, parameters };
	const first = await engine.run({ ...options, options: { maxConcurrency: 1 } });

	const second = await engine.run({ ...options, execution: first.execution });

	expect(flags(second.output)).toEqual([true, false]);
	expect(await engine.requests('tag.create')).toHaveLength(3);
});

test('a message whose time is over meanwhile counts as scheduled if the first try did it', async () => {
	const scheduled = scheduledIn(engine, 1, 9);
	const fault = { kind: 'status', status: 400, operationId: 'scheduledMessage.create' } as const;
	await engine.service.control.addFault({ ...fault, bodyHas: { to: person(9) } });
	const { execution } = await engine.run({ ...scheduled, options: { maxConcurrency: 1 } });
	const later = jest.spyOn(Date, 'now').mockReturnValue(engine.now() + 2 * 3_600_000);

	const second = await engine
		.run({ ...scheduled, execution, clock: virtualClock() })
		.finally(() => later.mockRestore());

	expect(flags(second.output)).toEqual([true, false]);
	expect(await engine.requests('scheduledMessage.create')).toHaveLength(3);
});

test('a number whose country the service told is the same recipient with its country code', async () => {
	const failed = { to: person(1), message: 'a forbiddenword' };
	const first = await engine.run({
		items: [{ to: '05551234567', message: 'Hello' }, failed],
		node: CONTINUES,
	});
	expect(first.output[0]?.json.to).toBe('905551234567@c.us');

	const second = await engine.run({
		items: [{ to: '05551234567', message: 'Hello' }, failed],
		options: { defaultCountryCode: '90' },
		node: CONTINUES,
		execution: stored(first.execution),
	});

	expect(second.output[0]?.json).toEqual({
		...first.output[0]?.json,
		already_sent: true,
		outcome: 'already_sent',
	});
	expect(await engine.accepted()).toEqual(['Hello']);
});

describe('after a restart of n8n', () => {
	const to = `${person(1)}@c.us`;
	const hello = { to, message: 'Hello' };

	const loseNext = async (when: 'before' | 'after') => await spoilSend({ kind: 'status', status: 504, when });

	/** Runs the node again without what the process has kept in memory about the account: it has a new key. */
	const restart = async (options: RunOptions): Promise<Run> => {
		const { apiKey } = await engine.service.control.createKey({ permissions: [...permissions] });
		return await engine.run({
			node: CONTINUES,
			...options,
			credential: { baseUrl: engine.service.baseUrl, apiKey },
		});
	};

	test('the message of one item does not confirm that of another', async () => {
		const items = [hello, hello];
		await loseNext('before');
		const first = await engine.run({ items, node: CONTINUES });
		expect(first.output.map(({ json }) => json.ambiguous)).toEqual([true, undefined]);

		const second = await restart({ items, execution: first.execution });

		expect(second.output.map(({ json }) => [json.ambiguous, json.already_sent])).toEqual([
			[true, undefined],
			[undefined, true],
		]);
	});

	test('a message is found by the text that was sent, not by that of the next try', async () => {
		await loseNext('after');
		const { execution } = await engine.run({ items: [hello], options: { afterAmbiguousSend: 'fail' } });

		const { output } = await restart({ items: [{ to, message: 'Hello again' }], execution });

		expect(output[0]?.json).toMatchObject({ body: 'Hello', verified: true });
	});

	test('a message that was found and then deleted leaves the next one like it to be found', async () => {
		const refused = { to: person(2), message: 'a forbiddenword' };
		await loseNext('after');
		const first = await engine.run({ items: [hello, refused], node: CONTINUES });
		const { id } = first.output[0]?.json ?? {};
		expect(first.output[0]?.json.verified).toBe(true);
		await spoilSend({ kind: 'status', status: 504, when: 'after', bodyHas: { to } });

		const { output } = await restart({
			items: [hello, refused, hello],
			execution: first.execution,
			transport: async ({ url }, send) => {
				const response = await send();
				if (!url.endsWith('/messages')) return response;
				const body = response.body as { data: IDataObject[] };
				return { ...response, body: { ...body, data: body.data.filter((message) => message.id !== id) } };
			},
		});

		expect(output.map(({ json }) => [json.already_sent, json.verified])).toEqual([
			[true, true],
			[undefined, undefined],
			[undefined, true],
		]);
	});
});
