import fc from 'fast-check';

import { createAccount } from '../service/account';
import {
	createDeployment,
	type Death,
	type Deployment,
	type DeploymentSettings,
} from '../receiving/deployment';
import {
	beginHistory,
	clockOffsetMs,
	numbers,
	oneOf,
	settleDown,
	stepsOf,
	takerOf,
	type Made,
	type StepOf,
	type StepTable,
	type StoryOf,
} from '../chance/histories';
import { deployment } from '../receiving/history';
import type { CountedRequest } from '../service/service';
import {
	executionsOfEvents,
	newTriggerDatabase,
	newWorkflow,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from '../n8n/triggerDatabase';
import type { EmittedEvent } from '../service/events';

const version: fc.Arbitrary<TriggerVersion> = fc.record({
	ifWebhookExists: fc.constant('share' as const),
	events: fc.constant(['message.received']),
	timeoutSeconds: fc.constant(30),
	combineEvents: oneOf(undefined, undefined, 'whenBusy', 'perChat'),
	catchUpMinutes: oneOf(60, 60, 5),
	pollSeconds: oneOf(undefined, undefined, 15, 60),
});

const workflow = fc.nat(1);
const process = fc.nat(4);

/** What a user, a customer or fate does. */
const STEPS = {
	/** Publishes the first version of a workflow, or the second, which listens in another way. */
	publish: [2, { workflow, version: oneOf(0, 0, 0, 1) }],
	unpublish: [1, { workflow }],
	/** Messages come into a chat. Their events are delivered so often at the most. */
	messages: [
		8,
		{
			count: fc.integer({ min: 1, max: 4 }),
			chat: fc.nat(2),
			isFromMe: oneOf(false, false, false, false, true),
			deliveries: oneOf(6, 1, 0),
			listedAfterMs: oneOf(0, 0, 2_000),
		},
	],
	kill: [3, { process }],
	/** A new process starts while the one before still runs. */
	replace: [1, { process, togetherMs: oneOf(5_000, 200_000) }],
	/** Nobody reaches the service for so long. */
	'cut off': [1, { ms: oneOf(3_000, 200_000) }],
	/** The service refuses all requests with a 429 for so long. */
	refuse: [1, { ms: oneOf(3_000, 200_000), isReported: fc.boolean() }],
	wait: [8, { ms: oneOf(10, 1_000, 10_000, 40_000, 160_000, 310_000) }],
} satisfies StepTable;

type MissedStep = StepOf<typeof STEPS>;

const BEGINNINGS: [MissedStep[], ...MissedStep[][]] = [
	[{ do: 'publish', workflow: 0, version: 0 }],
	[
		{ do: 'publish', workflow: 0, version: 0 },
		{ do: 'publish', workflow: 1, version: 0 },
	],
];

export const missedHistory = fc.record({
	steps: fc
		.tuple(oneOf(...BEGINNINGS), fc.array(fc.oneof(...stepsOf(STEPS)), { minLength: 2, maxLength: 14 }))
		.map(([beginning, steps]): MissedStep[] => [
			{ do: 'messages', count: 2, chat: 0, isFromMe: false, deliveries: 0, listedAfterMs: 0 },
			...beginning,
			{ do: 'wait', ms: 40_000 },
			...steps,
		]),
	numbers: numbers(500),
	clockOffsetMs,
	/** The versions of each workflow. */
	versions: fc.tuple(fc.tuple(version, version), fc.tuple(version, version)),
	deployment,
});

/** A message that came in. */
export interface ReceivedMessage extends EmittedEvent {
	/** By the scheduler, in Unix milliseconds. */
	receivedAt: number;
	listedAt: number;
}

export interface MissedOutcome {
	database: TriggerDatabase;
	deployment: DeploymentSettings;
	messages: ReceivedMessage[];
	requests: readonly CountedRequest[];
	deaths: Death[];
	/** When two processes ran in one place. */
	meetings: Array<{ from: number; until: number }>;
	log: string[];
	/** When users published or unpublished a workflow, by its ID. */
	userChanges: Array<{ workflowId: string; at: number }>;
	/** When all was quiet, and when the workflows had been unpublished. */
	quietAt: number;
	unpublishedAt: number;
}

/** How long the faults go on after the last step. */
const EVENTFUL_MS = 200_000;

/** Longer than it takes until a missed message begins to run: a look-up that nobody answers takes ten minutes. */
const QUIET_MS = 1_200_000;

/** What still happens so long after the faults never ends. n8n holds an execution back for up to two hours. */
const MOST_SETTLING_MS = 12_000_000;

/** When something last happened to an execution, to the webhook or to a process. */
function lastChangeIn({ executions, hookCalls }: TriggerDatabase, deaths: readonly Death[]): number {
	return Math.max(
		...hookCalls.map(({ startedAt, endedAt = startedAt }) => endedAt),
		...deaths.map(({ at }) => at),
		...executions.map(({ storedAt, releasedAt = 0, beganAt = 0, endedAt = 0 }) =>
			Math.max(storedAt, releasedAt, beganAt, endedAt),
		),
	);
}

/** How long publishing and unpublishing take. */
const CHANGE_MS = 300_000;

/** Lets a history happen. */
export async function playMissed(
	{ steps, numbers, clockOffsetMs, versions, deployment }: Made<typeof missedHistory>,
	storyOf?: StoryOf,
): Promise<MissedOutcome> {
	const history = beginHistory(numbers, storyOf);
	const { scheduler, choices, tell, pass, play } = history;
	const { now, webhooks, service } = createAccount(
		history,
		{ clockOffsetMs, rateLimit: 1_000, hasWholeLists: true },
		async (delivery) => await n8n.deliver(delivery),
	);
	const workflows = versions.map(([draft], index) => newWorkflow(draft, index));
	const database = newTriggerDatabase(workflows, webhooks.secrets[0] as string);
	const n8n: Deployment = createDeployment({ scheduler, choices, service, tell }, database, deployment);
	const messages: ReceivedMessage[] = [];
	const meetings: MissedOutcome['meetings'] = [];
	const userChanges: MissedOutcome['userChanges'] = [];

	const receive = ({
		chat,
		isFromMe,
		deliveries,
		listedAfterMs,
	}: Extract<MissedStep, { do: 'messages' }>): void => {
		const timestamp = Math.floor(now() / 1000);
		const chatId = `90555111220${chat}@c.us`;
		const event = webhooks.receive({ chatId, timestamp, isFromMe }, deliveries);
		messages.push({ ...event, receivedAt: scheduler.now(), listedAt: scheduler.now() + listedAfterMs });
		scheduler.after(listedAfterMs, () => service.receive(chatId, 'Hi', event));
	};

	/** What a user changes, and the process that serves the editor. */
	const change = (index: number) => {
		const workflow = workflows[index] as TriggerWorkflow;
		userChanges.push({ workflowId: workflow.id, at: scheduler.now() });
		return { workflow, publisher: n8n.main?.publisher };
	};
	const take = takerOf<MissedStep>(tell, {
		publish: (one) => {
			const { workflow, publisher } = change(one.workflow);
			workflow.draft = versions[one.workflow]?.[one.version] ?? workflow.draft;
			publisher?.publish(workflow);
		},
		unpublish: (one) => {
			const { workflow, publisher } = change(one.workflow);
			publisher?.unpublish(workflow);
		},
		messages: (one) => {
			for (let count = 0; count < one.count; count++) receive(one);
		},
		kill: (one) => n8n.kill(one.process),
		replace: (one) => {
			// n8n itself loses a change that it makes while another process starts.
			const isChanging = [...userChanges.map(({ at }) => at), ...meetings.map(({ from }) => from)].some(
				(at) => at > scheduler.now() - CHANGE_MS,
			);
			const isUnfinished =
				database.publications.some(({ status }) => status !== 'over') ||
				database.hookCalls.some(({ endedAt }) => endedAt === undefined);
			if (isChanging || isUnfinished) return;
			meetings.push({ from: scheduler.now(), until: scheduler.now() + one.togetherMs });
			n8n.replace(one.process, one.togetherMs);
		},
		'cut off': (one) => service.cutOff(one.ms),
		refuse: (one) => service.refuse(one.ms, one.isReported),
	});

	await play(steps, take);
	await pass(EVENTFUL_MS);
	choices.calmDown();
	await settleDown(scheduler, () => lastChangeIn(database, n8n.deaths), QUIET_MS, MOST_SETTLING_MS);
	const quietAt = scheduler.now();
	const outcome = {
		database: { ...database, executions: database.executions.flatMap(executionsOfEvents) },
		deployment,
		messages,
		deaths: n8n.deaths,
		meetings,
		userChanges: [...userChanges],
		quietAt,
	};
	const ended = workflows.map((workflow) => ({
		...workflow,
		settled: workflow.settled.map((period) => ({ ...period })),
	}));
	for (const [index, workflow] of workflows.entries()) {
		// If it is killed while it unpublishes, n8n can believe that it has.
		workflow.active ??= workflow.published;
		take({ do: 'unpublish', workflow: index });
	}
	await pass(CHANGE_MS);
	const unpublishedAt = scheduler.now();
	// Ends when no loop goes on.
	await scheduler.run();
	return {
		...outcome,
		database: { ...outcome.database, workflows: ended },
		requests: service.counted,
		log: n8n.log(),
		unpublishedAt,
	};
}
