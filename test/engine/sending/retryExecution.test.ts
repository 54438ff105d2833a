import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTINUES, person, toEach, useEngine } from '../../support/engine/engine';
import { newKeyRow, type KeyRow } from '../../support/engine/keyRow';
import { retriedFromList } from '../../support/engine/retries';
import { jsonOf, type Run, type RunOptions } from '../../support/engine/run';

const engine = useEngine();

const refuse = async (message: string) => await engine.spoilSend({ kind: 'status', status: 400 }, message);
const lose = async (message: string, when: 'before' | 'after') =>
	await engine.spoilSend({ kind: 'reset', when }, message);

const three = { items: toEach(3, 'm'), options: { maxConcurrency: 1 } } satisfies RunOptions;

const retryWith = retriedFromList(engine);
const retry = async (
	original: Pick<Run, 'execution'>,
	row: KeyRow,
	options: RunOptions = three,
): Promise<Run> => await retryWith(original, row, options);

/** An execution that has sent the first of three messages. */
async function original(): Promise<Run> {
	await refuse('m 1');
	const run = await engine.run({ ...three, executionId: 'original' });
	expect(run.error?.context.itemIndex).toBe(1);
	return run;
}

test('the second retry of an execution sends only what the first has not sent', async () => {
	const failed = await original();
	await refuse('m 2');
	const first = await retry(failed, failed.row);

	const second = await retry(failed, failed.row);

	expect(first.error?.context.itemIndex).toBe(2);
	expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2']);
	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true, undefined]);
	expect(second.output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
});

test('an item that names another person in the second retry is sent to that person', async () => {
	const failed = await original();
	await refuse('m 2');
	await retry(failed, failed.row);
	const [first, second, third] = three.items;
	const items = [first, { ...second, to: person(7) }, third] as IDataObject[];

	const { output } = await retry(failed, failed.row, { ...three, items });

	expect(output.map(({ json }) => json.already_sent)).toEqual([true, undefined, undefined]);
	const accepted = await engine.service.control.accepted();
	expect(accepted.map(({ to, body }) => `${body} to ${to}`)).toEqual([
		`m 0 to ${person(0)}@c.us`,
		`m 1 to ${person(1)}@c.us`,
		`m 1 to ${person(7)}@c.us`,
		`m 2 to ${person(2)}@c.us`,
	]);
});

const withId = { requestId: '={{ $json.to }}-march' };
const ofExecution = { requestId: '={{ $execution.id }}-{{ $itemIndex }}' };

test.each<[string, INodeParameters, INodeParameters]>([
	['is added for', {}, withId],
	['has the number of the execution in', ofExecution, ofExecution],
	['is removed for', withId, {}],
])('it is so when the request ID %s the second retry', async (_, inFirst, inSecond) => {
	const failed = await original();
	await refuse('m 2');
	await retry(failed, failed.row, { ...three, options: { ...three.options, ...inFirst } });

	const second = await retry(failed, failed.row, { ...three, options: { ...three.options, ...inSecond } });

	expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2']);
	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true, undefined]);
});

test('an execution knows by its request ID what a retry with that ID has found sent', async () => {
	const failed = await original();
	await refuse('m 2');
	await retry(failed, failed.row);
	await retry(failed, failed.row, { ...three, options: withId });

	const anew = await engine.run({ ...three, options: withId, row: failed.row, executionId: 'anew' });

	expect(jsonOf(anew).map(({ already_sent }) => already_sent)).toEqual([true, true, true]);
	expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2']);
});

test.each<[string, INodeParameters, INodeParameters]>([
	['the next one', {}, {}],
	['the next one, for which a request ID is added', {}, withId],
])('what a retry left unconfirmed is not sent by %s', async (_, inFirst, inSecond) => {
	const failed = await original();
	await lose('m 1', 'before');
	await retry(failed, failed.row, { ...three, options: { ...three.options, ...inFirst } });

	const second = await retry(failed, failed.row, {
		...three,
		options: { ...three.options, ...inSecond },
		node: CONTINUES,
	});

	expect(jsonOf(second)[1]).toMatchObject({ ambiguous: true });
	expect(await engine.accepted()).toEqual(['m 0', 'm 2']);
});

test('without the database nothing is sent, as nobody knows what was', async () => {
	const failed = await original();

	const row = { ...failed.row, isBroken: true };
	const { error } = await retry(failed, row);
	const { output } = await retry(failed, row, { ...three, node: CONTINUES });

	expect(error?.message).toBe('n8n could not check whether an earlier retry already sent this');
	expect(error?.description).toContain('database is locked');
	expect(output[1]?.json.code).toBe('database_error');
	expect(await engine.accepted()).toEqual(['m 0']);
});

test('an ordinary execution does not use the database', async () => {
	const { row } = await engine.run({ ...three, row: { ...newKeyRow(), isBroken: true } });

	expect(row.keys).toEqual([]);
	expect(await engine.accepted()).toHaveLength(3);
});

test('the keys of a retry are digests, and a refused send leaves none', async () => {
	const failed = await original();
	await refuse('m 1');
	const times = [expect.stringMatching(/^day \d+ 0$/), expect.stringMatching(/^time \d+$/)];
	expect((await retry(failed, newKeyRow())).row.keys).toEqual(times);

	const { row } = await retry(failed, newKeyRow());

	const tagged = [/^known [\w-]{43}$/, /^known [\w-]{43} whole$/].map((key) => expect.stringMatching(key));
	expect(row.keys).toHaveLength(6);
	expect(row.keys).toEqual(expect.arrayContaining([...times, ...tagged]));
});

test('an n8n that gives executions no time in common leaves nothing to know their retries by', async () => {
	const { execution, row } = await engine.run({ operation: 'account:get', items: [{}] });
	delete execution.executionData?.runtimeData;
	await retry({ execution }, row);

	const second = await retry({ execution }, row);

	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([undefined, undefined, undefined]);
	expect(row.keys).toEqual([]);
});

test('each pass of a loop is retried on its own', async () => {
	const items = [{ to: person(1), message: 'again' }];
	const { execution, row } = await engine.run({ operation: 'account:get', items: [{}] });
	const pass = async (runIndex: number) => await retry({ execution }, row, { items, runIndex, inLoop: true });
	await pass(0);
	await pass(1);

	const third = await pass(1);

	expect(third.output[0]?.json).toMatchObject({ already_sent: true });
	expect(await engine.accepted()).toEqual(['again', 'again']);
});

test('as a tool of an agent, a retry does not repeat a text that an earlier one has sent, whichever call it was', async () => {
	const failed = await engine.run({ operation: 'account:get', items: [{}] });
	const call = async (message: string, runIndex: number) =>
		await retry(failed, failed.row, {
			items: [{ to: person(1), message }],
			node: { type: 'n8n-nodes-messaging-channel.messagingChannelTool' },
			runIndex,
		});
	await call('Hello', 0);

	expect(jsonOf(await call('Hello', 1))).toMatchObject([{ already_sent: true }]);
	expect(jsonOf(await call('Good morning', 0))).toMatchObject([{ queued: true }]);
	expect(await engine.accepted()).toEqual(['Hello', 'Good morning']);
});
