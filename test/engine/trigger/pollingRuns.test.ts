import { ran, runs, usePolling } from '../../support/engine/fetching';
import type { Trigger } from '../../support/engine/trigger';
import { ago } from '../../support/engine/triggerClock';
import { untilSome } from '../../support/poll';

const { poller, start, publish, advance, write } = usePolling();

/** What is kept of messages, without the marks that say how far back that goes. */
const kept = ({ workflowRow }: Trigger) => workflowRow.keys.filter((key) => key.includes('node'));

/** The messages that count as run. */
const ended = ({ workflowRow: { keys } }: Trigger) =>
	keys
		.flatMap((key) => /^known node (.*)/.exec(key)?.[1] ?? [])
		.filter((id) => !keys.includes(`open node ${id}`));

describe('after a restart', () => {
	/** A trigger that was published half an hour ago, in a process that knows of nothing that ran. */
	const restarted = async () => {
		const trigger = await poller();
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
