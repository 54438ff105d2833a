import fc from 'fast-check';

import {
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
import { FAILED, lastOfEach, startSending } from '../sending/instance';
import type { SendSettings, StoredExecution, WantedSend } from '../sending/executions';
import { OPTED_OUT } from '../service/service';

/** A row of the spreadsheet that a campaign is sent from. */
interface Row {
	to: string;
	requestId: string;
}

const settings: fc.Arbitrary<SendSettings> = fc.record({
	kind: fc.constant('text' as const),
	isTool: fc.constant(false),
	onError: oneOf('continueRegularOutput', 'stopWorkflow'),
	tries: oneOf(1, 2),
	maxConcurrency: oneOf(25, 1, 2),
	maxAttempts: oneOf(4, 1),
	maxRateLimitWait: oneOf(300, 20),
	afterAmbiguousSend: oneOf('verify', 'verify', 'fail'),
	pauseWhenQueueAbove: oneOf(0, 0, 1),
	skipTags: fc.constantFrom([], [OPTED_OUT]),
});

/** Few rows, or more than the node records at once. Some rows have the ID of an earlier one. */
const rows: fc.Arbitrary<Row[]> = fc
	.tuple(
		fc.oneof(
			{ weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
			{ weight: 1, arbitrary: fc.constant(30) },
		),
		fc.array(fc.nat(5), { maxLength: 2 }),
	)
	.map(([count, repeated]) => [
		...Array.from({ length: count }, (_, row) => rowOf(row, row)),
		...repeated.map((id, index) => rowOf(count + index, id % count)),
	]);

const rowOf = (row: number, id: number): Row => ({
	to: `9055511133${10 + row}`,
	requestId: `row ${id}`,
});

const which = fc.nat(3);
const row = fc.nat(5);

/** What a user does with a campaign, or what happens meanwhile. */
const STEPS = {
	/** Starts the workflow anew, from its trigger. */
	run: [
		8,
		{
			rows: times(40, 40, 2),
			isReversed: oneOf(false, false, true),
			isReworded: oneOf(false, false, false, false, true),
			settings,
		},
	],
	/** Retries one of the executions that did not succeed. */
	retry: [2, { which }],
	stop: [1],
	kill: [5, { which }],
	/** Somebody writes the text of a row on the phone. */
	phone: [1, { row }],
	optOut: [1, { row }],
	others: [1],
	disconnect: [1, { ms: oneOf(300, 60_000) }],
	limit: [1, { rateLimit: oneOf(100, 5) }],
	wait: [10, { ms: oneOf(10, 300, 1_000, 30_000, 600_000) }],
} satisfies StepTable;

type CampaignStep = StepOf<typeof STEPS>;

/** The story of one campaign. `queueMs` is how long the service's queue holds each message back. */
export const campaignHistory = fc
	.record({
		deployment: fc.record({ workers: oneOf(1, 1, 2), clockStepMs: fc.constant(0) }),
		kind: oneOf('text', 'text', 'text', 'media', 'tag'),
		rows,
		steps: fc.array(fc.oneof(...stepsOf(STEPS)), { minLength: 2, maxLength: 14 }),
		numbers: numbers(300),
		rateLimit: oneOf(100, 5),
		queueMs: oneOf(0, 0, 120_000),
	})
	.map((history) => ({ ...history, steps: history.steps.map((one) => withKind(one, history.kind)) }));

const withKind = (one: CampaignStep, kind: SendSettings['kind']): CampaignStep =>
	one.do === 'run' ? { ...one, settings: { ...one.settings, kind } } : one;

type CampaignHistory = Made<typeof campaignHistory>;

/** How a campaign ended. */
export type CampaignOutcome = Awaited<ReturnType<typeof playCampaign>>;

/** The row that a step is about, whose number may be higher than there are rows. */
export function rowAt({ rows: all }: CampaignHistory, number: number): Row {
	return all[number % all.length] as Row;
}

/** The text of a row. It names the row's ID, and the row itself. */
const textOf = ({ requestId, to }: Row, wording = 'Hello') => `${wording}, ${requestId} of ${to}`;

/** Lets the history of a campaign happen. In the end, when all is quiet, the user runs the whole campaign once more. */
export async function playCampaign(history: CampaignHistory, storyOf?: StoryOf) {
	const { rateLimit, queueMs } = history;
	const settings = { clockOffsetMs: 0, rateLimit, queueMs, hasWholeLists: true };
	const world = startSending(history.numbers, storyOf, settings, history.deployment);
	const { scheduler, n8n, service } = world;
	/** When each person opted out, in Unix milliseconds. */
	const optedOut = new Map<string, number>();

	const run = (one: CampaignStep & { do: 'run' }): void => {
		const rows = history.rows.slice(0, one.rows);
		const items = (one.isReversed ? rows.toReversed() : rows).map((row): WantedSend => ({
			...row,
			text: textOf(row, one.isReworded ? 'Good day' : undefined),
		}));
		n8n.start([items], one.settings);
	};
	const take = takerOf<CampaignStep>(world.tell, {
		...world.actions,
		run,
		retry: (one) => {
			const execution = n8n.chosen(one.which, ...FAILED);
			if (execution) n8n.retry(execution);
		},
		stop: () => n8n.stop(n8n.chosen(0, 'running')),
		phone: (one) => service.writeOnPhone(rowAt(history, one.row).to, textOf(rowAt(history, one.row))),
		optOut: (one) => {
			const { to } = rowAt(history, one.row);
			service.optOut(to);
			if (!optedOut.has(to)) optedOut.set(to, scheduler.now());
		},
		others: () => service.fillQueue(3, 10_000),
	});
	await world.play(history.steps, take);
	await world.becomeQuiet('runs the whole campaign once more');
	run({ do: 'run', rows: Infinity, isReversed: false, isReworded: false, settings: lastSettings(history) });
	await scheduler.run();
	/** The one with which the user ends the campaign. */
	const last = lastOfEach(n8n.database.executions).at(-1) as StoredExecution;
	return { history, last, optedOut, row: n8n.database, ...world.outcome() };
}

const lastSettings = ({ kind }: CampaignHistory): SendSettings => ({
	kind,
	isTool: false,
	onError: 'continueRegularOutput',
	tries: 1,
	maxConcurrency: 25,
	maxAttempts: 4,
	maxRateLimitWait: 300,
	afterAmbiguousSend: 'verify',
	pauseWhenQueueAbove: 0,
	skipTags: [OPTED_OUT],
});
