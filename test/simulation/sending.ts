import fc from 'fast-check';

import { choicesFrom, type Choices } from './choices';
import { createScheduler, type Scheduler } from './scheduler';
import { startInstance, type Deployment } from './sendingInstance';
import type { SendSettings, StoredExecution, WantedSend } from './sendingProcess';
import { createService, type SimulatedService } from './service';
import { tellNobody, type Tell } from './story';

/** What a user, somebody with the account's phone, or fate does in one step of a history. */
type Step =
	| { do: 'run'; runs: WantedSend[][]; settings: SendSettings }
	/** Retries one of the executions that did not succeed. */
	| { do: 'retry'; which: number }
	| { do: 'retryAll' }
	| { do: 'stop'; which: number }
	| { do: 'kill'; which: number }
	| { do: 'phone'; to: string }
	| { do: 'disconnect'; ms: number }
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

/** An empty text stands for one that no other item has. */
const items = fc.array(
	fc.record({ to: fc.constantFrom(...RECIPIENTS), text: fc.constantFrom('', '', SHARED_TEXT) }),
	{ minLength: 1, maxLength: 4 },
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
	{ weight: 6, arbitrary: which.map((number): Step => ({ do: 'retry', which: number })) },
	{ weight: 2, arbitrary: fc.constant<Step>({ do: 'retryAll' }) },
	{ weight: 1, arbitrary: which.map((number): Step => ({ do: 'stop', which: number })) },
	{ weight: 2, arbitrary: which.map((number): Step => ({ do: 'kill', which: number })) },
	{ weight: 1, arbitrary: fc.constantFrom(...RECIPIENTS).map((to): Step => ({ do: 'phone', to })) },
	{ weight: 2, arbitrary: fc.constantFrom(300, 60_000).map((ms): Step => ({ do: 'disconnect', ms })) },
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

const steps = fc.oneof(
	{ weight: 16, arbitrary: step.map((one) => [one]) },
	{ weight: 2, arbitrary: fc.constant(retriesOfAll) },
	{ weight: 1, arbitrary: outage },
);

export const sendingHistory: fc.Arbitrary<SendingHistory> = fc
	.record({
		deployment: fc.record({ workers: fc.constantFrom(1, 2), clockStepMs: fc.constantFrom(0, 0, 90_000) }),
		steps: fc.array(steps, { minLength: 1, maxLength: 10 }).map((parts) => parts.flat()),
		numbers: fc.array(fc.nat(1_000_000), { maxLength: 300, size: 'max' }),
		clockOffsetMs: fc.constantFrom(0, 90_000, -90_000),
		hasDate: fc.constantFrom(true, true, true, false),
		rateLimit: fc.constantFrom(100, 5),
	})
	.map(({ steps, ...rest }) => ({ ...rest, steps: steps.map(withTextsOfItsOwn) }));

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
	const n8n = startInstance({ scheduler, choices, service, tell }, history.deployment);
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
			if (execution) n8n.retry(execution);
		} else if (one.do === 'retryAll') {
			for (const execution of all(...FAILED)) n8n.retry(execution);
		} else if (one.do === 'stop') {
			const execution = chosen(one.which, 'running');
			if (execution) n8n.stop(execution);
		} else if (one.do === 'kill') n8n.kill(one.which);
		else if (one.do === 'phone') service.writeOnPhone(one.to, SHARED_TEXT);
		else if (one.do === 'disconnect') service.disconnect(one.ms);
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
	await scheduler.run(scheduler.now() + 600_000);
	for (const execution of lastOfEach(executions)) if (execution.status !== 'success') n8n.retry(execution);
	await scheduler.run();
	return { history, executions, service, log: n8n.log() };
}

/** Choices that are all harmless from some moment on. */
function untilCalm(choices: Choices): { choices: Choices; calm: () => void } {
	let current = choices;
	return {
		choices: {
			upTo: (count) => current.upTo(count),
			oneOf: (options) => current.oneOf(options),
			rarely: (times) => current.rarely(times),
		},
		calm: () => (current = choicesFrom([])),
	};
}

/** The latest execution of each workflow run, its retries included. */
export function lastOfEach(executions: StoredExecution[]): StoredExecution[] {
	return [...new Map(executions.map((execution) => [execution.origin, execution])).values()];
}
