import fc from 'fast-check';

import {
	clockOffsetMs,
	numbers,
	oneOf,
	stepsOf,
	takerOf,
	times,
	type Made,
	type StepOf,
	type StepTable,
	type StoryOf,
} from '../chance/histories';
import { FAILED, lastOfEach, startSending } from './instance';
import type { SendSettings, StoredExecution, WantedSend } from './executions';

const RECIPIENTS = ['905551112233', '905551112244', '905551112255'] as const;

/** How many executions a user retries at once. Otherwise their number would double each time. */
const MOST_RETRIES = 6;

/** A text that many items share, so that nobody knows whose a message is. */
const SHARED_TEXT = 'Hello';

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

export const sendingHistory = fc
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

/** A story: what people do, and what chance brings. */
export type SendingHistory = Made<typeof sendingHistory>;

/** How a history ended. */
export type SendingOutcome = Awaited<ReturnType<typeof playSending>>;

/** Lets a history happen. Afterwards all is quiet, and the user retries what did not succeed. */
export async function playSending(history: SendingHistory, storyOf?: StoryOf) {
	const { clockOffsetMs, rateLimit, hasDate } = history;
	const settings = { clockOffsetMs, rateLimit, hasDate };
	const world = startSending(history.numbers, storyOf, settings, history.deployment);
	const { n8n, service } = world;
	const take = takerOf<Step>(world.tell, {
		...world.actions,
		run: (one) => n8n.start(one.runs, one.settings),
		retry: (one) => {
			const execution = n8n.chosen(one.which, ...FAILED);
			if (execution) n8n.retry(execution, one.isCorrected ? correctedRuns(execution) : undefined);
		},
		retryAll: () => {
			for (const execution of n8n.inStatus(...FAILED).slice(-MOST_RETRIES)) n8n.retry(execution);
		},
		stop: (one) => n8n.stop(n8n.chosen(one.which, 'running')),
		phone: (one) => service.writeOnPhone(one.to, SHARED_TEXT),
		customer: (one) => service.receive(one.from, SHARED_TEXT),
		others: (one) => service.fillQueue(3, one.ms),
		refuse: (one) => service.refuse(one.ms, one.isReported),
		lock: (one) => n8n.lockDatabase(one.ms),
		clock: (one) => void (service.settings.clockOffsetMs = one.clockOffsetMs),
	});
	await world.play(history.steps, take);
	await world.becomeQuiet('retries what did not succeed');
	for (const execution of lastOfEach(n8n.database.executions))
		if (execution.status !== 'success') n8n.retry(execution);
	await world.scheduler.run();
	return { history, ...world.outcome(), log: n8n.log() };
}

/**
 * The numbers with another last digit. "If you change … Recipients after a broadcast was created, start a new execution",
 * which this user does.
 */
function correctedRuns({ runs, settings }: StoredExecution): StoredExecution['runs'] {
	if (settings.kind === 'broadcast') return runs;
	return runs.map((items) => items.map((item) => ({ ...item, to: item.to.replace(/\d(?=@|$)/, '9') })));
}
