import type { World } from '../n8n/process';
import { startReceiving, type ReceivingProcess } from './process';
import { N8N_URL } from '../n8n/network';
import type { TriggerDatabase } from '../n8n/triggerDatabase';
import type { Deliver, Delivery, DeliveryResponse } from '../service/events';

/** How n8n is set up. */
export interface DeploymentSettings {
	mode: 'regular' | 'queue';
	/** n8n's publication service, which n8n 1.x lacks and queue mode has here. */
	usesPublicationService: boolean;
	/** Whether all copies of an event go to one webhook processor (docs/scaling/nginx.conf). */
	hashesEvents: boolean;
	/** Whether processes die by chance too. */
	isMortal: boolean;
	/** The base URL. */
	url?: string;
}

/** Hears of the processes, by the role of their place. */
export interface DeploymentListeners {
	onStart?: (role: Slot['role']) => void;
	onDeath?: (role: Slot['role']) => void;
}

/** A place for a process, which its supervisor starts again. */
interface Slot {
	name: string;
	role: 'all' | 'main' | 'webhook' | 'worker';
	/** Counts the processes that were there. */
	starts: number;
	state: 'down' | 'without routes' | 'ready';
	process?: ReceivingProcess;
}

export interface Death {
	/** The process. */
	name: string;
	at: number;
}

/** Longer than any request takes, so that a new process meets none of the old one's. */
const DOWN_MS = 30_000;

/** What waits is no trigger. */
const WAITING_PATH = '/webhook-waiting/';

const MIGRATION_MS = [30, 20_000] as const;
const ROUTELESS_MS = 500;
const STALLED_MS = 60_000;
const QUEUE_MS = [2, 30] as const;

/** All processes of one n8n, behind a load balancer. */
export type Deployment = ReturnType<typeof createDeployment>;

export function createDeployment(
	world: World,
	database: TriggerDatabase,
	settings: DeploymentSettings,
	deliverElsewhere: Deliver = async () => await Promise.resolve(undefined),
	{ onStart = () => {}, onDeath: onAnyDeath = () => {} }: DeploymentListeners = {},
) {
	const { scheduler, choices, tell } = world;
	const deaths: Death[] = [];
	/** Those of dead processes, which may still write a line in the moment of their death. */
	const logs: string[][] = [];
	const { url: n8nUrl = N8N_URL } = settings;
	const prefix = n8nUrl === N8N_URL ? '' : 'the other ';
	const slot = (role: Slot['role'], name: string): Slot => ({
		name: prefix + name,
		role,
		starts: 0,
		state: 'down',
	});
	const slots =
		settings.mode === 'regular'
			? [slot('all', 'n8n')]
			: [
					slot('main', 'main'),
					slot('webhook', 'webhook 1'),
					slot('webhook', 'webhook 2'),
					slot('worker', 'worker 1'),
					slot('worker', 'worker 2'),
				];
	const [first] = slots as [Slot, ...Slot[]];

	const assignJob = (): void => {
		const workers = slots.filter(({ role, state }) => role === 'worker' && state === 'ready');
		if (workers.length > 0) workers[choices.upTo(workers.length)]?.process?.takeJob();
	};

	const start = (slot: Slot): void => {
		const name = `${slot.name} (${++slot.starts})`;
		const onDeath = () => {
			deaths.push({ name, at: scheduler.now() });
			logs.push(process.log);
			markCrashed(name);
			if (slot.process !== process) {
				// No process starts after this one, which would notice what it had given to the database.
				scheduler.after(DOWN_MS, () => markCrashed(name));
				return;
			}
			slot.process = undefined;
			slot.state = 'down';
			if (slot.role === 'all') database.tests.clear();
			scheduler.after(DOWN_MS + choices.oneOf(MIGRATION_MS), () => prepare(slot));
			onAnyDeath(slot.role);
		};
		slot.state = 'ready';
		const before = `${slot.name} (${slot.starts - 1})`;
		// What the last process had given to the database came there after its death.
		if (deaths.some((death) => death.name === before)) markCrashed(before);
		const process = startReceiving(world, database, {
			name,
			onDeath,
			isMortal: settings.isMortal,
			deliverToUrl,
			usesPublicationService: settings.usesPublicationService,
			...(slot.role !== 'all' && {
				enqueue: () => scheduler.after(choices.oneOf(QUEUE_MS), assignJob),
			}),
		});
		slot.process = process;
		onStart(slot.role);
		if (slot.role === 'all' || slot.role === 'main') process.publisher.start();
		if (slot.role === 'all') recover(process);
		if (slot.role === 'worker') database.jobs.forEach(assignJob);
	};

	const markCrashed = (process: string): void => {
		for (const execution of database.executions) {
			if (execution.ranIn !== process || execution.status !== 'running') continue;
			execution.status = 'crashed';
			// The main process learns that the job has stalled.
			if (execution.onEnd) scheduler.after(STALLED_MS, () => execution.onEnd?.(execution));
		}
	};

	/** n8n runs what it had stored and not begun. */
	const recover = ({ begin }: ReceivingProcess): void => {
		for (const execution of database.executions) if (execution.status === 'new') begin(execution);
	};

	const prepare = (slot: Slot): void => {
		slot.state = 'without routes';
		scheduler.after(ROUTELESS_MS, () => start(slot));
	};

	/** The process that the load balancer chooses, as docs/scaling/nginx.conf does. */
	const chosenFor = ({ url, headers }: Delivery): Slot | undefined => {
		if (settings.mode === 'regular' || url.includes('/webhook-test/')) return first;
		const processors = slots.filter(({ role, state }) => role === 'webhook' && state !== 'down');
		const id = headers['x-service-event-id'] ?? '';
		const hash = [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0);
		const index = settings.hashesEvents ? hash : choices.upTo(processors.length || 1);
		return processors[index % processors.length];
	};

	/** The public internet, and the load balancer. */
	async function deliverToUrl(delivery: Delivery): Promise<DeliveryResponse | undefined> {
		const isForTriggers = delivery.url.startsWith(`${n8nUrl}/`) && !delivery.url.includes(WAITING_PATH);
		if (!isForTriggers) return await deliverElsewhere(delivery);
		const slot = chosenFor(delivery);
		tell(() => `${delivery.name} reaches ${slot?.name ?? 'nobody'}, which is ${slot?.state ?? 'down'}`);
		const { process } = slot ?? {};
		if (!process) return slot?.state === 'without routes' ? { status: 404 } : undefined;
		return await new Promise((resolve) => {
			process.deliver(delivery, resolve);
		});
	}

	for (const slot of slots) start(slot);

	return {
		/** The moments at which a process died. */
		deaths,
		/** What all processes wrote to their logs. */
		log: () => [...logs.flat(), ...slots.flatMap(({ process }) => process?.log ?? [])],
		/** The workflows whose events a process keeps. */
		remembered: () =>
			slots.flatMap(({ process }) =>
				database.workflows
					.filter((workflow) => process?.remembers(workflow))
					.map(({ id }) => `${process?.name} keeps events of ${id}`),
			),
		/** The process that serves the editor, when it is ready. */
		get main() {
			return first.process;
		},
		/** Resolves to the status; undefined when the connection breaks. */
		deliver: deliverToUrl,
		kill: (which: number) => slots[which % slots.length]?.process?.kill(),
		/** Starts a process in the place of another one, which is killed so much later. */
		replace(which: number, ms: number): void {
			const slot = slots[which % slots.length];
			const old = slot?.process;
			if (!slot || !old) return;
			start(slot);
			tell(() => `${old.name} goes on beside ${slot.process?.name} for ${ms / 1000} s`);
			scheduler.after(ms, () => old.kill());
		},
	};
}
