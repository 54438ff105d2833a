import type { IDataObject, INode, INodeExecutionData, IRun, Logger } from 'n8n-workflow';

import type { FetchedMessage } from '../../../../nodes/MessagingChannel/trigger/catchUp/fetchedMessage';
import { createMessageStarter } from '../../../../nodes/MessagingChannel/trigger/catchUp/messageStarter';
import { messageNameOf, runsOf } from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
import { eventWith } from '../deliveries';
import { manualClock } from '../../../support/engine/manualClock';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.UTC(2030, 0, 31, 9);

const messageOf = (messageId: string, chatId = 'a@c.us'): FetchedMessage => ({
	...eventWith('message.received', { message: { id: messageId } }, `message ${messageId}`),
	messageId,
	chatId,
	timestamp: START / 1000,
});

let triggers = 0;

/**
 * The starter of a trigger of which this process knows nothing yet.
 *
 * @param where where executions run
 */
function newStarter(where: 'here' | 'elsewhere' = 'here') {
	const clock = manualClock(START);
	const end = new AbortController();
	const workflow = { id: `starting-${++triggers}` };
	/** The messages that started executions. */
	const executions: string[] = [];
	const items: IDataObject[] = [];
	const running = new Map<string, () => void>();
	const trigger = {
		node: { id: 'node', name: 'Listens' } as INode,
		workflow,
		logger: {} as Logger,
		async run({ json }: INodeExecutionData) {
			const id = String((json.message as IDataObject).id);
			executions.push(id);
			items.push(json);
			if (where === 'here') runsOf(trigger).begin(messageNameOf(trigger, id), `run of ${id}`);
			return await new Promise<IRun | undefined>((resolve) => running.set(id, () => resolve(undefined)));
		},
	};
	const starter = createMessageStarter(trigger, clock, end.signal);
	return {
		...starter,
		clock,
		executions,
		items,
		/** The execution of the message ended. */
		end: async (id: string) => {
			running.get(id)?.();
			await clock.advance(0);
		},
		stop: () => end.abort(),
	};
}

const [first, second] = [messageOf('first'), messageOf('second')];

describe('an execution', () => {
	test('has the message and the time at which it starts', async () => {
		const { start, items, clock } = newStarter();
		await clock.advance(5 * SECOND);
		start([first]);
		expect(items).toEqual([
			{
				message: { id: 'first' },
				event_id: 'message first',
				delivered_at: '2030-01-31T09:00:05.000Z',
				fetched: true,
			},
		]);
	});

	test('starts when the one before it in the chat has ended', async () => {
		const { start, executions, end, waiting } = newStarter();
		start([first, second]);
		expect([executions, waiting()]).toEqual([['first'], 1]);
		await end('first');
		expect([executions, waiting()]).toEqual([['first', 'second'], 0]);
	});

	test('holds the chat up for ten seconds at most', async () => {
		const { start, executions, clock } = newStarter();
		start([first, second]);
		await clock.advance(10 * SECOND - 1);
		expect(executions).toEqual(['first']);
		await clock.advance(1);
		expect(executions).toEqual(['first', 'second']);
	});

	test('of ten chats runs at the same time', () => {
		const { start, executions, waiting } = newStarter();
		start(Array.from({ length: 12 }, (_, chat) => messageOf(`${chat}`, `${chat}@c.us`)));
		expect([executions.length, waiting()]).toEqual([10, 2]);
	});

	test('does not start when n8n has ended the trigger', async () => {
		const { start, executions, end, stop, waiting } = newStarter();
		start([first, second]);
		stop();
		await end('first');
		expect([executions, waiting()]).toEqual([['first'], 0]);
	});

	test('leaves no wait behind when it ends', async () => {
		const { start, end, clock } = newStarter();
		start([first]);
		expect(clock.waits).toHaveLength(2);
		await end('first');
		expect(clock.waits).toEqual([]);
	});
});

describe('a message', () => {
	test('that runs in this process is neither open nor missing', async () => {
		const { start, end, isOpen, waiting } = newStarter();
		expect(isOpen(first)).toBe(true);
		start([first]);
		await end('first');
		expect([isOpen(first), waiting()]).toEqual([false, 0]);
	});

	test('that ran in another process counts as missing, because that may have been killed', async () => {
		const { start, end, isOpen, waiting } = newStarter('elsewhere');
		start([first]);
		expect([isOpen(first), waiting()]).toEqual([true, 0]);
		await end('first');
		expect([isOpen(first), waiting()]).toEqual([false, 1]);
	});

	test.each([
		['elsewhere', 1],
		['here', 0],
	] as const)('counts as missing ten minutes after it started and got lost: %s', async (where, expected) => {
		const { start, waiting, clock } = newStarter(where);
		start([first]);
		await clock.advance(10 * MINUTE - 1);
		expect(waiting()).toBe(0);
		await clock.advance(1);
		expect(waiting()).toBe(expected);
	});

	test('is no longer missing when it starts, has run, or nobody wants it any more', async () => {
		const { noteMissing, start, settle, clearMissing, due, waiting, clock } = newStarter();
		const others = [messageOf('third'), messageOf('fourth')];
		for (const message of [first, second, ...others]) noteMissing(message);
		expect(waiting()).toBe(4);
		await clock.advance(150 * SECOND);
		start([first]);
		settle(second);
		expect(due()).toEqual(others);
		clearMissing();
		expect([due(), waiting()]).toEqual([[], 0]);
	});

	test('is looked up again when it has been missing for two and a half minutes', async () => {
		const { noteMissing, due, clock } = newStarter();
		noteMissing(first);
		await clock.advance(150 * SECOND - 1);
		expect(due()).toEqual([]);
		await clock.advance(1);
		expect(due()).toEqual([first]);
	});
});
