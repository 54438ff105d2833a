import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { newExecution, waitingAt } from '../support/engine/context';
import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import { newKeyRow, type KeyRow } from '../support/engine/keyRow';
import { retriedFromList } from '../support/engine/retries';
import { jsonOf, stored, type Run, type RunOptions } from '../support/engine/run';

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

test('it is so in n8n 1.x when WEBHOOK_URL has no scheme', async () => {
	const { url } = waitingAt;
	waitingAt.url = 'n8n.example.com/webhook-waiting';
	try {
		await refuse('m 1');
		const execution = { ...newExecution(), resumeToken: undefined };
		const failed = await engine.run({ ...three, execution, executionId: 'original' });
		await refuse('m 2');
		await retry(failed, failed.row);

		await retry(failed, failed.row);

		expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2']);
	} finally {
		waitingAt.url = url;
	}
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

test('it is so when the country code is added for the second retry', async () => {
	const failed = await original();
	const national = {
		...three,
		items: [
			{ to: '05551234567', message: 'Hello' },
			{ to: person(9), message: 'm 2' },
		],
	};
	await refuse('m 2');
	await retry(failed, failed.row, national);

	const second = await retry(failed, failed.row, { ...national, options: { defaultCountryCode: '90' } });

	expect(await engine.accepted()).toEqual(['m 0', 'Hello', 'm 2']);
	expect(jsonOf(second)[0]).toMatchObject({ already_sent: true });
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
	['the next one, for which the request ID is removed', withId, {}],
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

test('what a retry left unconfirmed does not count as sent when n8n has dropped the oldest key of a full row', async () => {
	const failed = await original();
	await lose('m 1', 'before');
	await retry(failed, failed.row, { ...three, options: { ...three.options, afterAmbiguousSend: 'fail' } });
	const kinds = () => failed.row.keys.map((key) => key.split(' ')[0]);
	expect(kinds()).toEqual(expect.arrayContaining(['known', 'open']));
	expect(kinds().indexOf('known')).toBeLessThan(kinds().indexOf('open'));
	failed.row.keys.splice(0, kinds().indexOf('known') + 1);

	const second = await retry(failed, failed.row, { ...three, node: CONTINUES });

	expect(jsonOf(second)[1]).toMatchObject({ ambiguous: true });
	expect(await engine.accepted()).toEqual(['m 0', 'm 2']);
});

test('after n8n was killed in a retry only the message in flight is uncertain', async () => {
	const failed = await original();
	let rowWhenKilled = newKeyRow();
	await engine.run({
		...three,
		mode: 'retry',
		execution: stored(failed.execution),
		executionId: 'killed',
		row: failed.row,
		transport: async () => {
			rowWhenKilled = { ...failed.row };
			throw new Error('killed');
		},
	});

	const second = await retry(failed, rowWhenKilled, { ...three, node: CONTINUES });

	expect(jsonOf(second).map(({ ambiguous }) => ambiguous)).toEqual([undefined, true, undefined]);
	expect(await engine.accepted()).toEqual(['m 0', 'm 2']);
});

test('what another process overwrites in the row is stored again', async () => {
	const failed = await original();
	const olderKeys = [...failed.row.keys];
	let overwritten = 0;
	const first = await retry(failed, failed.row, {
		...three,
		transport: async (_, send) => {
			const response = await send();
			// Another process writes the row as it was before this retry.
			failed.row.keys = olderKeys;
			overwritten++;
			return response;
		},
	});

	const second = await retry(failed, failed.row);

	expect(overwritten).toBe(2);
	// It looks again when no other process can have the older row any more.
	expect(first.clock.passedMs).toBeGreaterThanOrEqual(2000);
	expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2']);
	expect(jsonOf(second).map(({ already_sent }) => already_sent)).toEqual([true, true, true]);
});

test('what another process overwrites in the row is still known to a second retry at the same time', async () => {
	const failed = await original();
	let second: Promise<Run> | undefined;
	await retry(failed, failed.row, {
		...three,
		transport: async (_, send) => {
			failed.row.keys = [];
			second ??= retry(failed, failed.row, { ...three, node: CONTINUES });
			return await send();
		},
	});
	await second;

	expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2']);
});

test('retries of another execution do not count', async () => {
	const one = await original();
	await retry(one, one.row);
	const other = await original();

	await retry(other, one.row);

	expect(await engine.accepted()).toEqual(['m 0', 'm 1', 'm 2', 'm 0', 'm 1', 'm 2']);
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

test('of a database that fails at the end the log tells, and the process still knows what it sent', async () => {
	const failed = await original();
	const row = { ...failed.row };
	const first = await engine.run({
		...three,
		mode: 'retry',
		execution: stored(failed.execution),
		row,
		transport: async (_, send) => {
			const response = await send();
			row.isBroken = true;
			return response;
		},
	});

	expect(new Set(first.log)).toEqual(new Set(['n8n could not store what was sent: database is locked']));
	row.isBroken = false;
	const second = await retry(failed, row, { ...three, node: CONTINUES });
	expect(jsonOf(second)[1]).toMatchObject({ already_sent: true });
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
