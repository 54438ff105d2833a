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
	const begin = (id: string) => void runsOf(trigger).begin(messageNameOf(trigger, id), `run of ${id}`);
	const trigger = {
		node: { id: 'node', name: 'Listens' } as INode,
		workflow,
		logger: {} as Logger,
		async run({ json }: INodeExecutionData) {
			const id = String((json.message as IDataObject).id);
			executions.push(id);
			items.push(json);
			if (where === 'here') begin(id);
			return await new Promise<IRun | undefined>((resolve) => running.set(id, () => resolve(undefined)));
		},
	};
	const starter = createMessageStarter(trigger, clock, end.signal);
	return {
		...starter,
		clock,
		executions,
		items,
		/** An execution of the message began in this process. */
		begin,
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
		const { start, end, isOpen, isMissing, missing, waiting } = newStarter();
		expect(isOpen(first)).toBe(true);
		start([first]);
		await end('first');
		expect([isOpen(first), isMissing(first), missing(), waiting()]).toEqual([false, false, [], 0]);
	});

	test('that ran in another process counts as missing, because that may have been killed', async () => {
		const { start, end, isOpen, isMissing, missing, waiting } = newStarter('elsewhere');
		start([first]);
		expect([isOpen(first), isMissing(first)]).toEqual([true, false]);
		await end('first');
		expect([isOpen(first), isMissing(first), waiting()]).toEqual([false, true, 1]);
		expect(missing()).toMatchObject([{ message: first }]);
	});

	test('counts as missing ten minutes after its execution got lost', async () => {
		const { start, isMissing, clock } = newStarter('elsewhere');
		start([first]);
		await clock.advance(10 * MINUTE - 1);
		expect(isMissing(first)).toBe(false);
		await clock.advance(1);
		expect(isMissing(first)).toBe(true);
	});

	test('that runs for ten minutes does not', async () => {
		const { start, isMissing, clock } = newStarter();
		start([first]);
		await clock.advance(10 * MINUTE);
		expect(isMissing(first)).toBe(false);
	});

	test('is no longer missing when it starts, has run, or nobody wants it any more', () => {
		const { noteMissing, start, settle, clearMissing, missing, isMissing, waiting } = newStarter();
		const others = [messageOf('third'), messageOf('fourth')];
		for (const message of [first, second, ...others]) noteMissing(message);
		expect(waiting()).toBe(4);
		start([first]);
		settle(second);
		expect(isMissing(second)).toBe(false);
		expect(missing().map(({ message }) => message)).toEqual(others);
		clearMissing();
		expect([missing(), waiting()]).toEqual([[], 0]);
	});

	test('that is missing and begins is not open', () => {
		const { noteMissing, begin, isOpen, settle } = newStarter();
		noteMissing(first);
		expect(isOpen(first)).toBe(false);
		begin('first');
		expect(isOpen(first)).toBe(false);
		settle(first);
		expect(isOpen(first)).toBe(false);
	});

	test('is looked up again when it has been missing for two and a half minutes', async () => {
		const { noteMissing, missing, clock } = newStarter();
		const isDue = () => missing().map((message) => message.isDue());
		noteMissing(first);
		await clock.advance(150 * SECOND - 1);
		expect(isDue()).toEqual([false]);
		await clock.advance(1);
		expect(isDue()).toEqual([true]);
	});
});
