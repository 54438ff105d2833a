import fc from 'fast-check';

import { choicesFrom, type Choices } from './choices';
import type { RequestEvent } from './http';
import { createScheduler, type Scheduler } from './scheduler';
import { startInstance, type Deployment } from './sendingInstance';
import type { SendSettings, StoredExecution, WantedSend } from './sendingProcess';
import { createService, type SimulatedService } from './service';
import { tellNobody, type Tell } from './story';

/** What a user, somebody with the account's phone, or fate does in one step of a history. */
export type Step =
	| { do: 'run'; runs: WantedSend[][]; settings: SendSettings }
	/** Retries one of the executions that did not succeed, perhaps with the recipients corrected. */
	| { do: 'retry'; which: number; isCorrected: boolean }
	/** Retries the latest of them. */
	| { do: 'retryAll' }
	| { do: 'stop'; which: number }
	| { do: 'kill'; which: number }
	| { do: 'phone'; to: string }
	| { do: 'customer'; from: string }
	/** Others use the account too. */
	| { do: 'others'; messages: number; ms: number }
	| { do: 'disconnect'; ms: number }
	| { do: 'refuse'; ms: number; isReported: boolean }
	| { do: 'limit'; rateLimit: number }
	| { do: 'clock'; clockOffsetMs: number }
	| { do: 'wait'; ms: number };

/** A story: what people do, and what chance brings. */
export interface SendingHistory {
	deployment: Deployment;
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	hasDate: boolean;
	rateLimit: number;
}

const START = Date.UTC(2030, 0, 31, 9);
const RECIPIENTS = ['905551112233', '905551112244', '905551112255'] as const;

/** What n8n lets a user retry. */
const FAILED = ['error', 'crashed', 'canceled'] as const;

/** How many executions a user retries at once. Otherwise their number would double each time. */
const MOST_RETRIES = 6;

/** A text that many items share, so that nobody knows whose a message is. */
const SHARED_TEXT = 'Hello';

const settings: fc.Arbitrary<SendSettings> = fc.record({
	kind: fc.constantFrom(
		'text' as const,
		'text' as const,
		'text' as const,
		'media' as const,
		'broadcast' as const,
		'tag' as const,
	),
	isTool: fc.constantFrom(false, false, false, true),
	onError: fc.constantFrom(
		'stopWorkflow' as const,
		'continueRegularOutput' as const,
		'continueErrorOutput' as const,
	),
	tries: fc.constantFrom(1, 2, 3),
	maxConcurrency: fc.constantFrom(25, 1, 2),
	maxAttempts: fc.constantFrom(4, 1),
	maxRateLimitWait: fc.constantFrom(300, 0, 20),
	afterAmbiguousSend: fc.constantFrom('verify' as const, 'verify' as const, 'fail' as const),
	pauseWhenQueueAbove: fc.constantFrom(0, 0, 1),
});

/** A chat is the same recipient as its number. */
const recipient = fc
	.tuple(fc.constantFrom(...RECIPIENTS), fc.constantFrom('', '', '@c.us'))
	.map((parts) => parts.join(''));

/** An empty text stands for one that no other item has. */
const fewItems = fc.array(fc.record({ to: recipient, text: fc.constantFrom('', '', SHARED_TEXT) }), {
	minLength: 1,
	maxLength: 4,
});

const sameItems = fc
	.tuple(fc.constantFrom(...RECIPIENTS), fc.constantFrom(2, 3))
	.map(([to, count]): WantedSend[] => Array.from({ length: count }, () => ({ to, text: SHARED_TEXT })));

/** More than a process sends before it knows the rate window. */
const manyItems = fc
	.constant(14)
	.map((count): WantedSend[] =>
		Array.from({ length: count }, (_, index) => ({ to: `9055511133${10 + index}`, text: '' })),
	);

const items = fc.oneof(
	{ weight: 24, arbitrary: fewItems },
	{ weight: 2, arbitrary: sameItems },
	{ weight: 1, arbitrary: manyItems },
);

const runs = fc.oneof(
	{ weight: 4, arbitrary: fc.tuple(items) },
	{ weight: 1, arbitrary: fc.tuple(items, items) },
);

const which = fc.nat(3);

const run: fc.Arbitrary<Step> = fc
	.tuple(runs, settings)
	.map(([chosen, set]): Step => ({ do: 'run', runs: chosen, settings: set }));

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 8, arbitrary: run },
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('retry' as const),
			which,
			isCorrected: fc.constantFrom(false, false, false, false, true),
		}),
	},
	{ weight: 2, arbitrary: fc.constant<Step>({ do: 'retryAll' }) },
	{ weight: 1, arbitrary: which.map((number): Step => ({ do: 'stop', which: number })) },
	{ weight: 2, arbitrary: which.map((number): Step => ({ do: 'kill', which: number })) },
	{ weight: 1, arbitrary: fc.constantFrom(...RECIPIENTS).map((to): Step => ({ do: 'phone', to })) },
	{ weight: 1, arbitrary: fc.constantFrom(...RECIPIENTS).map((from): Step => ({ do: 'customer', from })) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(10_000, 3_600_000).map((ms): Step => ({ do: 'others', messages: 3, ms })),
	},
	{ weight: 2, arbitrary: fc.constantFrom(300, 60_000).map((ms): Step => ({ do: 'disconnect', ms })) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('refuse' as const),
			ms: fc.constantFrom(10_000, 60_000),
			isReported: fc.boolean(),
		}),
	},
	{ weight: 1, arbitrary: fc.constantFrom(100, 5, 2).map((rateLimit): Step => ({ do: 'limit', rateLimit })) },
	{
		weight: 1,
		arbitrary: fc
			.constantFrom(0, 90_000, -90_000)
			.map((clockOffsetMs): Step => ({ do: 'clock', clockOffsetMs })),
	},
	{
		weight: 6,
		arbitrary: fc.constantFrom(10, 1_000, 30_000, 600_000).map((ms): Step => ({ do: 'wait', ms })),
	},
);

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
	.tuple(run, run, fc.constantFrom(1_000, 30_000), run, fc.boolean())
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
	.tuple(run, fc.constantFrom(300, 1_000))
	.map(([failing, ms]): Step[] => [
		{ do: 'disconnect', ms: 600_000 },
		failing,
		{ do: 'wait', ms: 30_000 },
		{ do: 'retryAll' },
		{ do: 'wait', ms },
		{ do: 'kill', which: 0 },
		{ do: 'wait', ms: 600_000 },
	]);

/** Workflows send what others write in the same chat: somebody before them on the phone, and the customer after them. */
const echo: fc.Arbitrary<Step[]> = fc
	.tuple(fc.constantFrom(...RECIPIENTS), settings)
	.map(([to, chosen]): Step[] => {
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
	{ weight: 2, arbitrary: echo },
);

export const sendingHistory: fc.Arbitrary<SendingHistory> = fc
	.record({
		deployment: fc.record({ workers: fc.constantFrom(1, 2), clockStepMs: fc.constantFrom(0, 0, 90_000) }),
		steps: fc.array(steps, { minLength: 1, maxLength: 10 }).map((parts) => parts.flat()),
		numbers: fc.array(fc.nat(1_000_000), { maxLength: 300, size: 'max' }),
		clockOffsetMs: fc.constantFrom(0, 90_000, -90_000),
		hasDate: fc.constantFrom(true, true, true, false),
		rateLimit: fc.constantFrom(100, 5),
		isDatabaseSlow: fc.constantFrom(false, false, true),
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
export async function playSending(
	history: SendingHistory,
	storyOf: (scheduler: Scheduler) => Tell = () => tellNobody,
): Promise<SendingOutcome> {
	const scheduler = createScheduler(START);
	const { choices, calm } = untilCalm(choicesFrom(history.numbers));
	const tell = storyOf(scheduler);
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
		else if (one.do === 'others') service.fillQueue(one.messages, one.ms);
		else if (one.do === 'disconnect') service.disconnect(one.ms);
		else if (one.do === 'refuse') service.refuse(one.ms, one.isReported);
		else if (one.do === 'limit') service.settings.rateLimit = one.rateLimit;
		else if (one.do === 'clock') service.settings.clockOffsetMs = one.clockOffsetMs;
		else await scheduler.run(scheduler.now() + one.ms);
		// Whatever was started begins.
		await scheduler.run(scheduler.now());
	}
	await scheduler.run();

	tell(() => 'All is quiet now, and the user retries what did not succeed');
	calm();
	service.settings.rateLimit = 1_000;
	service.fillQueue(0, 0);
	await scheduler.run(scheduler.now() + 600_000);
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

/** Choices that are all harmless from some moment on. */
export function untilCalm(choices: Choices): { choices: Choices; calm: () => void } {
	let current = choices;
	return {
		choices: {
			upTo: (count) => current.upTo(count),
			oneOf: (options) => current.oneOf(options),
			rarely: (times) => current.rarely(times),
			calmDown: () => current.calmDown(),
		},
		calm: () => (current = choicesFrom([])),
	};
}

/** The latest execution of each workflow run, its retries included. */
export function lastOfEach(executions: StoredExecution[]): StoredExecution[] {
	return [...new Map(executions.map((execution) => [execution.origin, execution])).values()];
}
