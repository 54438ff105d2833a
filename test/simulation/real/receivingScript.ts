import { choicesFrom } from '../chance/choices';
import { productionUrl, testUrl, type TriggerVersion } from '../n8n/triggerDatabase';
import { receivingHistory, type ReceivingHistory, type Step } from '../receiving/history';
import { startReceivingWorld, type ReceivingOutcome } from '../receiving/receiving';
import { PLAYING, type Outcome } from './compare';
import { describeReceiving, holderOf } from './outcome';
import {
	fateNamer,
	fatesFrom,
	KILLED_AFTER_MS,
	onlyTimesOf,
	sampleScripts,
	segmentsOf,
	type Fates,
} from './segments';

/** So often the service delivers an event that n8n does not accept. */
export const ATTEMPTS = 6;

/** So long the service waits before it delivers an event again, doubled each time. */
export const FIRST_BACKOFF_MS = 500;

/** How long a workflow runs after its trigger, so that a kill finds something under way. */
export const WORKFLOW_MS = 3_000;

/**
 * What n8n has a part in. What needs another n8n, another account or minutes is left to the simulation, as is what only the trigger
 * and the service decide: forgeries, rotated secrets, other systems, copies of an event.
 */
const PLAYED = ['publish', 'unpublish', 'change', 'listen', 'cancel', 'event'] as const;

export type ScriptStep = Extract<Step, { do: (typeof PLAYED)[number] }>;

/** A part of a history, after which everything is over or n8n is killed. */
interface Segment {
	steps: ScriptStep[];
	/** What becomes of the requests to an endpoint, such as `GET /webhooks`. */
	fates: Record<string, Fates>;
	isKilled: boolean;
}

/** A history that a real n8n and a simulated one can go through, with only the time left to chance. */
export interface ReceivingScript {
	segments: Segment[];
	clockOffsetMs: number;
	versions: TriggerVersion[];
	usesPublicationService: boolean;
}

const ENDPOINTS = [
	'GET /webhooks',
	'POST /webhooks',
	'DELETE /webhooks',
	'POST /webhooks/test',
	'GET /account',
];

/** What depends on time is left to the simulation: a response within one second, and events that wait for others. */
const unhurried = ({ timeoutSeconds, ifWebhookExists, events }: TriggerVersion): TriggerVersion => ({
	ifWebhookExists,
	events,
	timeoutSeconds: timeoutSeconds === 1 ? 20 : timeoutSeconds,
});

/** The fourth workflow is of another n8n. */
const WORKFLOWS = [0, 1, 2];

const isPlayed = (step: Step) =>
	step.do === 'wait' ||
	step.do === 'kill' ||
	((PLAYED as readonly string[]).includes(step.do) &&
		!('workflow' in step && !WORKFLOWS.includes(step.workflow)));

/** All of a simulated history but its times: chance decides what goes wrong in a segment. */
function scriptOf(
	{ steps, clockOffsetMs, versions, deployment }: ReceivingHistory,
	numbers: readonly number[],
): ReceivingScript {
	const choices = choicesFrom(numbers);
	const cut = segmentsOf(steps.filter(isPlayed), (own) => own.length > 0);
	const segments = cut.map(({ steps: own, isKilled }): Segment => {
		const played = (own as ScriptStep[]).map((step): ScriptStep => {
			if (step.do === 'event') return { do: 'event', count: step.count, isFromMe: step.isFromMe };
			return step.do === 'change' ? { ...step, version: unhurried(step.version) } : step;
		});
		// A test that nobody ends would last two minutes.
		const cancels = played.flatMap((step): ScriptStep[] =>
			step.do === 'listen' ? [{ ...step, do: 'cancel' }] : [],
		);
		const fates = ENDPOINTS.map((endpoint) => [endpoint, fatesFrom(choices, [4, 8, 8], isKilled)]);
		return {
			steps: isKilled ? played : [...played, ...cancels],
			fates: Object.fromEntries(fates) as Segment['fates'],
			isKilled,
		};
	});
	return {
		segments,
		clockOffsetMs,
		versions: WORKFLOWS.map((workflow) => unhurried(versions[workflow] as TriggerVersion)),
		usesPublicationService: deployment.usesPublicationService,
	};
}

/** Something is received, and short histories take seconds in a real n8n. */
const isWorthwhile = ({ segments }: ReceivingScript) =>
	segments.length >= 2 &&
	segments.length <= 5 &&
	segments.slice(1).some(({ steps }) => steps.some((step) => step.do === 'event'));

/** For an n8n with its publication service or without. */
export const receivingScripts = (
	seed: number,
	count: number,
	usesPublicationService: boolean,
): ReceivingScript[] =>
	sampleScripts(receivingHistory, scriptOf, isWorthwhile, [seed, count]).map((script) => ({
		...script,
		usesPublicationService,
	}));

const PAUSES_MS = [3_000, 300, 90_000] as const;

/** The same for a segment in which n8n is killed before everything is over. */
const SHORT_PAUSES_MS = [500, 0, 3_000] as const;

/** Before n8n is killed it waits for all other histories. */
const TOGETHER_PAUSES_MS = [0, 400_000] as const;

/** After a segment. The triggers look after the webhook a minute after their activation, then every five minutes. */
const LONG_PAUSES_MS = [1_200_000, 200_000, 50_000, 15_000] as const;

const PAUSE_MS = 10_000;

/** Longer than a publication takes. */
const MAX_PAUSES = 100;

/** Whether n8n still publishes or runs something. */
function isBusy({ database, deaths }: ReceivingOutcome): boolean {
	const lastDeath = Math.max(0, ...deaths.map(({ at }) => at));
	return (
		database.publications.some(({ status }) => status !== 'over') ||
		database.hookCalls.some(({ startedAt, endedAt }) => endedAt === undefined && startedAt > lastDeath) ||
		database.executions.some(
			({ status, storedAt }) => ['new', 'running'].includes(status) && storedAt > lastDeath,
		)
	);
}

/** Lets a script happen in the simulation. Chance decides how long everything takes. */
export async function simulateReceiving(
	{ segments, clockOffsetMs, versions, usesPublicationService }: ReceivingScript,
	numbers: readonly number[],
): Promise<Outcome> {
	const choices = choicesFrom(numbers.slice(0, PLAYING));
	let current: Segment | undefined;
	let fateOf = fateNamer();
	const deployment = {
		mode: 'regular' as const,
		usesPublicationService,
		hashesEvents: true,
		isMortal: false,
	};
	// The real service delivers nothing while n8n is down, so its attempts are as many, but further apart.
	const firstBackoffMs = choices.oneOf([FIRST_BACKOFF_MS, 10 * FIRST_BACKOFF_MS]);
	const { scheduler, take, outcome } = startReceivingWorld(
		{ numbers: [], clockOffsetMs, versions, deployment },
		{
			fateOf: ({ method, path }) => fateOf(`${method} ${path}`, current?.fates),
			workflowMs: WORKFLOW_MS,
			firstBackoffMs,
			choices: onlyTimesOf(choicesFrom(numbers.slice(PLAYING))),
		},
	);
	const holders: string[] = [];
	const pause = async (ms: number) => await scheduler.run(scheduler.now() + ms);

	for (const segment of segments) {
		current = segment;
		fateOf = fateNamer();
		if (segment.isKilled) await pause(choices.oneOf(TOGETHER_PAUSES_MS));
		for (const step of segment.steps) {
			// n8n may die before it looks at a request of its editor.
			if (!(segment.isKilled && 'workflow' in step && choices.rarely(4))) take(step);
			await pause(choices.oneOf(segment.isKilled ? SHORT_PAUSES_MS : PAUSES_MS));
		}
		if (segment.isKilled) {
			await pause(choices.oneOf(KILLED_AFTER_MS));
			take({ do: 'kill', process: 0 });
			current = undefined;
		}
		await pause(choices.oneOf(LONG_PAUSES_MS));
		// Else, a real n8n is looked at when nothing is under way any more.
		for (let pauses = 0; !segment.isKilled && isBusy(outcome()) && pauses < MAX_PAUSES; pauses++)
			await pause(PAUSE_MS);
		const { database, webhooks } = outcome();
		const urls = database.workflows.map((workflow): [string, string] => [
			productionUrl(workflow),
			testUrl(workflow),
		]);
		holders.push(holderOf(webhooks.current, urls));
	}

	// Nor is an event on its way then.
	await pause(2 ** ATTEMPTS * firstBackoffMs);
	const { database, webhooks } = outcome();
	return describeReceiving({
		holders,
		published: database.workflows.map(({ active }) => active !== undefined),
		events: webhooks.emitted.map(({ messageId, attempts }) => ({
			messageId,
			isAcknowledged: attempts.some(({ response }) => response?.status === 200),
		})),
		executions: database.executions.map(({ workflowId, mode, messageId, status, hasItems }) => ({
			workflow: database.workflows.findIndex(({ id }) => id === workflowId),
			isTest: mode === 'manual',
			...(messageId !== 'undefined' && { messageId }),
			status: status === 'success' && !hasItems ? 'duplicate' : status,
		})),
	});
}
