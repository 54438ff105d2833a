import type { INodeExecutionData, IRun, ITriggerFunctions, IWebhookResponseData } from 'n8n-workflow';

import type * as ClockModule from '../../../nodes/MessagingChannel/trigger/account/clock';
import type * as StateModule from '../../../nodes/MessagingChannel/trigger/delivery/state';
import type * as TriggerModule from '../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { bootProcess, type World } from '../n8n/process';
import { createActiveWorkflowManager, createPublicationService } from '../n8n/publication';
import { createResponse } from '../n8n/response';
import { createTestRuns } from '../n8n/testRuns';
import {
	createContexts,
	type CallHook,
	type InDatabase,
	type LoadedTrigger,
	type StartTrigger,
} from '../n8n/triggerContexts';
import {
	eventsIn,
	productionUrl,
	testUrl,
	type EventExecution,
	type HookCall,
	type TriggerDatabase,
	type TriggerWorkflow,
} from '../n8n/triggerDatabase';
import type { Deliver, Delivery, DeliveryResponse } from '../service/events';

/** What a process answers a delivery; never called when it dies before. */
type Answer = (response: DeliveryResponse) => void;

/** A process of n8n that is ready. */
export type ReceivingProcess = ReturnType<typeof startReceiving>;

/** With several workflows on one account, it is 24 hours. */
const REMEMBERED_MS = 24 * 60 * 60_000;

interface ProcessSettings {
	name: string;
	/** Called once when it dies. */
	onDeath: () => void;
	/** Whether it may die by chance, and not only when it is killed. */
	isMortal: boolean;
	usesPublicationService: boolean;
	/** Carries a request to any URL. */
	deliverToUrl: Deliver;
	/** Lets a worker know that an execution waits; undefined when the process runs executions itself. */
	enqueue?: () => void;
}

const DATABASE_MS = [3, 60, 700] as const;
const LONG_MS = 25_000;
const RESPONSE_MS = [1, 50, 400] as const;
/** So long n8n holds an execution back until it has a free slot. */
const BUSY_MS = [5_000, 300_000, 7_200_000] as const;
const WORKFLOW_MS = [20, 500, 8_000] as const;

export function startReceiving(
	world: World,
	database: TriggerDatabase,
	{ name, onDeath, isMortal, usesPublicationService, deliverToUrl, enqueue }: ProcessSettings,
) {
	const { choices, scheduler, tell } = world;
	const process = bootProcess(world, name, isMortal ? onDeath : undefined);
	const contexts = createContexts(process, world, database, deliverToUrl);
	const { trigger } = process;

	const inDatabase: InDatabase = async (effect, happen, timesPerLong = 40) => {
		const thereMs = choices.rarely(timesPerLong) ? LONG_MS : choices.oneOf(DATABASE_MS);
		return await process.reach({ name: effect, thereMs, backMs: choices.oneOf(DATABASE_MS), happen });
	};

	const callHook: CallHook = async (hook, loaded, activation) => {
		const { workflow, version, isTest } = loaded;
		const mode = hook === 'delete' ? 'internal' : isTest ? 'manual' : 'trigger';
		const url = (isTest ? testUrl : productionUrl)(workflow);
		const isStart = activation === 'init';
		const startedAt = scheduler.now();
		const call: HookCall = { hook, process: name, url, workflow, version, isStart, startedAt };
		database.hookCalls.push(call);
		tell(() => `${name}: ${hook} of ${url}, ${activation}`);
		const context = contexts.forHook(
			loaded,
			mode,
			activation,
			() => (call.firstRequestAt ??= scheduler.now()),
			(status) => (call.lastStatus = status),
		);
		try {
			await trigger.webhookMethods?.default?.[hook].call(context);
			call.succeeded = true;
		} catch (error) {
			call.succeeded = false;
			process.logger.error(String((error as Error).message));
		}
		call.endedAt = scheduler.now();
		tell(() => `${name}: ${hook} of ${url} ${call.succeeded ? 'succeeded' : 'failed'}`);
		return call.succeeded;
	};

	const execute = async (execution: EventExecution, loaded: LoadedTrigger): Promise<void> => {
		execution.beganAt = scheduler.now();
		const handlers: Array<() => Promise<void>> = [];
		try {
			const context = contexts.forExecution(loaded, execution, (handler) => void handlers.push(handler));
			const output = await trigger.execute?.call(context);
			const [items = []] = (output ?? []) as INodeExecutionData[][];
			execution.hasItems = items.length > 0;
			execution.putOutIds = eventsIn(items).map(({ eventId }) => String(eventId));
			execution.putOutAt = scheduler.now();
			tell(() => `${name}: execution ${execution.id} puts out ${items.length} items`);
			if (execution.hasItems) await process.sleep(world.workflowMs ?? choices.oneOf(WORKFLOW_MS));
			execution.status = 'success';
		} catch (error) {
			process.logger.error(String((error as Error).message));
			execution.status = 'error';
			execution.error = (error as Error).message;
		}
		execution.endedAt = scheduler.now();
		for (const handler of handlers) void handler();
		execution.onEnd?.(execution);
	};

	/** Production executions get no static data to write to. */
	const loadedFor = ({ workflowId }: EventExecution): LoadedTrigger | undefined => {
		const workflow = database.workflows.find(({ id }) => id === workflowId);
		const version = workflow && (workflow.published ?? workflow.draft);
		return version && { workflow, version, isTest: false, staticData: {} };
	};

	/** Begins an execution that is stored. */
	const begin = async (execution: EventExecution, loaded = loadedFor(execution)): Promise<void> => {
		if (!loaded) return;
		await inDatabase(`marks execution ${execution.id} as running`, () => {
			execution.status = 'running';
			execution.ranIn = name;
		});
		void execute(execution, loaded);
	};

	/** Stores the execution of an event and begins it, or hands it to a worker. */
	const run = async (
		items: INodeExecutionData[],
		loaded: LoadedTrigger,
		more?: Pick<EventExecution, 'mode' | 'onEnd'>,
	): Promise<EventExecution> => {
		const [{ eventId, messageId } = { messageId: '' }] = eventsIn(items);
		const execution: EventExecution = {
			id: '',
			workflowId: loaded.workflow.id,
			mode: loaded.isTest ? 'manual' : 'webhook',
			...(eventId !== undefined && { eventId }),
			messageId,
			status: 'new',
			items,
			storedAt: 0,
			receivedIn: name,
			...more,
		};
		const fails = choices.rarely(20) ? choices.oneOf(['before', 'after'] as const) : undefined;
		await inDatabase(
			`stores an execution of ${eventId}${items.length > 1 ? ` and ${items.length - 1} more` : ''}${fails ? `, and fails ${fails}` : ''}`,
			() => {
				if (fails === 'before') throw new Error('The database is gone');
				execution.id = String(database.executions.push(execution));
				execution.storedAt = scheduler.now();
				if (fails === 'after') throw new Error('The database is gone');
			},
			// A database often fails after it has made others wait.
			fails && 2,
		);
		if (!enqueue && !loaded.isTest && choices.rarely(60)) {
			const busyMs = choices.oneOf(BUSY_MS);
			tell(() => `${name}: execution ${execution.id} waits ${busyMs / 1000} s for a free slot`);
			execution.releasedAt = scheduler.now() + busyMs;
			await process.sleep(busyMs);
		}
		if (!enqueue || loaded.isTest) {
			await begin(execution, loaded);
			return execution;
		}
		await process.reach({
			name: `queues execution ${execution.id}`,
			thereMs: 2,
			backMs: 2,
			happen: () => {
				database.jobs.push(execution);
				enqueue();
			},
		});
		return execution;
	};

	const tests = createTestRuns(process, database, scheduler.now, callHook);

	/** The trigger at a URL, if n8n has a route for it. */
	const find = (url: string): LoadedTrigger | undefined => {
		const path = url.split('?')[0];
		for (const workflow of database.workflows) {
			if (path === productionUrl(workflow) && workflow.hasRoute && workflow.published) {
				const staticData = { ...workflow.staticData };
				return { workflow, version: workflow.published, isTest: false, staticData };
			}
			const test = path === testUrl(workflow) ? tests.find(workflow.id) : undefined;
			if (test) return { ...test, isTest: true };
		}
		return undefined;
	};

	const deliver = async (delivery: Delivery, answer: Answer): Promise<void> => {
		let execution: EventExecution | undefined;
		const response = createResponse((sent) => {
			const { status } = sent;
			const happen = () => {
				if (execution && status === 200) execution.acknowledgedAt = scheduler.now();
				answer(sent);
			};
			const thereMs = choices.oneOf(RESPONSE_MS);
			process
				.reach({ name: `responds ${status} to ${delivery.name}`, thereMs, backMs: 0, happen })
				.catch((error: unknown) => database.surprises.push(`a response threw ${String(error)}`));
		});
		const loaded = find(delivery.url);
		const path = delivery.url.split('?')[0]?.split('/').slice(-2).join('/');
		const notRegistered = { message: `The requested webhook "POST ${path}" is not registered.` };
		if (!loaded) return void response.status(404).json(notRegistered);
		let result: IWebhookResponseData | undefined;
		try {
			result = await trigger.webhook?.call(contexts.forDelivery(loaded, delivery, response));
		} catch (error) {
			database.surprises.push(`webhook() threw ${String(error)}`);
			return void response.status(500).end();
		}
		const items = result?.workflowData?.[0];
		if (!items) return;
		try {
			execution = await run(items, loaded);
			if (!result?.noWebhookResponse) response.status(200).end();
		} catch (error) {
			process.logger.error(String((error as Error).message));
			response.status(500).end();
		}
		if (loaded.isTest) await tests.end(loaded.workflow);
	};

	/** Starts an execution without a delivery, and tells when it has ended. */
	const emitFor =
		(loaded: LoadedTrigger): ITriggerFunctions['emit'] =>
		([items = []], _response, done) => {
			database.started.push({ process: name, workflowId: loaded.workflow.id, items, at: scheduler.now() });
			const onEnd = ({ customData }: EventExecution) =>
				process.after(choices.oneOf(DATABASE_MS), () =>
					done?.resolve({ data: { resultData: { metadata: customData } } } as unknown as IRun),
				);
			run(items, loaded, { mode: 'trigger', onEnd }).catch((error: Error) => done?.reject(error));
		};

	/** Lets the trigger look after its subscription, until n8n ends that. */
	const startTrigger: StartTrigger = async (loaded, activation) => {
		const { workflow, version } = loaded;
		database.triggerStarts.push({ process: name, workflow, version, at: scheduler.now() });
		const context = contexts.forTrigger(loaded, activation, emitFor(loaded));
		const { closeFunction } = (await trigger.trigger?.call(context)) ?? {};
		return async () => await closeFunction?.();
	};

	const parts = { process, database, now: scheduler.now, inDatabase, callHook, startTrigger };
	return {
		name,
		publisher: usesPublicationService ? createPublicationService(parts) : createActiveWorkflowManager(parts),
		tests,
		/** Begins an execution that is stored. */
		begin: (execution: EventExecution) => void begin(execution),
		/** n8n's "Retry execution". */
		retry(execution: EventExecution): void {
			const loaded = loadedFor(execution);
			if (loaded) run(execution.items, loaded, { mode: 'retry' }).catch(() => {});
		},
		deliver: (delivery: Delivery, answer: Answer) => void deliver(delivery, answer),
		/** Runs the next execution that waits for a worker. */
		takeJob: () =>
			void process
				.reach({ name: 'takes a job', thereMs: 2, backMs: 2, happen: () => database.jobs.shift() })
				.then(async (execution) => await (execution && begin(execution))),
		kill(): void {
			process.kill();
			if (!isMortal) onDeath();
		},
		log: process.log,
		/** Whether it will remember an event of a workflow for longer than it may. */
		remembers(workflow: TriggerWorkflow): boolean {
			const { clock } = process.moduleOf('trigger/account/clock') as typeof ClockModule;
			const { stateOf } = process.moduleOf('trigger/delivery/state') as typeof StateModule;
			const { triggerOf } = process.moduleOf('trigger/delivery/trigger') as typeof TriggerModule;
			clock.elapsed = () => scheduler.now() + REMEMBERED_MS;
			return [false, true].some((isTest) => {
				const { inFlight } = stateOf(triggerOf(contexts.forMemory(workflow), isTest));
				return !inFlight.isEmpty();
			});
		},
	};
}
