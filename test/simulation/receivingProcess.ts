import { EventEmitter } from 'node:events';

import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { bootProcess, type World } from './process';
import { rowHelpers } from './row';
import { API_KEY, BASE_URL } from './sendingProcess';
import type { Delivery } from './webhooks';

export const N8N_URL = 'https://n8n.example.com';

/** An execution that a delivery has started. */
export interface EventExecution {
	id: string;
	workflowId: string;
	eventId: string;
	status: 'new' | 'running' | 'success' | 'error' | 'crashed';
	items: INodeExecutionData[];
	/** Which process ran it, and whether its trigger put the event out. */
	ranIn?: number;
	hasItems?: boolean;
}

/** A workflow with one trigger. */
export interface TriggerWorkflow {
	id: string;
	ifWebhookExists: 'fail' | 'replace';
	/** Whether n8n shows it as published. */
	isPublished: boolean;
	/** Whether n8n has a route for its address. */
	hasRoute: boolean;
	/** Whether n8n gave up taking its webhook back, as when the service is out of reach for long. */
	isGivenUp: boolean;
	/** When it was last published or unpublished, counted over all workflows. */
	changedAs: number;
	staticData: IDataObject;
	row: string[];
}

/** n8n's database, which outlives its processes. */
export interface TriggerDatabase {
	workflows: TriggerWorkflow[];
	executions: EventExecution[];
	/** The signing secret that stands in the credential. */
	signingSecret: string;
}

/** A process of n8n that receives events. */
export interface ReceivingProcess {
	publish(workflow: TriggerWorkflow): void;
	unpublish(workflow: TriggerWorkflow): void;
	/** Resolves to the status of the answer; never, when the process dies before. */
	deliver(delivery: Delivery): Promise<number | undefined>;
	kill(): void;
	log: string[];
}

const ACTIVATION_TRIES = 5;
const STORING_MS = [5, 60, 700] as const;
const WORKFLOW_MS = [20, 500, 8_000] as const;

export const addressOf = ({ id }: TriggerWorkflow) => `${N8N_URL}/webhook/${id}/webhook`;

/**
 * @param number tells the processes of a history apart
 */
export function startReceiving(world: World, database: TriggerDatabase, number: number): ReceivingProcess {
	const process = bootProcess(world);
	const { choices } = world;
	const { sleep, trigger } = process;
	const running = new Set<EventExecution>();
	/** Changes of one workflow, one after the other, as n8n makes them. */
	let lastChange = Promise.resolve();

	const basics = (workflow: TriggerWorkflow) => ({
		getNode: () => ({
			id: 'trigger',
			name: 'Messaging Channel Trigger',
			type: 'n8n-nodes-messaging-channel.messagingChannelTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			webhookId: workflow.id,
			credentials: { messagingChannelApi: { id: 'credential', name: 'Account' } },
		}),
		getWorkflow: () => ({ id: workflow.id, name: workflow.id, active: workflow.isPublished }),
		getWorkflowStaticData: () => workflow.staticData,
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: BASE_URL, apiKey: API_KEY, signingSecret: database.signingSecret }),
		getNodeParameter: (name: string, ...rest: unknown[]) => {
			if (name === 'events') return ['message.received'];
			if (name === 'options.ifWebhookExists') return workflow.ifWebhookExists;
			return rest.at(-1);
		},
		logger: process.logger,
		helpers: {
			httpRequestWithAuthentication: async (
				_type: string,
				{ method, url, qs, body }: { method: string; url: string; qs?: object; body?: object },
			) =>
				await process.transport({
					method,
					path: url.slice(BASE_URL.length),
					query: { ...qs },
					body: { ...body },
				}),
			...rowHelpers(process, choices, workflow),
		},
	});

	const hooks = (workflow: TriggerWorkflow, mode: string) =>
		({
			...basics(workflow),
			getNodeWebhookUrl: () => addressOf(workflow),
			getActivationMode: () => mode,
			getMode: () => 'trigger',
		}) as unknown as IHookFunctions;

	const methods = trigger.webhookMethods?.default;

	const activate = async (workflow: TriggerWorkflow, mode: string): Promise<boolean> => {
		workflow.hasRoute = true;
		for (let tries = 1; tries <= ACTIVATION_TRIES; tries++) {
			try {
				await methods?.create.call(hooks(workflow, mode));
				return true;
			} catch (error) {
				process.logger.error(String((error as Error).message));
				await methods?.delete.call(hooks(workflow, mode)).catch(() => (workflow.isGivenUp = true));
				if (tries < ACTIVATION_TRIES) await sleep(1_000 * 2 ** (tries - 1));
			}
		}
		workflow.hasRoute = false;
		return false;
	};

	const deactivate = async (workflow: TriggerWorkflow): Promise<void> => {
		workflow.hasRoute = false;
		// Until it succeeds: n8n tries three times, and a process that dies meanwhile leaves it undone.
		workflow.isGivenUp = true;
		for (let tries = 1; tries <= 3; tries++) {
			try {
				await methods?.delete.call(hooks(workflow, 'update'));
				workflow.isGivenUp = false;
				return;
			} catch (error) {
				process.logger.error(String((error as Error).message));
			}
		}
	};

	let changes = 0;
	const change = (work: () => Promise<void>): void => {
		lastChange = lastChange.then(work);
	};

	const execute = async (execution: EventExecution): Promise<void> => {
		const workflow = database.workflows.find(({ id }) => id === execution.workflowId) as TriggerWorkflow;
		execution.status = 'running';
		execution.ranIn = number;
		running.add(execution);
		const context = {
			...basics(workflow),
			getInputData: () => execution.items,
			getMode: () => 'webhook',
			getExecutionId: () => execution.id,
			continueOnFail: () => false,
		} as unknown as IExecuteFunctions;
		try {
			const [output = []] = ((await trigger.execute?.call(context)) ?? []) as INodeExecutionData[][];
			execution.hasItems = output.length > 0;
			if (execution.hasItems) await sleep(choices.oneOf(WORKFLOW_MS));
			execution.status = 'success';
		} catch (error) {
			process.logger.error(String((error as Error).message));
			execution.status = 'error';
		}
		running.delete(execution);
	};

	/** What Node's response shows of itself. */
	const newResponse = () => {
		const emitter = new EventEmitter();
		const response = {
			statusCode: 200,
			writableEnded: false,
			once: (event: string, listener: () => void) => emitter.once(event, listener),
			status(code: number) {
				response.statusCode = code;
				return response;
			},
			end() {
				response.writableEnded = true;
				emitter.emit('prefinish');
				return response;
			},
			json: () => response.end(),
		};
		return response;
	};

	const receive = async ({ url, headers, body }: Delivery): Promise<number> => {
		const { origin, pathname, searchParams } = new URL(url);
		const workflow = database.workflows.find(
			(candidate) => candidate.hasRoute && addressOf(candidate) === origin + pathname,
		);
		if (!workflow) return 404;
		const response = newResponse();
		const context = {
			...basics(workflow),
			getMode: () => 'webhook',
			getResponseObject: () => response,
			getRequestObject: () => ({ headers, rawBody: body, readRawBody: async () => await Promise.resolve() }),
			getHeaderData: () => headers,
			getQueryData: () => Object.fromEntries(searchParams),
		} as unknown as IWebhookFunctions;
		const result: IWebhookResponseData | undefined = await trigger.webhook?.call(context);
		const items = result?.workflowData?.[0];
		if (!items) return response.statusCode;
		const execution: EventExecution = {
			id: String(database.executions.length + 1),
			workflowId: workflow.id,
			eventId: String(items[0]?.json.event_id),
			status: 'new',
			items,
		};
		await sleep(choices.oneOf(STORING_MS));
		if (choices.rarely(15)) {
			// The database failed.
			response.status(500).end();
			return 500;
		}
		execution.id = String(database.executions.length + 1);
		database.executions.push(execution);
		await sleep(choices.oneOf(STORING_MS));
		if (!result.noWebhookResponse) response.end();
		void execute(execution);
		return response.statusCode;
	};

	for (const workflow of database.workflows.filter(({ isPublished }) => isPublished)) {
		change(async () => void (await activate(workflow, 'init')));
	}
	for (const execution of database.executions.filter(({ status }) => status === 'new'))
		void execute(execution);

	return {
		log: process.log,
		publish: (workflow) =>
			change(async () => {
				if (workflow.isPublished) await deactivate(workflow);
				// n8n notes it before it activates, and activates again at its next start.
				workflow.isPublished = true;
				workflow.isPublished = await activate(workflow, 'activate');
				workflow.changedAs = number * 1000 + ++changes;
			}),
		unpublish: (workflow) =>
			change(async () => {
				if (!workflow.isPublished) return;
				workflow.isPublished = false;
				await deactivate(workflow);
				workflow.changedAs = number * 1000 + ++changes;
			}),
		deliver: async (delivery) =>
			await receive(delivery).catch((error: unknown) => {
				process.logger.error(String((error as Error).message));
				return 500;
			}),
		kill() {
			process.kill();
			for (const execution of running) execution.status = 'crashed';
		},
	};
}
