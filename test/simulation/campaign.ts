import fc from 'fast-check';

import {
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
import { lastOfEach } from './sending';
import { startInstance, type Deployment } from './sendingInstance';
import type { SendSettings, StoredExecution, WantedSend } from './sendingExecutions';
import { createService, OPTED_OUT, type SimulatedService } from './service';

/** A row of the spreadsheet that a campaign is sent from. */
interface Row {
	to: string;
	requestId: string;
}

/** The story of one campaign. */
export interface CampaignHistory {
	deployment: Deployment;
	kind: SendSettings['kind'];
	rows: Row[];
	steps: CampaignStep[];
	numbers: number[];
	rateLimit: number;
	/** How long the service's queue holds each message back, in milliseconds. */
	queueMs: number;
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

export const campaignHistory: fc.Arbitrary<CampaignHistory> = fc
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

/** How a campaign ended. */
export interface CampaignOutcome {
	history: CampaignHistory;
	executions: StoredExecution[];
	/** The one with which the user ends the campaign, when all is quiet. */
	last: StoredExecution;
	service: SimulatedService;
	requestLog: RequestEvent[];
	/** When each person opted out, in Unix milliseconds. */
	optedOut: ReadonlyMap<string, number>;
	/** Whether n8n's database lost keys or failed. */
	hasLostRecords: boolean;
	/** How often a process lost keys that it had written itself. */
	lostByItself: number;
}

/** The row that a step is about, whose number may be higher than there are rows. */
export function rowAt({ rows: all }: CampaignHistory, number: number): Row {
	return all[number % all.length] as Row;
}

/** The text of a row. It names the row's ID, and the row itself. */
const textOf = ({ requestId, to }: Row, wording = 'Hello') => `${wording}, ${requestId} of ${to}`;

/**
 * Lets the history of a campaign happen. In the end, when all is quiet, the user runs the whole campaign once more.
 *
 * @param storyOf makes what the story is told to, when somebody wants to read it
 */
export async function playCampaign(history: CampaignHistory, storyOf?: StoryOf): Promise<CampaignOutcome> {
	const { scheduler, choices, tell, pass } = beginHistory(history.numbers, storyOf);
	const service = createService(scheduler, choices, {
		clockOffsetMs: 0,
		rateLimit: history.rateLimit,
		queueMs: history.queueMs,
		hasWholeLists: true,
	});
	const requestLog: RequestEvent[] = [];
	const n8n = startInstance({ scheduler, choices, service, tell, requestLog }, history.deployment);
	const { executions } = n8n.database;
	const optedOut = new Map<string, number>();

	const start = ({ rows: count, isReversed, isReworded, settings: chosen }: CampaignStep & { do: 'run' }) => {
		const chosenRows = history.rows.slice(0, count);
		const items = (isReversed ? chosenRows.toReversed() : chosenRows).map((one): WantedSend => ({
			...one,
			text: textOf(one, isReworded ? 'Good day' : undefined),
		}));
		n8n.start([items], chosen);
	};

	for (const one of history.steps) {
		tell(() => `Step: ${JSON.stringify(one)}`);
		if (one.do === 'run') start(one);
		else if (one.do === 'retry') {
			const failed = executions.filter(({ status }) => ['error', 'crashed', 'canceled'].includes(status));
			const execution = failed[one.which % failed.length];
			if (execution) n8n.retry(execution);
		} else if (one.do === 'stop') {
			const execution = executions.find(({ status }) => status === 'running');
			if (execution) n8n.stop(execution);
		} else if (one.do === 'kill') n8n.kill(one.which);
		else if (one.do === 'phone')
			service.writeOnPhone(rowAt(history, one.row).to, textOf(rowAt(history, one.row)));
		else if (one.do === 'optOut') {
			const { to } = rowAt(history, one.row);
			service.optOut(to);
			if (!optedOut.has(to)) optedOut.set(to, scheduler.now());
		} else if (one.do === 'others') service.fillQueue(3, 10_000);
		else if (one.do === 'disconnect') service.disconnect(one.ms);
		else if (one.do === 'limit') service.settings.rateLimit = one.rateLimit;
		else await pass(one.ms);
		// Whatever was started begins.
		await pass(0);
	}
	await scheduler.run();

	tell(() => 'All is quiet now, and the user runs the whole campaign once more');
	choices.calmDown();
	service.settings.rateLimit = 1_000;
	service.fillQueue(0, 0);
	await pass(600_000);
	start({ do: 'run', rows: Infinity, isReversed: false, isReworded: false, settings: lastSettings(history) });
	await scheduler.run();
	const { lostUpdates, lostByItself = 0, failures } = n8n.database;
	const last = lastOfEach(executions).at(-1) as StoredExecution;
	return {
		history,
		executions,
		last,
		service,
		requestLog,
		optedOut,
		hasLostRecords: lostUpdates + failures > 0,
		lostByItself,
	};
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
