import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { bootProcess, type SimulatedProcess, type World } from './process';
import { rowHelpers } from './row';
import type { ServiceResponse } from './http';

export const API_KEY = 'key-of-the-simulated-account';
export const BASE_URL = 'https://service.example.com/api/v1/whatsapp/external';

/** One message that a workflow is to send. */
export interface WantedMessage {
	to: string;
	message: string;
}

/** How the node is set in a workflow. */
export interface NodeSettings {
	onError: 'stopWorkflow' | 'continueRegularOutput';
	/** n8n's Retry On Fail: how often it runs the node at the most. */
	tries: number;
	maxConcurrency: number;
}

/** What n8n keeps of an execution. */
export interface StoredExecution {
	id: string;
	/** The same in all retries of one execution. */
	origin: string;
	mode: 'manual' | 'retry';
	status: 'running' | 'success' | 'error' | 'crashed';
	messages: readonly WantedMessage[];
	settings: NodeSettings;
	/** The node's own data, as JSON: what a retry starts with. */
	nodeData: string;
	/** When it was over, in Unix milliseconds. */
	endedAt?: number;
	/** What the node put out, or why it stopped. */
	output?: INodeExecutionData[];
	error?: NodeFailure;
}

/** What the user reads of a failed node. */
export interface NodeFailure {
	message: string;
	description: string;
	itemIndex?: number;
}

/** n8n's database, which outlives its processes. */
export interface Database {
	executions: StoredExecution[];
	/** The row of keys that n8n keeps for the node. */
	row: string[];
}

export const newDatabase = (): Database => ({ executions: [], row: [] });

/** A process of n8n. */
export interface N8nProcess {
	/** Starts an execution, and resolves when it is over; never, when the process dies before. */
	start(messages: readonly WantedMessage[], settings: NodeSettings): void;
	/** n8n's "Retry execution". */
	retry(execution: StoredExecution): void;
	/** From now on nothing that it does has an effect; what it ran counts as crashed. */
	kill(): void;
	/** What it wrote to its log. */
	log: string[];
}

export function startProcess(world: World, database: Database): N8nProcess {
	const process = bootProcess(world);
	const running = new Set<StoredExecution>();

	const run = async (execution: StoredExecution): Promise<void> => {
		running.add(execution);
		const nodeData = JSON.parse(execution.nodeData) as Record<string, unknown>;
		for (let tries = 1; ; tries++) {
			const context = executeContext({ execution, nodeData, process, world, database });
			try {
				const [output = []] = (await execute(process.action, context)) ?? [];
				const hasFailed = output[0]?.json.error !== undefined;
				if (hasFailed && tries < execution.settings.tries) throw new Error('n8n tries again');
				Object.assign(execution, { status: 'success', output });
				break;
			} catch (error) {
				if (tries < execution.settings.tries) {
					await process.sleep(1_000);
					continue;
				}
				Object.assign(execution, { status: 'error', error: failureOf(error) });
				break;
			}
		}
		execution.nodeData = JSON.stringify(nodeData);
		execution.endedAt = world.scheduler.now();
		running.delete(execution);
	};

	const begin = (execution: StoredExecution): void => {
		database.executions.push(execution);
		void run(execution);
	};

	return {
		log: process.log,
		start(messages, settings) {
			const id = String(database.executions.length + 1);
			begin({ id, origin: id, mode: 'manual', status: 'running', messages, settings, nodeData: '{}' });
		},
		retry({ origin, messages, settings, nodeData }) {
			const id = String(database.executions.length + 1);
			begin({ id, origin, mode: 'retry', status: 'running', messages, settings, nodeData });
		},
		kill() {
			process.kill();
			for (const execution of running) execution.status = 'crashed';
		},
	};
}

async function execute(action: INodeType, context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return ((await action.execute?.call(context)) ?? []) as INodeExecutionData[][];
}

function failureOf(error: unknown): NodeFailure {
	const { message, description, context } = error as {
		message: string;
		description?: string;
		context?: { itemIndex?: number };
	};
	return { message, description: String(description), itemIndex: context?.itemIndex };
}

interface ContextParts {
	execution: StoredExecution;
	nodeData: Record<string, unknown>;
	process: SimulatedProcess;
	world: World;
	database: Database;
}

/** What n8n hands to `execute` of the node: Message > Send, with one item for each message. */
function executeContext(parts: ContextParts): IExecuteFunctions {
	const { execution, nodeData, process, world, database } = parts;
	const { messages, settings } = execution;
	const items = messages.map((json): INodeExecutionData => ({ json: { ...json } }));
	const parameters: Record<string, unknown> = {
		resource: 'message',
		operation: 'send',
		options: { maxConcurrency: settings.maxConcurrency },
	};
	const context = {
		getNode: () => ({
			id: 'node',
			name: 'Messaging Channel',
			type: 'n8n-nodes-messaging-channel.messagingChannel',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			onError: settings.onError,
		}),
		getInputData: () => items,
		getNodeParameter: (name: string, itemIndex: number, fallback: unknown) =>
			name in parameters
				? parameters[name]
				: (messages[itemIndex]?.[name as keyof WantedMessage] ?? fallback),
		continueOnFail: () => settings.onError !== 'stopWorkflow',
		getCredentials: async () => await Promise.resolve({ baseUrl: BASE_URL, apiKey: API_KEY }),
		getContext: () => nodeData,
		getMode: () => execution.mode,
		getExecutionId: () => execution.id,
		getExecutionContext: () => ({ establishedAt: Number(execution.origin) }),
		getWorkflowDataProxy: () => ({
			$runIndex: 0,
			$execution: { resumeUrl: `https://n8n.example.com/webhook-waiting/1?signature=${execution.origin}` },
		}),
		getTimezone: () => 'UTC',
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: () => {},
		logger: process.logger,
		helpers: {
			httpRequestWithAuthentication: async (
				_type: string,
				{ method, url, qs, body }: { method: string; url: string; qs?: object; body?: object },
			): Promise<ServiceResponse> => {
				const path = url.slice(BASE_URL.length);
				return await process.transport({ method, path, query: { ...qs }, body: { ...body } });
			},
			...rowHelpers(process, world.choices, database),
		},
	};
	return context as unknown as IExecuteFunctions;
}
