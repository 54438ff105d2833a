import { createAccount } from '../service/account';
import type { Choices } from '../chance/choices';
import { createDeployment, type Death, type Deployment, type DeploymentSettings } from './deployment';
import { createForeignReceiver, type ForeignReceiver } from './foreignReceiver';
import { beginHistory, settleDown, takerOf, type StoryOf } from '../chance/histories';
import { N8N_URL } from '../n8n/network';
import type { World } from '../n8n/process';
import type { ReceivingHistory, Step } from './history';
import type { ReceivingProcess } from './process';
import {
	executionsOfEvents,
	newTriggerDatabase,
	newWorkflow,
	OTHER_N8N_URL,
	type TriggerDatabase,
	type TriggerWorkflow,
} from '../n8n/triggerDatabase';
import type { Deliver } from '../service/events';
import { FOREIGN_URL, type WebhookService } from '../service/webhooks';

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

interface ReceivingOptions {
	storyOf?: StoryOf;
	fateOf?: World['fateOf'];
	workflowMs?: World['workflowMs'];
	firstBackoffMs?: number;
	/** What is left to chance, if not everything is. */
	choices?: Choices;
}

/** The beginning of a history. */
export function startReceivingWorld(
	{ numbers, clockOffsetMs, versions, deployment, otherDeployment }: Omit<ReceivingHistory, 'steps'>,
	{ storyOf, fateOf, workflowMs, firstBackoffMs, choices: given }: ReceivingOptions = {},
) {
	const history = { ...beginHistory(numbers, storyOf), ...(given && { choices: given }) };
	const { scheduler, choices, tell, play } = history;
	const { webhooks, service } = createAccount(
		history,
		{ clockOffsetMs, rateLimit: 1_000 },
		async (delivery) => await n8n.deliver(delivery),
		firstBackoffMs,
	);
	const workflows = versions
		.slice(0, otherDeployment ? 4 : 3)
		.map((draft, index) => newWorkflow(draft, index, index === 3 ? OTHER_N8N_URL : undefined));
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
	const workflowAt = (index: number) => workflows[index] ?? (workflows[0] as TriggerWorkflow);
	/** Does something with a workflow in its editor, if the process of that is ready. */
	const inEditor =
		(does: (n8n: ReceivingProcess, workflow: TriggerWorkflow) => void) =>
		({ workflow: index }: { workflow: number }): void => {
			const workflow = workflowAt(index);
			const main = (workflow.n8nUrl === undefined ? n8n : otherN8n)?.main;
			if (main) does(main, workflow);
		};
	const saveSecret = (saved: string): void => {
		for (const each of databases) each.signingSecret = saved;
		savedSecrets.push({ secret: saved, at: scheduler.now() });
		tell(() => `${saved} stands in the credential now`);
	};

	const take = takerOf<Step>(tell, {
		publish: inEditor(({ publisher }, workflow) => publisher.publish(workflow)),
		unpublish: inEditor(({ publisher }, workflow) => publisher.unpublish(workflow)),
		listen: inEditor(({ tests }, workflow) => tests.listen(workflow)),
		cancel: inEditor(({ tests }, workflow) => tests.cancel(workflow)),
		change: (one) => void (workflowAt(one.workflow).draft = one.version),
		event: (one) => {
			for (let count = 0; count < one.count; count++) webhooks.emit(one.isFromMe, one.type);
		},
		forge: (one) => webhooks.forge(one.kind, webhooks.current?.url ?? `${N8N_URL}/webhook`),
		kill: (one) => (one.process === 5 && otherN8n ? otherN8n : n8n).kill(one.process),
		rotate: (one) => {
			webhooks.rotateSecret();
			const rotated = webhooks.secrets.at(-1) as string;
			if (one.savedAfterMs !== undefined) scheduler.after(one.savedAfterMs, () => saveSecret(rotated));
		},
		'cut off': (one) => service.cutOff(one.ms),
		interfere: (one) => webhooks.interfere(one.does),
	});

	return {
		scheduler,
		/** Begins a step, and lets no time pass. */
		take,
		play,
		/** From now on, nothing unusual happens. */
		calmDown: choices.calmDown,
		outcome: (): ReceivingOutcome => ({
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
		triggerStarts: databases.flatMap(({ triggerStarts }) => triggerStarts),
		hookCalls: databases.flatMap(({ hookCalls }) => hookCalls),
		surprises: databases.flatMap(({ surprises }) => surprises),
	};
}

/** How long the faults go on after the last step. */
const EVENTFUL_MS = 400_000;

/** Longer than anything takes once no chance is left, and then than the repair takes. */
const QUIET_MS = 1_200_000;

/** When something last happened to the webhook, an event, an execution or a process. */
const lastChangeIn = ({ database, webhooks, deaths }: ReceivingOutcome): number =>
	Math.max(
		...database.hookCalls.map(({ startedAt, endedAt = 0 }) => Math.max(startedAt, endedAt)),
		...webhooks.emitted.flatMap(({ attempts }) => attempts.map(({ sentAt }) => sentAt)),
		...deaths.map(({ at }) => at),
		...database.executions.map(({ releasedAt = 0 }) => releasedAt),
	);

/** Lets a history happen. */
export async function playReceiving(
	{ steps, ...history }: ReceivingHistory,
	storyOf?: StoryOf,
): Promise<ReceivingOutcome> {
	const { scheduler, take, play, calmDown, outcome } = startReceivingWorld(history, { storyOf });
	await play(steps, take);
	// Most of what the steps have begun ends with its faults, and the repair that follows has none.
	await scheduler.run(scheduler.now() + EVENTFUL_MS);
	calmDown();
	await settleDown(scheduler, () => lastChangeIn(outcome()), QUIET_MS);
	return outcome();
}
