import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { API_KEY, BASE_URL, N8N_URL, requestHelper, type Transport } from './network';
import type { SimulatedProcess, World } from './process';
import { rowHelpers, type RowOwner } from './row';

export const NODE_ID = 'node';

/** A context of n8n. It inherits its methods, as n8n's contexts do: a copy made by spreading has none of them. */
export const contextOf = <Context>(methods: object): Context => Object.create(methods) as Context;

/** How the node is set in a workflow. */
export interface NodeSettings {
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** n8n's Retry On Fail: how often it runs the node at the most. */
	tries: number;
	maxConcurrency: number;
}

/** One run of the action node in an execution. */
export interface ActionRun {
	process: SimulatedProcess;
	transport: Transport;
	world: World;
	items: INodeExecutionData[];
	/** The value of a parameter for an item; undefined when the user left it as it was. */
	parameterOf: (name: string, itemIndex: number) => unknown;
	onError: NodeSettings['onError'];
	execution: { id: string; mode: string; origin: string };
	/** n8n counts the passes of a loop. */
	runIndex: number;
	/** The node's own data, which n8n stores with the execution. */
	nodeData: Record<string, unknown>;
	/** Holds the row of keys that n8n keeps for the node. */
	database: RowOwner;
	/** Aborted when the user stops the execution. */
	cancelled?: AbortSignal;
	/** Whether n8n is in queue mode. */
	isWorker?: boolean;
	/** Whether an agent calls the node as its tool. */
	isTool?: boolean;
	/** Gets the hints that n8n shows beside the output. */
	hints?: unknown[];
}

/** What n8n hands to `execute` of the action node. */
export function actionContext(run: ActionRun): IExecuteFunctions {
	const { process, transport, world, items, parameterOf, onError, execution, nodeData, database } = run;
	const credential = { baseUrl: BASE_URL, apiKey: API_KEY };
	const node = {
		id: NODE_ID,
		name: 'Messaging Channel',
		type: `n8n-nodes-messaging-channel.messagingChannel${run.isTool ? 'Tool' : ''}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		onError,
	};
	return contextOf<IExecuteFunctions>({
		getNode: () => node,
		getExecuteData: () => ({ node, data: { main: [items] } }),
		instanceSettings: { instanceType: run.isWorker ? 'worker' : 'main' },
		getWorkflow: () => ({ id: 'workflow' }),
		getInputData: () => items,
		getNodeParameter: (name: string, itemIndex: number, fallback: unknown) =>
			parameterOf(name, itemIndex) ?? fallback,
		continueOnFail: () => onError !== 'stopWorkflow',
		getCredentials: async () => await Promise.resolve(credential),
		getContext: () => nodeData,
		getMode: () => execution.mode,
		getExecutionId: () => execution.id,
		getExecutionContext: () => ({ establishedAt: Number(execution.origin) }),
		getWorkflowDataProxy: () => ({
			$runIndex: run.runIndex,
			$execution: {
				resumeUrl: `${N8N_URL}/webhook-waiting/${execution.id}?signature=${execution.origin}`,
			},
		}),
		getTimezone: () => 'UTC',
		getExecutionCancelSignal: () => run.cancelled,
		addExecutionHints: (...hints: unknown[]) => void run.hints?.push(...hints),
		logger: process.logger,
		helpers: {
			httpRequestWithAuthentication: requestHelper(transport, execution.id, run.cancelled),
			...rowHelpers(process, world, database),
		},
	});
}
