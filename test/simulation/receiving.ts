import fc from 'fast-check';

import { choicesFrom } from './choices';
import {
	addressOf,
	N8N_URL,
	startReceiving,
	type EventExecution,
	type ReceivingProcess,
	type TriggerDatabase,
	type TriggerWorkflow,
} from './receivingProcess';
import { createScheduler } from './scheduler';
import { createService } from './service';
import { createWebhookService, type EmittedEvent, type Webhook } from './webhooks';

/** What a user, a customer or fate does in one step of a history. */
type Step =
	| { do: 'publish'; workflow: number }
	| { do: 'unpublish'; workflow: number }
	| { do: 'event'; count: number }
	| { do: 'forge' }
	| { do: 'restart' }
	| { do: 'rotate' }
	| { do: 'wait'; ms: number };

export interface ReceivingHistory {
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	ifWebhookExists: Array<'fail' | 'replace'>;
}

const START = Date.UTC(2030, 0, 31, 9);

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.nat(1).map((workflow): Step => ({ do: 'publish', workflow })) },
	{ weight: 2, arbitrary: fc.nat(1).map((workflow): Step => ({ do: 'unpublish', workflow })) },
	{ weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }).map((count): Step => ({ do: 'event', count })) },
	{ weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'forge' }, { do: 'restart' }, { do: 'rotate' }) },
	{
		weight: 5,
		arbitrary: fc.constantFrom(10, 1_000, 30_000, 700_000).map((ms): Step => ({ do: 'wait', ms })),
	},
);

export const receivingHistory: fc.Arbitrary<ReceivingHistory> = fc.record({
	// A first publication, without which little happens.
	steps: fc
		.array(step, { minLength: 1, maxLength: 10 })
		.map((steps): Step[] => [{ do: 'publish', workflow: 0 }, { do: 'wait', ms: 30_000 }, ...steps]),
	numbers: fc.array(fc.nat(1_000_000), { maxLength: 300, size: 'max' }),
	clockOffsetMs: fc.constantFrom(0, 90_000, -90_000),
	ifWebhookExists: fc.tuple(
		fc.constantFrom('fail' as const, 'replace' as const),
		fc.constantFrom('fail' as const, 'replace' as const),
	),
});

export interface ReceivingOutcome {
	workflows: TriggerWorkflow[];
	executions: EventExecution[];
	emitted: EmittedEvent[];
	forged: EmittedEvent[];
	webhook: Webhook | undefined;
	/** Moments at which a process died, by its number. */
	killed: number[];
	log: string[];
	secrets: string[];
}

/** Lets a history happen. */
export async function playReceiving(history: ReceivingHistory): Promise<ReceivingOutcome> {
	const scheduler = createScheduler(START);
	const choices = choicesFrom(history.numbers);
	const log: string[] = [];
	const killed: number[] = [];
	let n8n: ReceivingProcess | undefined;
	const webhooks = createWebhookService(
		scheduler,
		choices,
		() => scheduler.now() + history.clockOffsetMs,
		async (delivery) => await (n8n?.deliver(delivery) ?? Promise.resolve(undefined)),
	);
	const secrets = [webhooks.secret];
	const service = createService(
		scheduler,
		choices,
		{ clockOffsetMs: history.clockOffsetMs, rateLimit: 1_000 },
		webhooks,
	);
	const workflows = history.ifWebhookExists.map((ifWebhookExists, index): TriggerWorkflow => ({
		id: `workflow-${index}`,
		ifWebhookExists,
		isPublished: false,
		hasRoute: false,
		isGivenUp: false,
		changedAs: 0,
		staticData: {},
		row: [],
	}));
	const database: TriggerDatabase = { workflows, executions: [], signingSecret: webhooks.secret };
	let number = 0;
	const boot = () => (n8n = startReceiving({ scheduler, choices, service }, database, ++number));
	boot();

	for (const one of history.steps) {
		if (one.do === 'publish') n8n?.publish(workflows[one.workflow] as TriggerWorkflow);
		else if (one.do === 'unpublish') n8n?.unpublish(workflows[one.workflow] as TriggerWorkflow);
		else if (one.do === 'event') for (let count = 0; count < one.count; count++) webhooks.emit();
		else if (one.do === 'forge') webhooks.forge(webhooks.current?.url ?? N8N_URL);
		else if (one.do === 'rotate') {
			secrets.push(webhooks.rotateSecret());
			database.signingSecret = webhooks.secret;
		} else if (one.do === 'restart') {
			n8n?.kill();
			log.push(...(n8n?.log ?? []));
			killed.push(number);
			n8n = undefined;
			scheduler.after(10_000, boot);
		} else if (one.do === 'wait') await scheduler.run(scheduler.now() + one.ms);
		await scheduler.run(scheduler.now());
	}
	await scheduler.run();
	log.push(...(n8n?.log ?? []));
	return {
		workflows,
		executions: database.executions,
		emitted: webhooks.emitted,
		forged: webhooks.forged,
		webhook: webhooks.current,
		killed,
		log,
		secrets,
	};
}

/** What is wrong with the way in which a history ended; nothing when every promise was kept. */
export function brokenPromises(outcome: ReceivingOutcome): string[] {
	const { workflows, executions, emitted, forged, webhook, killed, log, secrets } = outcome;
	const broken: string[] = [];
	for (const { id, statuses } of emitted) {
		const own = executions.filter(({ eventId }) => eventId === id);
		if (statuses.includes(200) && own.length === 0) broken.push(`${id} was acknowledged and is lost`);
		const ran = own.filter(({ hasItems }) => hasItems);
		const wasCutOff = own.some(({ ranIn }) => ranIn !== undefined && killed.includes(ranIn));
		const places = new Set(ran.map(({ workflowId }) => workflowId));
		if (ran.length > places.size && !wasCutOff) broken.push(`${id} ran ${ran.length} times`);
	}
	for (const { id, statuses } of forged) {
		if (statuses.includes(200) || executions.some(({ eventId }) => eventId === id)) {
			broken.push(`${id} was taken`);
		}
	}
	for (const execution of executions) {
		if (['new', 'running'].includes(execution.status)) broken.push(`execution ${execution.id} never ends`);
	}
	const published = workflows.filter(({ isPublished }) => isPublished).map(addressOf);
	const owner = webhook && workflows.find((workflow) => addressOf(workflow) === webhook.url);
	if (webhook && !published.includes(webhook.url) && !owner?.isGivenUp) {
		broken.push(`the webhook points to ${webhook.url}, and published are: ${published.join(', ')}`);
	}
	const [last] = [...workflows].sort((one, other) => other.changedAs - one.changedAs);
	if (last?.isPublished && webhook?.url !== addressOf(last)) {
		broken.push(`${last.id} was published last, and the webhook points to ${webhook?.url ?? 'nothing'}`);
	}
	for (const line of log) {
		if (secrets.some((secret) => line.includes(secret))) broken.push(`the log holds a secret: ${line}`);
	}
	return broken;
}
