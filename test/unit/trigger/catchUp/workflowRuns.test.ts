import type { IExecuteFunctions } from 'n8n-workflow';

import {
	beginRun,
	messageNameOf,
	recordEnd,
	runsOf,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
import { stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import { triggerRunOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { keyRowHelpers, newKeyRow } from '../../../support/engine/keyRow';
import type { ManualClock } from '../../../support/engine/manualClock';
import { triggerClockAt } from '../triggerClockAt';

const SECOND = 1_000;

let clock: ManualClock;
beforeEach(() => {
	clock = triggerClockAt(Date.UTC(2030, 0, 31, 9));
});
afterEach(() => void jest.restoreAllMocks());

let workflows = 0;

/** A workflow of which this process knows nothing yet. */
function newWorkflow() {
	const id = `recording-${++workflows}`;
	const row = newKeyRow();
	const log: string[] = [];
	let executions = 0;
	/**
	 * An execution of the workflow.
	 *
	 * @param tellsEnd whether n8n tells of its end, as n8n 1.x does not
	 */
	const newExecution = (nodeId = 'node', tellsEnd = true) => {
		const executionId = `${++executions}`;
		const cancelled = new AbortController();
		let finish: () => Promise<void> = async () => {};
		const context = {
			getWorkflow: () => ({ id }),
			getNode: () => ({ id: nodeId, name: 'Listens' }),
			getMode: () => 'trigger',
			getInputData: () => [],
			getExecuteData: () => ({ node: {}, data: { main: [[]] } }),
			continueOnFail: () => false,
			getExecutionId: () => executionId,
			getExecutionCancelSignal: () => cancelled.signal,
			logger: { warn: (line: string) => log.push(line) },
			helpers: keyRowHelpers(newKeyRow(), row),
			...(tellsEnd && { onExecutionFinish: (handler: typeof finish) => void (finish = handler) }),
		} as unknown as IExecuteFunctions;
		const run = triggerRunOf(context);
		return {
			run,
			begin: (messageId = 'message-1') => beginRun(run, messageId),
			recordEnd: () => recordEnd(run, 'message-1'),
			/** The execution is cut off or stopped. */
			cancel: () => cancelled.abort(),
			/** n8n tells that it has ended. */
			finish: async () => await finish(),
		};
	};
	/** The messages that are recorded. */
	const recorded = () => row.keys.filter((key) => key.startsWith('known node '));
	return { newExecution, row, recorded, log };
}

describe('a message', () => {
	test('runs in one execution of the process', () => {
		const { newExecution } = newWorkflow();
		const [first, second] = [newExecution(), newExecution()];
		expect([first.begin(), second.begin(), first.begin()]).toEqual([true, false, true]);
	});

	test('runs for each trigger of a workflow, and in each workflow', () => {
		const { newExecution } = newWorkflow();
		const executions = [newExecution('one'), newExecution('two'), newWorkflow().newExecution('one')];
		expect(executions.map(({ begin }) => begin())).toEqual([true, true, true]);
	});

	test('is recorded for all triggers of its workflow when its execution ends', async () => {
		const { newExecution, recorded } = newWorkflow();
		const { run, begin, finish, ...execution } = newExecution();
		begin();
		execution.recordEnd();
		await clock.advance(60 * SECOND);
		expect(recorded()).toEqual([]);

		await finish();
		await clock.advance(SECOND);
		expect(recorded()).toEqual(['known node message-1']);
		const other = newExecution('other').run;
		expect(runsOf(other).isBegun(messageNameOf(run, 'message-1'))).toBe(true);
	});

	test.each([
		[true, 120 * SECOND],
		[false, 3 * SECOND],
	])('counts as ended after some time (n8n tells of the end: %p)', async (tellsEnd, ms) => {
		const { newExecution, recorded } = newWorkflow();
		newExecution('node', tellsEnd).recordEnd();
		await clock.advance(ms - 1);
		expect(recorded()).toEqual([]);
		await clock.advance(SECOND);
		expect(recorded()).toEqual(['known node message-1']);
	});
});

test('a database that cannot record what ran is in the log', async () => {
	const { newExecution, row, log } = newWorkflow();
	row.isBroken = true;
	newExecution().recordEnd();
	await clock.advance(200 * SECOND);
	expect(log).toEqual([
		'Listens: the database could not record which messages ran, so some may run again after a restart',
	]);
});

describe('when an execution ends', () => {
	/** How it ends: the messages that are recorded then and in the end, and whether another execution may run the message. */
	const endOf = async ({ isClosed, isCancelled }: { isClosed: boolean; isCancelled: boolean }) => {
		const { newExecution, recorded } = newWorkflow();
		const { run, begin, finish, cancel, ...execution } = newExecution();
		begin();
		execution.recordEnd();
		// Another trigger of the workflow does not matter.
		stateOf(newExecution('other').run).isClosed = !isClosed;
		stateOf(run).isClosed = isClosed;
		if (isCancelled) cancel();
		await Promise.race([finish(), clock.advance(10 * SECOND)]);
		const then = recorded().length;
		for (let turns = 0; turns < 5; turns++) await clock.advance(40 * SECOND);
		return { then, later: recorded().length, mayRunAgain: newExecution().begin() };
	};

	test.each([
		['that n8n cut off when it shut down, its message is open', true, true, 0, true],
		['while n8n shuts down, n8n waits until that is stored', true, false, 1, false],
		['that a user stopped, its message has run', false, true, 1, false],
		['by itself, its message has run', false, false, 1, false],
	])('%s', async (_, isClosed, isCancelled, later, mayRunAgain) => {
		expect(await endOf({ isClosed, isCancelled })).toEqual({
			then: isClosed ? later : 0,
			later,
			mayRunAgain,
		});
	});
});
