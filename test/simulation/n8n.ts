import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import type { Choices } from './choices';
import { createTransport, type Transport } from './network';
import { loadPackage } from './package';
import type { Scheduler } from './scheduler';
import type { ServiceResponse, SimulatedService } from './service';

export const API_KEY = 'key-of-the-simulated-account';
const BASE_URL = 'https://service.example.com/api/v1/whatsapp/external';

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

const DATABASE_DELAYS_MS = [2, 30, 400] as const;

export function startProcess(
	scheduler: Scheduler,
	choices: Choices,
	service: SimulatedService,
	database: Database,
): N8nProcess {
	let isDead = false;
	let lastUuid = 0;
	const log: string[] = [];
	const running = new Set<StoredExecution>();
	const transport = createTransport(scheduler, choices, service, () => isDead);
	const sleep = async (ms: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve, reject) => {
			signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
			scheduler.after(ms, resolve, () => isDead || signal?.aborted === true);
		});
	const { action } = loadPackage({
		now: scheduler.now,
		random: () => 0.5,
		sleep,
		randomUUID: () => `${database.executions.length}-${++lastUuid}`,
	});

	const run = async (execution: StoredExecution): Promise<void> => {
		running.add(execution);
		const nodeData = JSON.parse(execution.nodeData) as Record<string, unknown>;
		for (let tries = 1; ; tries++) {
			const context = executeContext({
				execution,
				nodeData,
				transport,
				scheduler,
				choices,
				database,
				log,
				sleep,
				isDead: () => isDead,
			});
			try {
				const [output = []] = (await execute(action, context)) ?? [];
				const hasFailed = output[0]?.json.error !== undefined;
				if (hasFailed && tries < execution.settings.tries) throw new Error('n8n tries again');
				Object.assign(execution, { status: 'success', output });
				break;
			} catch (error) {
				if (tries < execution.settings.tries) {
					await sleep(1_000);
					continue;
				}
				Object.assign(execution, { status: 'error', error: failureOf(error) });
				break;
			}
		}
		execution.nodeData = JSON.stringify(nodeData);
		running.delete(execution);
	};

	const begin = (execution: StoredExecution): void => {
		database.executions.push(execution);
		void run(execution);
	};

	return {
		log,
		start(messages, settings) {
			const id = String(database.executions.length + 1);
			begin({ id, origin: id, mode: 'manual', status: 'running', messages, settings, nodeData: '{}' });
		},
		retry({ origin, messages, settings, nodeData }) {
			const id = String(database.executions.length + 1);
			begin({ id, origin, mode: 'retry', status: 'running', messages, settings, nodeData });
		},
		kill() {
			isDead = true;
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
	transport: Transport;
	scheduler: Scheduler;
	choices: Choices;
	database: Database;
	log: string[];
	sleep: (ms: number) => Promise<void>;
	isDead: () => boolean;
}

/** What n8n hands to `execute` of the node: Message > Send, with one item for each message. */
function executeContext(parts: ContextParts): IExecuteFunctions {
	const { execution, nodeData, transport, log } = parts;
	const { messages, settings } = execution;
	const items = messages.map((json): INodeExecutionData => ({ json: { ...json } }));
	const parameters: Record<string, unknown> = {
		resource: 'message',
		operation: 'send',
		options: { maxConcurrency: settings.maxConcurrency },
	};
	const write = (line: string) => void log.push(line);
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
		logger: { info: write, warn: write, error: write, debug: write },
		helpers: {
			httpRequestWithAuthentication: async (
				_type: string,
				{ method, url, qs, body }: { method: string; url: string; qs?: object; body?: object },
			): Promise<ServiceResponse> => {
				const path = url.slice(BASE_URL.length);
				return await transport({ method, path, query: { ...qs }, body: { ...body } });
			},
			...rowHelpers(parts),
		},
	};
	return context as unknown as IExecuteFunctions;
}

/** The row is read, and some time later written as a whole: two processes at once lose keys, as in n8n. */
function rowHelpers({ scheduler, choices, database, isDead }: ContextParts) {
	const use = async <T>(change: (keys: string[]) => { keys: string[]; result: T }): Promise<T> => {
		const pause = async () =>
			await new Promise<void>((resolve) =>
				scheduler.after(choices.oneOf(DATABASE_DELAYS_MS), resolve, isDead),
			);
		await pause();
		const { keys, result } = change(database.row);
		await pause();
		database.row = keys;
		await pause();
		return result;
	};
	return {
		checkProcessedAndRecord: async (
			asked: string[],
			_scope: string,
			{ maxEntries }: { maxEntries: number },
		) =>
			await use((keys) => {
				const processed = asked.filter((key) => keys.includes(key));
				const added = asked.filter((key) => !keys.includes(key));
				return { keys: [...keys, ...added].slice(-maxEntries), result: { new: added, processed } };
			}),
		removeProcessed: async (removed: string[]) =>
			await use((keys) => ({ keys: keys.filter((key) => !removed.includes(key)), result: undefined })),
	};
}
