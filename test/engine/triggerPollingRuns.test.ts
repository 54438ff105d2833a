import type { INodeParameters } from 'n8n-workflow';

import { ran, runs, usePolling } from '../support/engine/fetching';
import type { Trigger } from '../support/engine/trigger';
import { ago } from '../support/engine/triggerClock';
import { untilSome } from '../support/poll';

const { endAll, control, poller, start, publish, advance, write } = usePolling();

/** What is kept of messages, without the marks that say how far back that goes. */
const kept = ({ workflowRow }: Trigger) => workflowRow.keys.filter((key) => key.includes('node'));

/** The messages that count as run. */
const ended = ({ workflowRow: { keys } }: Trigger) =>
	keys
		.flatMap((key) => /^known node (.*)/.exec(key)?.[1] ?? [])
		.filter((id) => !keys.includes(`open node ${id}`));

describe('after a restart', () => {
	/** A trigger that was published half an hour ago, in a process that knows of nothing that ran. */
	const restarted = async (options: INodeParameters = {}) => {
		const trigger = await poller(options);
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - 30 * 60_000;
		return trigger;
	};
	const ranKeys = (id: string) => ['began', `known node ${id}`];

	test('starts with what did not run, once it has been missing for a while', async () => {
		const { messageId } = await write('ran', { timestamp: ago(600) });
		await write('missed', { timestamp: ago(500) });
		const trigger = await restarted();
		trigger.workflowRow.keys = ranKeys(messageId);

		await trigger.activate('init');
		await start(trigger, 'init');
		await advance(9);
		expect(ran(trigger)).toEqual([]);
		await advance(2);
		await runs(trigger);
		await advance(15);

		expect(ran(trigger)).toEqual(['missed']);
		// The two look-ups, and the message.
		expect(trigger.emitted).toBe(3);
	});

	test.each<[string, number, INodeParameters]>([
		['before the workflow was published', 31, {}],
		['longer ago than the limit', 25, { catchUp: 20 }],
	])('leaves what came %s', async (_, minutes, options) => {
		await write('old', { timestamp: ago(minutes * 60) });
		const trigger = await restarted(options);
		await start(trigger, 'init');

		await advance(15);

		expect(ran(trigger)).toEqual([]);
	});

	test('starts with what came while the service could not be reached for longer than the limit', async () => {
		await write('missed', { timestamp: ago(600) });
		const trigger = await restarted({ catchUp: 20 });
		await control().addFault({ kind: 'status', status: 500, times: 'always' });
		await start(trigger, 'init');
		await advance(100);
		await control().clearFaults();

		await advance(15);
		await runs(trigger);

		expect(ran(trigger)).toEqual(['missed']);
	});

	test('starts with what was missed at the next restart after the clock was set back', async () => {
		const trigger = await restarted();
		trigger.kept.listeningSince = Date.now() + 10_800_000;
		await trigger.activate('init');
		await advance(10);
		await write('missed');
		await advance(10);
		await trigger.activate('init');
		await start(trigger, 'init');

		await advance(15);
		await runs(trigger);

		expect(ran(trigger)).toEqual(['missed']);
	});

	test('starts with nothing that the database cannot be asked about, and tries again', async () => {
		await write('missed', { timestamp: ago(500) });
		const trigger = await restarted();
		trigger.workflowRow.isBroken = true;
		await start(trigger, 'init');
		await advance(12);
		expect(ran(trigger)).toEqual([]);
		trigger.workflowRow.isBroken = false;

		await advance(15);
		await runs(trigger);

		expect(ran(trigger)).toEqual(['missed']);
		expect(trigger.log).toContain(
			'Listens: new messages could not be fetched: n8n could not look up which messages ran',
		);
	});

	test('of executions that n8n refuses to start, starts ever fewer, and then one for each message', async () => {
		const trigger = await publish();
		trigger.failsEmitted = true;
		await write('one');
		await write('two', { from: '905554445566' });
		// An hour.
		await advance(240);
		expect(ran(trigger)).toEqual([]);
		expect(trigger.emitted).toBeLessThanOrEqual(2 + 7);
		trigger.failsEmitted = false;
		await write('three');
		await advance(1);
		await runs(trigger);

		await advance(240);
		await runs(trigger, 3);

		expect(ran(trigger).sort()).toEqual(['one', 'three', 'two']);
		expect(trigger.log).toEqual([
			'Listens: new messages could not be fetched: n8n could not look up which messages ran',
		]);
	});

	test('gives up a message during which n8n was ended three times', async () => {
		const { messageId } = await write('poison', { timestamp: ago(500) });
		const trigger = await restarted();
		trigger.workflowRow.keys = ['began', ...[1, 2, 3].map((count) => `try ${count} node ${messageId}`)];
		await start(trigger, 'init');

		await advance(15);

		expect(ran(trigger)).toEqual([]);
		expect(trigger.log).toEqual([
			`Listens: the message ${messageId} does not run again, because n8n was ended three times while it ran`,
		]);
		// Otherwise each look-up of a main process, which knows nothing of the workers, would start it again.
		expect(ended(trigger)).toEqual([messageId]);
	});
});

describe('a run', () => {
	test('is recorded when it ends, and not before', async () => {
		const trigger = await publish();
		let end = () => {};
		trigger.whileRunning = async () => await new Promise((resolve) => (end = () => resolve('ends')));
		const { messageId } = await write('Hello');
		await advance();
		await runs(trigger);
		expect(kept(trigger)).toContain(`try 1 node ${messageId}`);
		expect(ended(trigger)).toEqual([]);

		end();

		const ids = await untilSome(() => ended(trigger));
		expect(ids).toEqual([messageId]);
	});

	test('is not recorded when n8n cuts it off to shut down', async () => {
		const trigger = await publish();
		let stop = () => {};
		trigger.whileRunning = async () => await new Promise((resolve) => (stop = () => resolve('is stopped')));
		await write('Hello');
		await advance();
		await runs(trigger);

		await endAll();
		stop();
		await new Promise((resolve) => setTimeout(resolve, 50));

		expect(ended(trigger)).toEqual([]);
	});

	test('happens although the database fails, and the log says that it could not be asked and recorded', async () => {
		const trigger = await publish();
		trigger.workflowRow.isBroken = true;
		await write('Hello');
		await advance();
		await runs(trigger);

		expect(ran(trigger)).toEqual(['Hello']);
		expect(await untilSome(() => trigger.log, 2)).toEqual([
			expect.stringMatching(
				/^Listens: the database could not be asked whether the message \S+ ran before, so it may run twice$/,
			),
			'Listens: the database could not record which messages ran, so some may run again after a restart',
		]);
	});

	test('happens once in an execution that runs the node again, and in no other', async () => {
		const trigger = await publish();
		await write('Hello');
		await advance();
		await runs(trigger);
		const [items = []] = trigger.started;

		expect(await trigger.execute(items, { mode: 'trigger', id: 'emitted-1' })).toEqual(items);
		expect(await trigger.execute(items, { mode: 'trigger', id: 'other' })).toEqual([]);
	});
});
