import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../support/service/core/faults';
import { byRecipient, CONTINUES, person, useEngine } from '../../support/engine/engine';
import { newKeyRow } from '../../support/engine/keyRow';
import { retriedFromList } from '../../support/engine/retries';
import { stored, type Run, type RunOptions } from '../../support/engine/run';

const engine = useEngine();

const to = person(1);
const paragraphs = ['The first part.', 'The second part.', 'The third part.'];
const message = paragraphs.join('\n\n');

const long = (options: Partial<RunOptions> = {}): RunOptions => ({
	items: [{ to, message }],
	...options,
	options: { splitLongText: 20, ...options.options },
});

const spoil = async (part: string | undefined, fault: Fault) =>
	await engine.service.control.addFault({
		operationId: 'message.send',
		...(part === undefined ? {} : { bodyHas: { message: part } }),
		...fault,
	});

const refused = { kind: 'status', status: 400, error: 'content_blocked' } as const;

const partsIn = ({ output: [item] }: Run): IDataObject[] => item?.json.parts as IDataObject[];

const flagsIn = (run: Run, flag: string) => partsIn(run).map((part) => part[flag] === true);

test('a long text is sent in order as several messages and put out as one item', async () => {
	const run = await engine.run(long());

	const accepted = await engine.service.control.accepted();
	expect(accepted.map(({ body }) => body)).toEqual(paragraphs);
	const ofEach = { queued: true, to: `${to}@c.us`, outcome: 'queued' };
	expect(run.output).toEqual([
		{
			json: { ...ofEach, parts: accepted.map(({ jobId }) => ({ ...ofEach, job_id: jobId })) },
			pairedItem: { item: 0 },
		},
	]);
});

test('a text that is short enough is sent and put out as ever', async () => {
	const run = await engine.run(long({ items: [{ to, message: 'Hello,\n\nAda' }] }));

	const [accepted] = await engine.service.control.accepted();
	expect(accepted?.body).toBe('Hello,\n\nAda');
	expect(run.output[0]?.json).toEqual({
		queued: true,
		job_id: accepted?.jobId,
		to: `${to}@c.us`,
		outcome: 'queued',
	});
});

test('every recipient gets the parts in order, one text after the other', async () => {
	const items = [1, 2, 1, 3].map((number, index) => ({
		to: person(number),
		message: paragraphs.map((text) => `${index}. ${text}`).join('\n\n'),
	}));

	const { output } = await engine.run(long({ items }));

	const texts = byRecipient(await engine.service.control.accepted());
	const partsOfItem = (index: number) => paragraphs.map((text) => `${index}. ${text}`);
	expect(texts[`${person(1)}@c.us`]).toEqual([...partsOfItem(0), ...partsOfItem(2)]);
	expect(texts[`${person(2)}@c.us`]).toEqual(partsOfItem(1));
	expect(texts[`${person(3)}@c.us`]).toEqual(partsOfItem(3));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })));
});

describe('a part that fails', () => {
	test('stops the parts after it, and the error says how many were sent', async () => {
		await spoil(paragraphs[1], refused);

		const { error } = await engine.run(long());

		expect(error?.message).toBe('The service blocked the message because of its content policy');
		expect(error?.description).toMatch(
			/^1 of 3 parts of the text were sent\. A retry .*, but a new execution does\. Change the text\./,
		);
		expect(await engine.accepted()).toEqual(paragraphs.slice(0, 1));
		expect(await engine.requests('message.send')).toHaveLength(2);
	});

	test.each([0, 2])('number %i is sent by the next try, and none of those before it', async (failing) => {
		await spoil(paragraphs[failing], refused);
		const first = await engine.run(long());
		expect(first.error).toBeDefined();

		const second = await engine.run(long({ execution: stored(first.execution) }));

		expect(await engine.accepted()).toEqual(paragraphs);
		expect(flagsIn(second, 'already_sent')).toEqual([0, 1, 2].map((part) => part < failing));
		expect(second.output[0]?.json.already_sent).toBeUndefined();
	});

	test('counts as nothing sent when it is the first, so the next try sends the changed text', async () => {
		await spoil(paragraphs[0], refused);
		const first = await engine.run(long());

		await engine.run(long({ execution: first.execution, items: [{ to, message: 'Short' }] }));

		expect(await engine.accepted()).toEqual(['Short']);
	});

	test('is sent once, however often the execution is retried', async () => {
		const row = newKeyRow();
		await spoil(paragraphs[1], refused);
		const original = await engine.run(long({ row, executionId: 'original' }));
		const retry = async (executionId: string) =>
			await engine.run(long({ mode: 'retry', execution: stored(original.execution), executionId, row }));
		await spoil(paragraphs[2], refused);
		const first = await retry('first');

		const second = await retry('second');

		expect(first.error?.description).toContain('2 of 3 parts');
		expect(await engine.accepted()).toEqual(paragraphs);
		expect(flagsIn(second, 'already_sent')).toEqual([true, true, false]);
	});
});

test('a text that was sent as one message is not sent in parts by the next try', async () => {
	await spoil('Hello', refused);
	const items = [
		{ to, message: 'Short' },
		{ to: person(2), message: 'Hello' },
	];
	const first = await engine.run(long({ items, node: CONTINUES }));

	const changed = [{ to, message }, items[1] as IDataObject];
	const second = await engine.run(long({ items: changed, execution: first.execution }));

	expect(second.output[0]?.json).toMatchObject({ already_sent: true, queued: true });
	expect((await engine.accepted()).sort()).toEqual(['Hello', 'Short']);
});

describe('two retries of one execution, between which the split changes,', () => {
	const three = { items: [{ to, message }] };
	const retryWith = retriedFromList(engine);

	/** Returns a function that retries an execution which has sent nothing, with the records of the retries before. */
	const retrying = async () => {
		const row = newKeyRow();
		const { execution } = await engine.run({ operation: 'account:get', items: [{}] });
		const retry = async (options: RunOptions) => await retryWith({ execution }, row, options);
		return { row, retry };
	};

	/** What has this body is refused once. */
	const retriesOf = async (first: RunOptions, second: RunOptions, body: IDataObject): Promise<[Run, Run]> => {
		const { retry } = await retrying();
		await engine.service.control.addFault({ operationId: 'message.send', bodyHas: body, ...refused });
		return [await retry(first), await retry(second)];
	};

	test.each([
		['in none', {}],
		['in larger ones', { splitLongText: 34 }],
	])('do not report a text as sent of which a part is missing: %s', async (_, options) => {
		const [first, second] = await retriesOf(
			long(three),
			{ ...three, options, node: CONTINUES },
			{ message: paragraphs[2] as string },
		);

		expect(first.error?.description).toContain('2 of 3 parts');
		expect(second.output[0]?.json).toMatchObject({ ambiguous: true });
		expect(await engine.accepted()).toEqual(paragraphs.slice(0, 2));
	});

	test('send no part of a text that was sent as a whole, however often that is tried', async () => {
		const { row, retry } = await retrying();
		await retry(three);
		const second = await retry(long({ node: CONTINUES }));
		expect(second.output[0]?.json).toMatchObject({
			error: 'An earlier retry sent this text, or only a part of it',
			description: expect.stringMatching(/^Nothing was sent now/),
			ambiguous: true,
		});

		const third = await retry(long({ node: CONTINUES }));
		const fourth = await retry(three);

		expect(third.output[0]?.json).toMatchObject({ ambiguous: true });
		expect(fourth.output[0]?.json).toEqual({ already_sent: true, to, outcome: 'already_sent' });
		expect(row.keys.filter((key) => key.startsWith('open '))).toEqual([]);
		expect(await engine.accepted()).toEqual([message]);
	});
});

describe('a part that may have been sent', () => {
	test('stops the parts after it, in this try and in the next', async () => {
		await spoil(paragraphs[1], { kind: 'reset', when: 'before' });
		const first = await engine.run(long({ node: CONTINUES }));

		const second = await engine.run(long({ node: CONTINUES, execution: first.execution }));

		for (const { output } of [first, second]) {
			expect(output[0]?.json).toMatchObject({ ambiguous: true });
			expect(output[0]?.json.description).toMatch(
				/^1 of 3 parts of the text were sent, part 2 may have been sent, and no further part was sent\./,
			);
		}
		expect(await engine.accepted()).toEqual(paragraphs.slice(0, 1));
		expect(await engine.requests('message.send')).toHaveLength(2);
	});

	test('is looked for in the chat, and the next one is sent when it is there', async () => {
		await spoil(paragraphs[1], { kind: 'reset', when: 'after' });

		const run = await engine.run(long());

		expect(await engine.accepted()).toEqual(paragraphs);
		expect(flagsIn(run, 'verified')).toEqual([false, true, false]);
		expect(run.output[0]?.json.to).toBe(`${to}@c.us`);
		expect(run.output[0]?.json.verified).toBeUndefined();
	});
});

describe("as an agent's tool", () => {
	const tool = { type: 'n8n-nodes-messaging-channel.messagingChannelTool' };

	test('the same text is sent once, in parts', async () => {
		const first = await engine.run(long({ node: tool }));

		const second = await engine.run(long({ node: tool, execution: first.execution, runIndex: 1 }));

		expect(await engine.accepted()).toEqual(paragraphs);
		expect(flagsIn(second, 'already_sent')).toEqual([true, true, true]);
	});

	test('another text that begins with the same part is sent as a whole', async () => {
		const first = await engine.run(long({ node: tool }));
		const items = [{ to, message: `${paragraphs[0]}\n\nSomething else.` }];

		await engine.run(long({ node: tool, execution: first.execution, runIndex: 1, items }));

		expect(await engine.accepted()).toEqual([...paragraphs, paragraphs[0], 'Something else.']);
	});
});
