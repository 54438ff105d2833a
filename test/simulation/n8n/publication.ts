import type { SimulatedProcess } from './process';
import {
	settle,
	unsettle,
	type Publication,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from './triggerDatabase';
import type { CallHook, InDatabase, LoadedTrigger, StartTrigger } from './triggerContexts';

/** How the leader publishes and unpublishes what users changed. */
interface Publisher {
	/** Publishes what the editor shows. */
	publish(workflow: TriggerWorkflow): void;
	unpublish(workflow: TriggerWorkflow): void;
	/** What n8n does when it starts. */
	start(): void;
}

const ACTIVATION_TRIES = 5;
const TEARDOWN_TRIES = 3;
const FIRST_PAUSE_MS = 1_000;

/** A publication that takes longer is aborted, and one whose process died is taken up again. */
const DEADLINE_MS = 84_000;
const LEASE_MS = 120_000;
const RECONCILE_MS = 10_000;

/** Whether n8n has given a publication up. */
interface Deadline {
	isOver: boolean;
}

interface PublisherParts {
	process: SimulatedProcess;
	database: TriggerDatabase;
	now: () => number;
	inDatabase: InDatabase;
	callHook: CallHook;
	startTrigger: StartTrigger;
}

/** The triggers that this process has in memory. */
function createRunningTriggers(startTrigger: StartTrigger) {
	const running = new Map<TriggerWorkflow, () => Promise<void>>();
	return {
		has: (workflow: TriggerWorkflow) => running.has(workflow),
		async start(loaded: LoadedTrigger, activation: string): Promise<void> {
			running.set(loaded.workflow, await startTrigger(loaded, activation));
		},
		async end(workflow: TriggerWorkflow): Promise<void> {
			const close = running.get(workflow);
			running.delete(workflow);
			await close?.();
		},
	};
}

/** With a copy of its static data, which n8n stores or drops afterwards. */
const loadedOf = (workflow: TriggerWorkflow, version: TriggerVersion): LoadedTrigger => ({
	workflow,
	version,
	isTest: false,
	staticData: { ...workflow.staticData },
});

const isSame = (one: TriggerVersion, other: TriggerVersion) => JSON.stringify(one) === JSON.stringify(other);

/** Activates and deactivates the trigger of a workflow, as n8n's publication service does. */
export function createPublicationService(parts: PublisherParts): Publisher {
	const { process, database, now, inDatabase, callHook } = parts;
	const running = createRunningTriggers(parts.startTrigger);
	/** What still changes a workflow in this process, for longer than its deadline at times. */
	const changing = new Map<TriggerWorkflow, Promise<unknown>>();

	const setRoute = async (workflow: TriggerWorkflow, hasRoute: boolean): Promise<void> =>
		await inDatabase(hasRoute ? 'stores the route' : 'removes the route', () => {
			workflow.hasRoute = hasRoute;
		});

	const deactivate = async (
		workflow: TriggerWorkflow,
		version: TriggerVersion,
		deadline: Deadline,
	): Promise<void> => {
		unsettle(workflow, now());
		void running.end(workflow);
		await setRoute(workflow, false);
		unsettle(workflow, now());
		const loaded = loadedOf(workflow, version);
		for (let tries = 1; tries <= TEARDOWN_TRIES; tries++) {
			if (await callHook('delete', loaded, 'update')) break;
			if (deadline.isOver) return;
			if (tries < TEARDOWN_TRIES) await process.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
		}
		await inDatabase('stores the static data', () => (workflow.staticData = loaded.staticData));
	};

	const activate = async (
		workflow: TriggerWorkflow,
		version: TriggerVersion,
		mode: 'activate' | 'update' | 'init',
		deadline: Deadline,
	): Promise<void> => {
		const loaded = loadedOf(workflow, version);
		// n8n does both at once, with the same static data. One that runs already goes on beside the new one.
		void running.start(loaded, mode);
		let isActivated = false;
		let changes = workflow.changes;
		for (let tries = 1; tries <= ACTIVATION_TRIES; tries++) {
			await setRoute(workflow, true);
			({ changes } = workflow);
			isActivated = await callHook('create', loaded, mode);
			// The call that n8n has given up goes on beside the next change, and nothing follows it.
			if (deadline.isOver) return;
			if (isActivated) break;
			unsettle(workflow, now());
			if (await callHook('delete', loaded, 'update')) await setRoute(workflow, false);
			if (tries < ACTIVATION_TRIES) await process.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
		}
		await inDatabase('stores the static data', () => {
			workflow.staticData = loaded.staticData;
			workflow.isActivated = isActivated;
			// n8n goes on with what it has given up, beside the next change.
			if (isActivated && workflow.changes === changes && workflow.published === version)
				settle(workflow, version, now());
		});
	};

	const apply = async ({ workflow, version, isStart }: Publication, deadline: Deadline): Promise<void> => {
		const old = workflow.published;
		const isChanged = !old || !version || !isSame(old, version);
		if (old && isChanged) await deactivate(workflow, old, deadline);
		if (deadline.isOver) return;
		await inDatabase('stores what is published', () => (workflow.published = version));
		if (version && (isChanged || !workflow.hasRoute || !running.has(workflow)))
			await activate(workflow, version, isStart ? 'init' : old ? 'update' : 'activate', deadline);
	};

	const fulfil = async (publication: Publication): Promise<void> => {
		await changing.get(publication.workflow);
		const deadline: Deadline = { isOver: false };
		const work = apply(publication, deadline);
		const settled = Promise.race([work, process.sleep(LEASE_MS)]);
		changing.set(publication.workflow, settled);
		const isInTime = await Promise.race([
			work.then(() => true),
			process.sleep(DEADLINE_MS).then(() => false),
		]);
		publication.status = 'over';
		deadline.isOver = !isInTime;
		const { workflow, version } = publication;
		// n8n notices that the workflow is still published, and tries again.
		if (!isInTime && !version)
			process.after(RECONCILE_MS, () => workflow.active ?? enqueue(workflow, undefined));
		wake();
	};

	const wake = (): void => {
		for (const publication of database.publications) {
			const { workflow, status, leaseEndsAt } = publication;
			const isFree = !database.publications.some(
				(other) => other.workflow === workflow && other.status === 'in progress',
			);
			const isLeft = status === 'in progress' && leaseEndsAt <= now();
			if (!isLeft && !(status === 'pending' && isFree)) continue;
			publication.status = 'in progress';
			publication.leaseEndsAt = now() + LEASE_MS;
			void fulfil(publication);
		}
	};

	const enqueue = (workflow: TriggerWorkflow, version: TriggerVersion | undefined, isStart = false): void => {
		const pending = database.publications.find(
			(publication) => publication.workflow === workflow && publication.status === 'pending',
		);
		if (pending) Object.assign(pending, { version, isStart });
		else database.publications.push({ workflow, version, isStart, status: 'pending', leaseEndsAt: 0 });
		wake();
	};

	const request = async (workflow: TriggerWorkflow, version: TriggerVersion | undefined): Promise<void> => {
		await inDatabase(version ? 'notes to publish' : 'notes to unpublish', () => (workflow.active = version));
		enqueue(workflow, version);
	};

	return {
		publish: (workflow) => void request(workflow, workflow.draft),
		unpublish: (workflow) => void (workflow.active && request(workflow, undefined)),
		start() {
			wake();
			// n8n adds what it had activated and has not in its memory any more.
			for (const workflow of database.workflows)
				if (workflow.active && workflow.isActivated) enqueue(workflow, workflow.active, true);
			for (const { status, leaseEndsAt } of database.publications)
				if (status === 'in progress') process.after(leaseEndsAt - now(), wake);
		},
	};
}

/** n8n stops trying in our histories when it would wait longer: it doubles the pause up to a day. */
const LONGEST_PAUSE_MS = 64_000;

/** The same as n8n does it without its publication service, and n8n 1.x always. */
export function createActiveWorkflowManager(parts: PublisherParts): Publisher {
	const { process, database, now, inDatabase, callHook } = parts;
	const running = createRunningTriggers(parts.startTrigger);

	const remove = async (workflow: TriggerWorkflow, version: TriggerVersion): Promise<void> => {
		const loaded = loadedOf(workflow, version);
		unsettle(workflow, now());
		if (await callHook('delete', loaded, 'update'))
			await inDatabase('removes the route', () => (workflow.hasRoute = false));
		await running.end(workflow);
	};

	const add = async (
		workflow: TriggerWorkflow,
		version: TriggerVersion,
		mode: 'activate' | 'update' | 'init',
	): Promise<boolean> => {
		const loaded = loadedOf(workflow, version);
		await inDatabase('stores the route', () => (workflow.hasRoute = true));
		if (!(await callHook('create', loaded, mode))) {
			await remove(workflow, version);
			return false;
		}
		await inDatabase('stores the static data', () => {
			workflow.staticData = loaded.staticData;
			settle(workflow, version, now());
		});
		await running.start(loaded, mode);
		return true;
	};

	const publish = async (workflow: TriggerWorkflow): Promise<void> => {
		const old = workflow.active;
		const version = workflow.draft;
		if (old) await remove(workflow, old);
		await inDatabase('notes to publish', () => (workflow.active = workflow.published = version));
		if (await add(workflow, version, old ? 'update' : 'activate')) return;
		await remove(workflow, version);
		await inDatabase('notes that it failed', () => (workflow.active = workflow.published = undefined));
	};

	const unpublish = async (workflow: TriggerWorkflow): Promise<void> => {
		if (!workflow.active) return;
		await remove(workflow, workflow.active);
		await inDatabase('notes to unpublish', () => (workflow.active = workflow.published = undefined));
	};

	const restore = async (workflow: TriggerWorkflow, pauseMs: number): Promise<void> => {
		if (!workflow.active || (await add(workflow, workflow.active, 'init'))) return;
		if (pauseMs < LONGEST_PAUSE_MS)
			process.after(pauseMs, () => void change(workflow, async () => await restore(workflow, 2 * pauseMs)));
	};

	/** A user waits for one change of a workflow before the next. */
	const changes = new Map<TriggerWorkflow, Promise<void>>();
	const change = (workflow: TriggerWorkflow, work: () => Promise<void>): void => {
		changes.set(workflow, Promise.resolve(changes.get(workflow)).then(work));
	};

	return {
		publish: (workflow) => change(workflow, async () => await publish(workflow)),
		unpublish: (workflow) => change(workflow, async () => await unpublish(workflow)),
		start() {
			for (const workflow of database.workflows)
				change(workflow, async () => await restore(workflow, FIRST_PAUSE_MS));
		},
	};
}
