import fc from 'fast-check';

import {
	clockOffsetMs,
	numbers,
	oneOf,
	beginHistory,
	stepsOf,
	times,
	type StepOf,
	type StepTable,
	type StoryOf,
} from './histories';
import type { RequestEvent } from './http';
import { startInstance, type Deployment } from './sendingInstance';
import type { SendSettings, StoredExecution, WantedSend } from './sendingExecutions';
import { createService, type SimulatedService } from './service';

/** A story: what people do, and what chance brings. */
export interface SendingHistory {
	deployment: Deployment;
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	hasDate: boolean;
	rateLimit: number;
}

const RECIPIENTS = ['905551112233', '905551112244', '905551112255'] as const;

/** What n8n lets a user retry. */
const FAILED = ['error', 'crashed', 'canceled'] as const;

/** How many executions a user retries at once. Otherwise their number would double each time. */
const MOST_RETRIES = 6;

/** A text that many items share, so that nobody knows whose a message is. */
const SHARED_TEXT = 'Hello';

/** A list of recipients, as somebody writes it. */
const SOME = '+90 (555) 111-22-33, 905551112244@c.us';

const settings: fc.Arbitrary<SendSettings> = fc.record({
	kind: oneOf('text', 'text', 'text', 'media', 'broadcast', 'tag'),
	isTool: oneOf(false, false, false, true),
	onError: oneOf('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	tries: oneOf(1, 2, 3),
	maxConcurrency: oneOf(25, 1, 2),
	maxAttempts: oneOf(4, 1),
	maxRateLimitWait: oneOf(300, 0, 20),
	afterAmbiguousSend: oneOf('verify', 'verify', 'fail'),
	pauseWhenQueueAbove: oneOf(0, 0, 1),
	allowed: oneOf(undefined, undefined, undefined, undefined, SOME, ''),
	credentialAllows: oneOf(undefined, undefined, undefined, undefined, undefined, SOME),
	onlyIfWroteWithin: oneOf(undefined, undefined, undefined, undefined, undefined, 1),
	findMessageId: oneOf(undefined, undefined, true),
});

const anyRecipient = oneOf(...RECIPIENTS);

/** A chat is the same recipient as its number. */
const recipient = fc.tuple(anyRecipient, oneOf('', '', '@c.us')).map((parts) => parts.join(''));

/** An empty text stands for one that no other item has. */
const fewItems = fc.array(fc.record({ to: recipient, text: oneOf('', '', SHARED_TEXT) }), {
	minLength: 1,
	maxLength: 4,
});

const sameItems = fc
	.tuple(anyRecipient, oneOf(2, 3))
	.map(([to, count]): WantedSend[] => Array.from({ length: count }, () => ({ to, text: SHARED_TEXT })));

/** More than a process sends before it knows the rate window. */
const manyItems = fc.constant(
	Array.from({ length: 14 }, (_, index): WantedSend => ({ to: `9055511133${10 + index}`, text: '' })),
);

const items: fc.Arbitrary<WantedSend[]> = fc.oneof(
	{ weight: 24, arbitrary: fewItems },
	{ weight: 2, arbitrary: sameItems },
	{ weight: 1, arbitrary: manyItems },
);

/** A loop makes two passes. */
const runs: fc.Arbitrary<WantedSend[][]> = fc.oneof(
	{ weight: 4, arbitrary: fc.tuple(items) },
	{ weight: 1, arbitrary: fc.tuple(items, items) },
);

const which = fc.nat(3);

/** What a user, somebody with the account's phone, or fate does. */
const STEPS = {
	run: [8, { runs, settings }],
	/** Retries one of the executions that did not succeed, perhaps with the recipients corrected. */
	retry: [6, { which, isCorrected: oneOf(false, false, false, false, true) }],
	/** Retries the latest of them. */
	retryAll: [2],
	stop: [1, { which }],
	kill: [2, { which }],
	phone: [1, { to: anyRecipient }],
	customer: [1, { from: anyRecipient }],
	/** Others use the account too. */
	others: [1, { ms: times(10_000, 3_600_000) }],
	disconnect: [2, { ms: times(300, 60_000) }],
	refuse: [1, { ms: times(10_000, 60_000), isReported: fc.boolean() }],
	limit: [1, { rateLimit: oneOf(100, 5, 2) }],
	/** Another program holds the lock of n8n's database. */
	lock: [1, { ms: times(1_000, 60_000) }],
	clock: [1, { clockOffsetMs }],
	wait: [6, { ms: times(10, 1_000, 30_000, 600_000) }],
} satisfies StepTable;

export type Step = StepOf<typeof STEPS>;

const step = fc.oneof(...stepsOf(STEPS));
const run = fc.record({ do: fc.constant('run' as const), runs, settings });

/** Retries that all begin at once, and have ended before the next step. */
const retriesOfAll: Step[] = [{ do: 'retryAll' }, { do: 'wait', ms: 600_000 }];

/** Several executions fail, and the user retries them all, again and again. */
const outage: fc.Arbitrary<Step[]> = fc
	.tuple(run, run)
	.map((failing): Step[] => [
		{ do: 'disconnect', ms: 60_000 },
		...failing,
		{ do: 'wait', ms: 600_000 },
		...retriesOfAll,
		...retriesOfAll,
	]);

/** More is to be sent than the rate window allows, and the user stops what waits first. */
const rush: fc.Arbitrary<Step[]> = fc
	.tuple(run, run, oneOf(1_000, 30_000), run, fc.boolean())
	.map(([first, second, ms, third, isStopped]): Step[] => [
		{ do: 'limit', rateLimit: 2 },
		first,
		second,
		{ do: 'wait', ms },
		third,
		...(isStopped ? [{ do: 'stop', which: 0 } as const] : []),
		{ do: 'wait', ms: 600_000 },
	]);

/** A retry is refused, and n8n is killed soon after. */
const refusedRetry: fc.Arbitrary<Step[]> = fc
	.tuple(run, oneOf(300, 1_000))
	.map(([failing, ms]): Step[] => [
		{ do: 'disconnect', ms: 600_000 },
		failing,
		{ do: 'wait', ms: 30_000 },
		{ do: 'retryAll' },
		{ do: 'wait', ms },
		{ do: 'kill', which: 0 },
		{ do: 'wait', ms: 600_000 },
	]);

/** A retry cannot be recorded, n8n is killed, and the user retries again. */
const lockedRetry: fc.Arbitrary<Step[]> = fc
	.tuple(run, oneOf(1_000, 5_000))
	.map(([failing, ms]): Step[] => [
		{ do: 'disconnect', ms: 30_000 },
		failing,
		{ do: 'wait', ms: 60_000 },
		{ do: 'lock', ms: 30_000 },
		{ do: 'retryAll' },
		{ do: 'wait', ms },
		{ do: 'kill', which: 0 },
		{ do: 'wait', ms: 600_000 },
		...retriesOfAll,
	]);

/** Workflows send what others write in the same chat: somebody before them on the phone, and the customer after them. */
const echo: fc.Arbitrary<Step[]> = fc.tuple(anyRecipient, settings).map(([to, chosen]): Step[] => {
	const own: SendSettings = {
		...chosen,
		kind: 'text',
		isTool: false,
		afterAmbiguousSend: 'verify',
	};
	const same: Step = {
		do: 'run',
		runs: [[{ to, text: SHARED_TEXT }]],
		settings: own,
	};
	return [
		{ do: 'phone', to },
		{ do: 'wait', ms: 30_000 },
		same,
		same,
		same,
		{ do: 'wait', ms: 1_000 },
		{ do: 'customer', from: to },
	];
});

const steps = fc.oneof(
	{ weight: 24, arbitrary: step.map((one) => [one]) },
	{ weight: 2, arbitrary: fc.constant(retriesOfAll) },
	{ weight: 1, arbitrary: outage },
	{ weight: 1, arbitrary: rush },
	{ weight: 1, arbitrary: refusedRetry },
	{ weight: 1, arbitrary: lockedRetry },
	{ weight: 2, arbitrary: echo },
);

export const sendingHistory: fc.Arbitrary<SendingHistory> = fc
	.record({
		deployment: fc.record({ workers: oneOf(1, 2), clockStepMs: oneOf(0, 0, 90_000) }),
		steps: fc.array(steps, { minLength: 1, maxLength: 10 }).map((parts) => parts.flat()),
		numbers: numbers(300),
		clockOffsetMs,
		hasDate: oneOf(true, true, true, false),
		rateLimit: oneOf(100, 5),
		isDatabaseSlow: oneOf(false, false, true),
	})
	.map(({ steps, deployment, isDatabaseSlow, ...rest }) => ({
		...rest,
		deployment: { ...deployment, isDatabaseSlow },
		steps: steps.map(withTextsOfItsOwn),
	}));

function withTextsOfItsOwn(one: Step, index: number): Step {
	if (one.do !== 'run') return one;
	const textOf = ({ text }: WantedSend, run: number, item: number) => text || `Text ${index}.${run}.${item}`;
	const named = one.runs.map((run, runIndex) =>
		run.map((item, itemIndex) => ({ ...item, text: textOf(item, runIndex, itemIndex) })),
	);
	return { ...one, runs: named };
}

/** How a history ended. */
export interface SendingOutcome {
	history: SendingHistory;
	executions: StoredExecution[];
	service: SimulatedService;
	/** What all processes have sent and heard. */
	requestLog: RequestEvent[];
	/** Whether retries may have lost records of what they have sent. */
	hasLostRecords: boolean;
	log: string[];
}

/**
 * Lets a history happen. Afterwards all is quiet, and the user retries what did not succeed.
 *
 * @param storyOf makes what the story is told to, when somebody wants to read it
 */
export async function playSending(history: SendingHistory, storyOf?: StoryOf): Promise<SendingOutcome> {
	const { scheduler, choices, tell, pass } = beginHistory(history.numbers, storyOf);
	const { clockOffsetMs, rateLimit, hasDate } = history;
	const service = createService(scheduler, choices, { clockOffsetMs, rateLimit, hasDate });
	const requestLog: RequestEvent[] = [];
	const n8n = startInstance({ scheduler, choices, service, tell, requestLog }, history.deployment);
	const { executions } = n8n.database;
	const all = (...statuses: Array<StoredExecution['status']>) =>
		executions.filter(({ status }) => statuses.includes(status));
	const chosen = (which: number, ...statuses: Array<StoredExecution['status']>) => {
		const fitting = all(...statuses);
		return fitting[which % fitting.length];
	};

	for (const one of history.steps) {
		tell(() => `Step: ${JSON.stringify(one)}`);
		if (one.do === 'run') n8n.start(one.runs, one.settings);
		else if (one.do === 'retry') {
			const execution = chosen(one.which, ...FAILED);
			if (execution) n8n.retry(execution, one.isCorrected ? correctedRuns(execution) : undefined);
		} else if (one.do === 'retryAll') {
			for (const execution of all(...FAILED).slice(-MOST_RETRIES)) n8n.retry(execution);
		} else if (one.do === 'stop') {
			const execution = chosen(one.which, 'running');
			if (execution) n8n.stop(execution);
		} else if (one.do === 'kill') n8n.kill(one.which);
		else if (one.do === 'phone') service.writeOnPhone(one.to, SHARED_TEXT);
		else if (one.do === 'customer') service.receive(one.from, SHARED_TEXT);
		else if (one.do === 'others') service.fillQueue(3, one.ms);
		else if (one.do === 'disconnect') service.disconnect(one.ms);
		else if (one.do === 'refuse') service.refuse(one.ms, one.isReported);
		else if (one.do === 'lock') n8n.lockDatabase(one.ms);
		else if (one.do === 'limit') service.settings.rateLimit = one.rateLimit;
		else if (one.do === 'clock') service.settings.clockOffsetMs = one.clockOffsetMs;
		else await pass(one.ms);
		// Whatever was started begins.
		await pass(0);
	}
	await scheduler.run();

	tell(() => 'All is quiet now, and the user retries what did not succeed');
	choices.calmDown();
	service.settings.rateLimit = 1_000;
	service.fillQueue(0, 0);
	await pass(600_000);
	for (const execution of lastOfEach(executions)) if (execution.status !== 'success') n8n.retry(execution);
	await scheduler.run();
	const { lostUpdates, failures } = n8n.database;
	const hasLostRecords = lostUpdates + failures > 0;
	return { history, executions, service, requestLog, hasLostRecords, log: n8n.log() };
}

/**
 * The numbers with another last digit. "If you change … Recipients after a broadcast was created, start a new execution",
 * which this user does.
 */
function correctedRuns({ runs, settings }: StoredExecution): StoredExecution['runs'] {
	if (settings.kind === 'broadcast') return runs;
	return runs.map((items) => items.map((item) => ({ ...item, to: item.to.replace(/\d(?=@|$)/, '9') })));
}

/** The latest execution of each workflow run, its retries included. */
export function lastOfEach(executions: StoredExecution[]): StoredExecution[] {
	return [...new Map(executions.map((execution) => [execution.origin, execution])).values()];
}
