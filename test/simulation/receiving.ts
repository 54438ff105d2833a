import fc from 'fast-check';

import { choicesFrom } from './choices';
import { createDeployment, type Death, type DeploymentSettings } from './deployment';
import { isHolder, possibleWebhooks } from './expectedWebhook';
import type { World } from './process';
import { createScheduler, type Scheduler } from './scheduler';
import { createService } from './service';
import { tellNobody, type Tell } from './story';
import {
	N8N_URL,
	type EventExecution,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from './triggerDatabase';
import {
	createWebhookService,
	FORGERIES,
	type Attempt,
	type ForeignChange,
	type ForgedEvent,
	type WebhookService,
} from './webhooks';

/** What a user, a customer or fate does in one step of a history. */
export type Step =
	| { do: 'publish' | 'unpublish' | 'listen' | 'cancel'; workflow: number }
	/** Changes the trigger in the editor. */
	| { do: 'change'; workflow: number; version: TriggerVersion }
	| { do: 'event'; count: number; isFromMe: boolean }
	| { do: 'forge'; kind: ForgedEvent['kind'] }
	| { do: 'kill'; process: number }
	/** Rotates the secret, and saves it in the credential so much later; undefined for never. */
	| { do: 'rotate'; savedAfterMs?: number }
	| { do: 'interfere'; does: ForeignChange['does'] }
	| { do: 'wait'; ms: number };

export interface ReceivingHistory {
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	versions: [TriggerVersion, TriggerVersion];
	deployment: DeploymentSettings;
}

const START = Date.UTC(2030, 0, 31, 9);

const version: fc.Arbitrary<TriggerVersion> = fc.record({
	ifWebhookExists: fc.constantFrom('fail' as const, 'replace' as const),
	events: fc.constantFrom(['message.received'], ['message.received', 'message.sent']),
	timeoutSeconds: fc.constantFrom(30, 1),
});

const workflow = fc.nat(1);

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant('publish' as const), workflow }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('unpublish' as const), workflow }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), workflow, version }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('listen' as const), workflow }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), workflow }) },
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('event' as const),
			count: fc.integer({ min: 1, max: 3 }),
			isFromMe: fc.constantFrom(false, false, false, true),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ do: fc.constant('forge' as const), kind: fc.constantFrom(...FORGERIES) }),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), process: fc.nat(4) }) },
	{
		weight: 1,
		arbitrary: fc.record(
			{ do: fc.constant('rotate' as const), savedAfterMs: fc.constantFrom(1, 5_000) },
			{ requiredKeys: ['do'] },
		),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('interfere' as const),
			does: fc.constantFrom('sets' as const, 'removes' as const),
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant('wait' as const),
			ms: fc.constantFrom(10, 1_000, 30_000, 700_000),
		}),
	},
);

const deployment: fc.Arbitrary<DeploymentSettings> = fc
	.record({
		mode: fc.constantFrom('regular' as const, 'regular' as const, 'queue' as const),
		usesPublicationService: fc.boolean(),
		checksReadiness: fc.boolean(),
		hashesEvents: fc.constantFrom(true, true, false),
		isMortal: fc.boolean(),
	})
	.map((settings) => (settings.mode === 'queue' ? { ...settings, usesPublicationService: true } : settings));

export const receivingHistory: fc.Arbitrary<ReceivingHistory> = fc.record({
	// A first publication, without which little happens.
	steps: fc
		.array(step, { minLength: 1, maxLength: 10 })
		.map((steps): Step[] => [{ do: 'publish', workflow: 0 }, { do: 'wait', ms: 30_000 }, ...steps]),
	numbers: fc.array(fc.nat(1_000_000), { maxLength: 300, size: 'max' }),
	clockOffsetMs: fc.constantFrom(0, 90_000, -90_000),
	versions: fc.tuple(version, version),
	deployment,
});

/** Since when the credential holds a secret. */
interface SavedSecret {
	secret: string;
	at: number;
}

export interface ReceivingOutcome {
	database: TriggerDatabase;
	webhooks: WebhookService;
	savedSecrets: SavedSecret[];
	deployment: DeploymentSettings;
	deaths: Death[];
	log: string[];
}

/** A history that goes on step by step. */
export interface ReceivingWorld {
	scheduler: Scheduler;
	/** Begins a step, and lets no time pass. */
	take(step: Step): void;
	outcome(): ReceivingOutcome;
}

interface ReceivingOptions {
	/** Makes what the story is told to, when somebody wants to read it. */
	storyOf?: (scheduler: Scheduler) => Tell;
	fateOf?: World['fateOf'];
}

/** The beginning of a history. */
export function startReceivingWorld(
	{ numbers, clockOffsetMs, versions, deployment }: Omit<ReceivingHistory, 'steps'>,
	{ storyOf = () => tellNobody, fateOf }: ReceivingOptions = {},
): ReceivingWorld {
	const scheduler = createScheduler(START);
	const choices = choicesFrom(numbers);
	const tell = storyOf(scheduler);
	const serviceTime = () => scheduler.now() + clockOffsetMs;
	const webhooks = createWebhookService(
		scheduler,
		choices,
		serviceTime,
		async (delivery) => await n8n.deliver(delivery),
		tell,
	);
	const service = createService(scheduler, choices, { clockOffsetMs, rateLimit: 1_000 }, webhooks);
	const workflows = versions.map((draft, index): TriggerWorkflow => ({
		id: `workflow-${index}`,
		draft,
		hasRoute: false,
		staticData: {},
	})) as [TriggerWorkflow, TriggerWorkflow];
	const [secret] = webhooks.secrets as [string];
	const database: TriggerDatabase = {
		workflows,
		executions: [],
		publications: [],
		tests: new Map(),
		jobs: [],
		signingSecret: secret,
		hookCalls: [],
		surprises: [],
	};
	const savedSecrets = [{ secret, at: scheduler.now() }];
	const n8n = createDeployment({ scheduler, choices, service, tell, fateOf }, database, deployment);

	const rotate = (savedAfterMs: number | undefined): void => {
		webhooks.rotateSecret();
		const rotated = webhooks.secrets.at(-1) as string;
		if (savedAfterMs === undefined) return;
		scheduler.after(savedAfterMs, () => {
			database.signingSecret = rotated;
			savedSecrets.push({ secret: rotated, at: scheduler.now() });
			tell(() => `${rotated} stands in the credential now`);
		});
	};

	return {
		scheduler,
		take(one) {
			tell(() => `Step: ${JSON.stringify(one)}`);
			if (one.do === 'publish') n8n.main?.publisher.publish(workflows[one.workflow] as TriggerWorkflow);
			else if (one.do === 'unpublish')
				n8n.main?.publisher.unpublish(workflows[one.workflow] as TriggerWorkflow);
			else if (one.do === 'listen') n8n.main?.tests.listen(workflows[one.workflow] as TriggerWorkflow);
			else if (one.do === 'cancel') n8n.main?.tests.cancel(workflows[one.workflow] as TriggerWorkflow);
			else if (one.do === 'change') (workflows[one.workflow] as TriggerWorkflow).draft = one.version;
			else if (one.do === 'event')
				for (let count = 0; count < one.count; count++) webhooks.emit(one.isFromMe);
			else if (one.do === 'forge') webhooks.forge(one.kind, webhooks.current?.url ?? N8N_URL);
			else if (one.do === 'kill') n8n.kill(one.process);
			else if (one.do === 'rotate') rotate(one.savedAfterMs);
			else if (one.do === 'interfere') webhooks.interfere(one.does);
		},
		outcome: () => ({ database, webhooks, savedSecrets, deployment, deaths: n8n.deaths, log: n8n.log() }),
	};
}

/** Lets a history happen. */
export async function playReceiving(
	{ steps, ...history }: ReceivingHistory,
	storyOf?: (scheduler: Scheduler) => Tell,
): Promise<ReceivingOutcome> {
	const { scheduler, take, outcome } = startReceivingWorld(history, { storyOf });
	for (const one of steps) {
		take(one);
		await scheduler.run(scheduler.now() + (one.do === 'wait' ? one.ms : 0));
	}
	await scheduler.run();
	return outcome();
}

/** What is wrong with the way in which a history ended; nothing when every promise was kept. */
export function brokenPromises(outcome: ReceivingOutcome): string[] {
	const { database } = outcome;
	return [
		...database.surprises,
		...brokenByEvents(outcome),
		...brokenByForgeries(outcome),
		...brokenByWaits(outcome),
		...brokenByWebhook(outcome),
		...brokenBySecrets(outcome),
	];
}

/** A redelivery after so long may run again (docs/trigger.md, "Deduplication"). */
const REMEMBERED_MS = 600_000;

/** A run that began so long before its process died is remembered: about four seconds, and a busy database. */
const RECORDED_MS = 12_000;

/** A worker waits three seconds for another one, which takes longer to record an event when each access takes 400 ms. */
const SLOW_RECORD_MS = 2_500;

/** Acknowledged events are in an execution, and in no second one. */
function brokenByEvents(outcome: ReceivingOutcome): string[] {
	const { database, webhooks } = outcome;
	const broken: string[] = [];
	for (const event of webhooks.emitted) {
		const own = database.executions.filter(({ messageId }) => messageId === event.messageId);
		const wasTaken = event.attempts.some(({ response }) => response?.status === 200 && !response.isStartPage);
		if (event.isFromMe && own.length > 0) broken.push(`${event.id} was filtered out, and ran`);
		if (!event.isFromMe && wasTaken && !own.some(isKept))
			broken.push(`${event.id} was acknowledged and is lost`);
		for (const { id } of database.workflows) {
			const runs = own.filter(
				({ workflowId, mode, hasItems }) => workflowId === id && mode === 'webhook' && hasItems,
			);
			for (const [index, run] of runs.entries())
				for (const earlier of runs.slice(0, index))
					if (!mayRunTwice(outcome, earlier, run))
						broken.push(`${event.id} ran in executions ${earlier.id} and ${run.id} of ${id}`);
		}
	}
	return broken;
}

/**
 * Whether an execution holds its event. An interrupted one does, when n8n acknowledged it, or when another process than the one that received it ran it: it is in the list, as crashed (docs/trigger.md, "After a
 * restart", and docs/scaling.md, "When a process is lost").
 */
function isKept(execution: EventExecution): boolean {
	const { status, hasItems, acknowledgedAt, receivedIn, ranIn } = execution;
	if (status === 'crashed') return acknowledgedAt !== undefined || ranIn !== receivedIn;
	return status === 'new' || hasItems === true;
}

/** Whether the documentation allows two runs of one event. */
function mayRunTwice(
	{ database, deployment, deaths, log }: ReceivingOutcome,
	earlier: EventExecution,
	later: EventExecution,
): boolean {
	if (later.storedAt - earlier.storedAt > REMEMBERED_MS) return true;
	if (log.some((line) => line.includes('database could not be checked'))) return true;
	const begun = Math.min(earlier.beganAt ?? Infinity, later.beganAt ?? Infinity);
	if (deaths.some(({ at }) => at > earlier.storedAt - RECORDED_MS && at < begun + RECORDED_MS)) return true;
	if (deployment.mode === 'regular' || earlier.receivedIn === later.receivedIn) return false;
	// What several webhook processors receive, only the workers compare (docs/scaling.md): not an unsigned ID,
	if (earlier.eventId !== later.eventId) return true;
	// nor what a slow database has not stored in time, nor what two of them wrote at the same moment.
	if (Math.abs((later.beganAt ?? 0) - (earlier.beganAt ?? 0)) < SLOW_RECORD_MS) return true;
	return database.workflows.some(({ id, lostUpdates }) => id === earlier.workflowId && lostUpdates);
}

/** Nobody starts a workflow with what the service did not send. */
function brokenByForgeries({ database, webhooks }: ReceivingOutcome): string[] {
	const broken: string[] = [];
	for (const { id, messageId, kind, attempts } of webhooks.forged) {
		if (kind === 'replayed') continue;
		const wasTaken = attempts.some(({ response }) => response?.status === 200 && !response.isStartPage);
		const ran =
			kind !== 'stale' && database.executions.some((execution) => execution.messageId === messageId);
		if (wasTaken || ran) broken.push(`${id}, ${kind}, was taken`);
	}
	return broken;
}

/** Longer than a delivery waits for another, for the database and for its response. */
const LONGEST_RESPONSE_MS = 120_000;

/** A response is on its way for so long at the most. */
const LATE_RESPONSE_MS = 100;

/** Whether n8n claimed to be busy with an event of which no other copy waited for its response (docs/trigger.md). */
function wasRefused(attempt: Attempt, copies: readonly Attempt[]): boolean {
	const { response, arrivedAt, answeredAt = Infinity } = attempt;
	if ((response?.body as { error?: string } | undefined)?.error !== 'not_taken') return false;
	return !copies.some(
		(other) =>
			other !== attempt &&
			other.arrivedAt <= answeredAt &&
			(other.answeredAt ?? Infinity) >= arrivedAt - LATE_RESPONSE_MS,
	);
}

function brokenByWaits({ database, webhooks, deaths, log }: ReceivingOutcome): string[] {
	const broken: string[] = [];
	for (const { id, status } of database.executions)
		if (status === 'running') broken.push(`execution ${id} never ends`);
	for (const { hook, url, startedAt, endedAt } of database.hookCalls)
		if (endedAt === undefined && !deaths.some(({ at }) => at >= startedAt))
			broken.push(`${hook} of ${url} never ends`);
	const isReadable = !log.some((line) => line.includes('credential could not be read'));
	for (const { id, messageId, attempts } of webhooks.emitted) {
		const copies = [...webhooks.emitted, ...webhooks.forged]
			.filter((event) => event.messageId === messageId)
			.flatMap((event) => event.attempts);
		if (isReadable && attempts.some((attempt) => wasRefused(attempt, copies)))
			broken.push(`${id} was refused, although no other copy of it was under way`);
	}
	for (const { id, attempts } of [...webhooks.emitted, ...webhooks.forged, ...webhooks.samples])
		for (const { arrivedAt, answeredAt = Infinity } of attempts) {
			const until = Math.min(answeredAt, arrivedAt + LONGEST_RESPONSE_MS);
			const isLate = answeredAt - arrivedAt > LONGEST_RESPONSE_MS;
			if (isLate && !deaths.some(({ at }) => at >= arrivedAt && at <= until))
				broken.push(`${id} got no response in time`);
		}
	return broken;
}

/** The webhook is set exactly as what happened says. */
function brokenByWebhook({ database, webhooks, deaths }: ReceivingOutcome): string[] {
	const possible = possibleWebhooks(database.hookCalls, webhooks.foreignChanges, deaths);
	const { current } = webhooks;
	if (possible.some((holder) => isHolder(current, holder))) return [];
	return [`the webhook is ${JSON.stringify(current)}, and should be ${JSON.stringify(possible)}`];
}

/** A secret that is saved is known after a second, to all processes. */
const KNOWN_MS = 1_100;

function brokenBySecrets({ database, webhooks, savedSecrets, log }: ReceivingOutcome): string[] {
	const broken: string[] = [];
	const bodies: unknown[] = [];
	for (const { id, attempts } of webhooks.emitted)
		for (const { sentAt, arrivedAt, answeredAt = Infinity, secret, response } of attempts) {
			bodies.push(response?.body);
			const known = savedSecrets.filter(({ at }, index) => {
				const until = savedSecrets[index + 1]?.at ?? Infinity;
				return at <= answeredAt && until >= arrivedAt - KNOWN_MS;
			});
			const isStale = arrivedAt - sentAt > 100_000;
			if (response?.status === 401 && !isStale && known.every((saved) => saved.secret === secret))
				broken.push(`${id} was rejected, although the credential holds its secret`);
		}
	const out = [
		...log,
		...[database.executions, database.workflows, bodies].map((part) => JSON.stringify(part)),
	];
	for (const text of out)
		for (const secret of [...webhooks.secrets, 'key-of-the-simulated-account'])
			if (text.includes(secret)) broken.push(`${secret} is in: ${text.slice(0, 200)}`);
	return broken;
}
