import fc from 'fast-check';

import { choicesFrom, type Choices } from './choices';
import { createDeployment, type Death, type Deployment, type DeploymentSettings } from './deployment';
import { createForeignReceiver, type ForeignReceiver } from './foreignReceiver';
import { clockOffsetMs, numbers, oneOf, START, stepsOf, type StepOf, type StepTable } from './histories';
import { API_KEY } from './network';
import type { World } from './process';
import { createScheduler, type Scheduler } from './scheduler';
import { createService } from './service';
import { tellNobody, type Tell } from './story';
import {
	executionsOfEvents,
	newTriggerDatabase,
	N8N_URL,
	OTHER_N8N_URL,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from './triggerDatabase';
import {
	createWebhookService,
	EVENT_TYPES,
	FOREIGN_URL,
	FORGERIES,
	type Deliver,
	type DeliveryConduct,
	type EventType,
	type WebhookService,
	type WebhookServiceOptions,
} from './webhooks';

export interface ReceivingHistory {
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	/** Those of one n8n, and one more of another n8n if there is one. */
	versions: TriggerVersion[];
	deployment: DeploymentSettings;
	/** Another n8n on the same account. */
	otherDeployment?: DeploymentSettings;
}

const version: fc.Arbitrary<TriggerVersion> = fc.record({
	ifWebhookExists: oneOf('fail', 'replace', 'share'),
	events: fc.constantFrom(['message.received'], ['message.received', 'message.sent']),
	timeoutSeconds: oneOf(30, 1),
	combineEvents: oneOf(undefined, undefined, 'whenBusy', 'perChat'),
});

/** The last is of the other n8n. */
const workflow = fc.nat(3);

const eventFields = {
	count: fc.integer({ min: 1, max: 3 }),
	isFromMe: oneOf(false, false, false, true),
	type: oneOf(...EVENT_TYPES),
	/** Whether it belongs to an account that is in no credential. */
	isOfNobody: oneOf(false, false, false, false, false, true),
};

const event = fc.record({ do: fc.constant('event' as const), ...eventFields });

/** What a user, a customer or fate does. */
const OFTEN = {
	publish: [4, { workflow }],
	unpublish: [2, { workflow }],
	/** Changes the trigger in the editor. */
	change: [2, { workflow, version }],
	listen: [2, { workflow }],
	cancel: [1, { workflow }],
	event: [6, eventFields],
	forge: [2, { kind: oneOf(...FORGERIES) }],
	kill: [1, { process: fc.nat(5) }],
} satisfies StepTable;

const RARELY = {
	/** Takes the API key of another account. */
	'switch account': [1],
	/** Saves a wrong secret in the credential, and the right one so much later. */
	mistype: [1, { correctedAfterMs: oneOf(5_000, 60_000) }],
	/** Nobody reaches the service for so long. */
	'cut off': [1, { ms: oneOf(3_000, 60_000) }],
} satisfies StepTable;

const OTHERS = {
	interfere: [1, { does: oneOf('sets', 'removes') }],
	wait: [5, { ms: oneOf(10, 1_000, 30_000, 700_000) }],
} satisfies StepTable;

/** Rotates the secret, and saves it in the credential so much later; undefined for never. */
const rotate = fc.record(
	{ do: fc.constant('rotate' as const), savedAfterMs: oneOf(1, 5_000) },
	{ requiredKeys: ['do'] },
);

/** One step of a history. The conduct of the service is undefined to leave it to chance. */
export type Step =
	| StepOf<Omit<typeof OFTEN, 'event'> & typeof RARELY & typeof OTHERS>
	| { do: 'rotate'; savedAfterMs?: number }
	| {
			do: 'event';
			count: number;
			isFromMe: boolean;
			type?: EventType;
			isOfNobody?: boolean;
			conduct?: DeliveryConduct;
	  };

const step: fc.Arbitrary<Step> = fc.oneof(
	...stepsOf(OFTEN),
	{ weight: 1, arbitrary: rotate },
	{ weight: 1, arbitrary: fc.oneof(...stepsOf(RARELY)) },
	...stepsOf(OTHERS),
);

/** A process starts again, and meanwhile events come, the secret is rotated, and somebody sends a copy. */
const restart: fc.Arbitrary<Step[]> = fc
	.tuple(event, fc.nat(5), event, fc.boolean())
	.map(([before, process, during, isRotated]): Step[] => [
		before,
		{ do: 'wait', ms: 30_000 },
		{ do: 'kill', process },
		{ do: 'wait', ms: 30_000 },
		during,
		...(isRotated ? [{ do: 'rotate', savedAfterMs: 1 } as const] : []),
		{ do: 'forge', kind: 'replayed' },
		{ do: 'wait', ms: 30_000 },
	]);

/** Long after a rotation, somebody uses the old secret. */
const leak: fc.Arbitrary<Step[]> = event.map((before): Step[] => [
	before,
	{ do: 'wait', ms: 30_000 },
	{ do: 'rotate', savedAfterMs: 1 },
	{ do: 'wait', ms: 700_000 },
	{ do: 'forge', kind: 'signed with an old secret' },
	{ do: 'wait', ms: 1_000 },
]);

const steps = fc.oneof(
	{ weight: 60, arbitrary: step.map((one) => [one]) },
	{ weight: 5, arbitrary: fc.array(restart, { minLength: 1, maxLength: 2 }).map((both) => both.flat()) },
	{ weight: 1, arbitrary: leak },
);

const deployment: fc.Arbitrary<DeploymentSettings> = fc
	.record({
		mode: oneOf('regular', 'regular', 'queue'),
		usesPublicationService: fc.boolean(),
		checksReadiness: fc.boolean(),
		hashesEvents: oneOf(true, true, false),
		isMortal: fc.boolean(),
	})
	.map((settings) => (settings.mode === 'queue' ? { ...settings, usesPublicationService: true } : settings));

/** One process, so that the judge need not ask which of the two n8n received an event. */
const asOtherN8n = (settings: DeploymentSettings): DeploymentSettings => ({
	...settings,
	mode: 'regular',
	url: OTHER_N8N_URL,
});

const published = (...workflows: number[]): Step[] => [
	...workflows.map((workflow): Step => ({ do: 'publish', workflow })),
	{ do: 'wait', ms: 30_000 },
];

const BEGINNINGS: [Step[], ...Step[][]] = [
	published(0),
	published(0, 1),
	published(0, 1, 2),
	[{ do: 'interfere', does: 'sets' }, ...published(0, 1)],
	published(3, 0),
];

export const receivingHistory: fc.Arbitrary<ReceivingHistory> = fc.record({
	// First publications, without which little happens.
	steps: fc
		.tuple(oneOf(...BEGINNINGS), fc.array(steps, { minLength: 1, maxLength: 12 }))
		.map(([beginning, parts]): Step[] => [...beginning, ...parts.flat()]),
	numbers: numbers(500),
	clockOffsetMs,
	versions: fc.tuple(version, version, version, version),
	deployment,
	otherDeployment: fc.option(deployment.map(asOtherN8n), { nil: undefined, freq: 1 }),
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
	foreign: ForeignReceiver;
	log: string[];
	/** The workflows whose events a process keeps. To ask makes it forget them, so only at the end. */
	remembered(): string[];
}

/** A history that goes on step by step. */
export interface ReceivingWorld {
	scheduler: Scheduler;
	/** Begins a step, and lets no time pass. */
	take(step: Step): void;
	/** From now on, nothing unusual happens. */
	calmDown(): void;
	outcome(): ReceivingOutcome;
}

interface ReceivingOptions {
	/** Makes what the story is told to, when somebody wants to read it. */
	storyOf?: (scheduler: Scheduler) => Tell;
	fateOf?: World['fateOf'];
	workflowMs?: World['workflowMs'];
	webhookService?: WebhookServiceOptions;
	/** What is left to chance, if not everything is. */
	choices?: Choices;
}

/** The beginning of a history. */
export function startReceivingWorld(
	{ numbers, clockOffsetMs, versions, deployment, otherDeployment }: Omit<ReceivingHistory, 'steps'>,
	{
		storyOf = () => tellNobody,
		fateOf,
		workflowMs,
		webhookService,
		choices = choicesFrom(numbers),
	}: ReceivingOptions = {},
): ReceivingWorld {
	const scheduler = createScheduler(START);
	const tell = storyOf(scheduler);
	const serviceTime = () => scheduler.now() + clockOffsetMs;
	const webhooks = createWebhookService(
		scheduler,
		choices,
		serviceTime,
		async (delivery) => await n8n.deliver(delivery),
		tell,
		webhookService,
	);
	const service = createService(scheduler, choices, { clockOffsetMs, rateLimit: 1_000 }, webhooks);
	const workflows = versions.slice(0, otherDeployment ? 4 : 3).map((draft, index): TriggerWorkflow => ({
		id: `workflow-${index}`,
		...(index === 3 && { n8nUrl: OTHER_N8N_URL }),
		draft,
		hasRoute: false,
		settled: [],
		staticData: {},
		sharedRow: {},
	}));
	const [secret] = webhooks.secrets as [string];
	const database = newTriggerDatabase(workflows.slice(0, 3), secret);
	const otherDatabase = newTriggerDatabase(workflows.slice(3), secret);
	const databases = [database, otherDatabase];
	const savedSecrets = [{ secret, at: scheduler.now() }];
	const foreign = createForeignReceiver({ scheduler, choices, tell }, webhooks.secrets);
	const deliverElsewhere: Deliver = async (delivery) => {
		if (delivery.url.split('?')[0] === FOREIGN_URL) return await foreign.deliver(delivery);
		for (const [url, deployed] of [
			[N8N_URL, n8n],
			[OTHER_N8N_URL, otherN8n],
		] as const)
			if (deployed && delivery.url.startsWith(`${url}/`)) return await deployed.deliver(delivery);
		database.surprises.push(`${delivery.name} went to ${delivery.url}`);
		return { status: 200 };
	};
	const world = { scheduler, choices, service, tell, fateOf, workflowMs };
	const n8n: Deployment = createDeployment(world, database, deployment, deliverElsewhere);
	const otherN8n: Deployment | undefined =
		otherDeployment && createDeployment(world, otherDatabase, otherDeployment, deliverElsewhere);
	/** A workflow, and the process that its editor talks to. */
	const at = (index: number) => {
		const workflow = workflows[index] ?? (workflows[0] as TriggerWorkflow);
		return { workflow, main: (workflow.n8nUrl === undefined ? n8n : otherN8n)?.main };
	};
	const saveSecret = (saved: string): void => {
		for (const each of databases) each.signingSecret = saved;
		savedSecrets.push({ secret: saved, at: scheduler.now() });
		tell(() => `${saved} stands in the credential now`);
	};

	const rotate = (savedAfterMs: number | undefined): void => {
		webhooks.rotateSecret();
		const rotated = webhooks.secrets.at(-1) as string;
		if (savedAfterMs === undefined) return;
		scheduler.after(savedAfterMs, () => saveSecret(rotated));
	};

	return {
		scheduler,
		take(one) {
			tell(() => `Step: ${JSON.stringify(one)}`);
			const { workflow, main } = at('workflow' in one ? one.workflow : 0);
			if (one.do === 'publish') main?.publisher.publish(workflow);
			else if (one.do === 'unpublish') main?.publisher.unpublish(workflow);
			else if (one.do === 'listen') main?.tests.listen(workflow);
			else if (one.do === 'cancel') main?.tests.cancel(workflow);
			else if (one.do === 'change') workflow.draft = one.version;
			else if (one.do === 'event')
				for (let count = 0; count < one.count; count++)
					webhooks.emit(one.isFromMe, one.type, one.isOfNobody, one.conduct);
			else if (one.do === 'forge') webhooks.forge(one.kind, webhooks.current?.url ?? `${N8N_URL}/webhook`);
			else if (one.do === 'kill') (one.process === 5 && otherN8n ? otherN8n : n8n).kill(one.process);
			else if (one.do === 'rotate') rotate(one.savedAfterMs);
			else if (one.do === 'mistype') {
				const [right] = savedSecrets.slice(-1) as [SavedSecret];
				saveSecret('secret-mistyped');
				scheduler.after(one.correctedAfterMs, () => {
					if (savedSecrets.at(-1)?.secret === 'secret-mistyped') saveSecret(right.secret);
				});
			} else if (one.do === 'switch account') {
				webhooks.switchAccount();
				for (const each of databases) each.apiKey = `${API_KEY}-${scheduler.nextId()}`;
			} else if (one.do === 'cut off') service.settings.cutOffUntil = scheduler.now() + one.ms;
			else if (one.do === 'interfere') webhooks.interfere(one.does);
		},
		calmDown: choices.calmDown,
		outcome: () => ({
			database: otherDeployment ? joined(database, otherDatabase) : joined(database),
			webhooks,
			savedSecrets,
			deployment,
			deaths: [...n8n.deaths, ...(otherN8n?.deaths ?? [])],
			foreign,
			log: [...n8n.log(), ...(otherN8n?.log() ?? [])],
			remembered: () => [...n8n.remembered(), ...(otherN8n?.remembered() ?? [])],
		}),
	};
}

/** What one or two n8n have stored, for the judge. */
function joined(...databases: [TriggerDatabase, ...TriggerDatabase[]]): TriggerDatabase {
	return {
		...databases[0],
		workflows: databases.flatMap(({ workflows }) => workflows),
		executions: databases.flatMap(({ executions }) => executions.flatMap(executionsOfEvents)),
		started: databases.flatMap(({ started }) => started),
		hookCalls: databases.flatMap(({ hookCalls }) => hookCalls),
		surprises: databases.flatMap(({ surprises }) => surprises),
	};
}

/** How long the faults go on after the last step. */
const EVENTFUL_MS = 400_000;

/** Longer than anything takes once no chance is left, and then than the repair takes. */
const QUIET_MS = 1_200_000;

/** The triggers look after the webhook for ever, so the end is when nothing has changed for a while. */
async function settleDown(scheduler: Scheduler, outcome: () => ReceivingOutcome): Promise<void> {
	for (let lastChangeAt = scheduler.now(); lastChangeAt + QUIET_MS > scheduler.now();) {
		await scheduler.run(lastChangeAt + QUIET_MS);
		const { database, webhooks, deaths } = outcome();
		lastChangeAt = Math.max(
			lastChangeAt,
			...database.hookCalls.map(({ startedAt, endedAt = 0 }) => Math.max(startedAt, endedAt)),
			...webhooks.emitted.flatMap(({ attempts }) => attempts.map(({ sentAt }) => sentAt)),
			...deaths.map(({ at }) => at),
			...database.executions.map(({ releasedAt = 0 }) => releasedAt),
		);
	}
}

/** Lets a history happen. */
export async function playReceiving(
	{ steps, ...history }: ReceivingHistory,
	storyOf?: (scheduler: Scheduler) => Tell,
): Promise<ReceivingOutcome> {
	const { scheduler, take, calmDown, outcome } = startReceivingWorld(history, { storyOf });
	for (const one of steps) {
		take(one);
		await scheduler.run(scheduler.now() + (one.do === 'wait' ? one.ms : 0));
	}
	// Most of what the steps have begun ends with its faults, and the repair that follows has none.
	await scheduler.run(scheduler.now() + EVENTFUL_MS);
	calmDown();
	await settleDown(scheduler, outcome);
	return outcome();
}
