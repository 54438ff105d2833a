import './n8nFolder';

import type { Request, Response } from 'express';
import { ExecuteContext, HookContext, TriggerContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type ITriggerFunctions,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	type IWorkflowSettings,
	type IWorkflowExecuteAdditionalData,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { keyRowHelpers, newKeyRow, type KeyRow } from './keyRow';
import { additionalData, newExecution } from './context';
import { lineTo, nodeOf, PASSES_ON, workflowOf } from './workflow';

const nodeType = new MessagingChannelTrigger();
const [webhookDescription] = nodeType.description.webhooks as [IWebhookDescription];

/** What the credential of a trigger holds. */
export type TriggerCredential = Record<'baseUrl' | 'apiKey' | 'signingSecret', string>;

/** A trigger, alone in its workflow but for copies of it. */
export interface TriggerOptions {
	parameters?: INodeParameters;
	node?: Partial<INode>;
	/** Copies of it in its workflow, with what is different about them. */
	copies?: Array<Partial<INode>>;
	/** Asked whenever the node reads its credential. */
	credential: () => TriggerCredential;
	/** Where n8n is reached. */
	n8nUrl: string;
	/** Where production's and tests' URLs begin, if not below `n8nUrl`. */
	bases?: { production: string; test: string };
	/** The ID of n8n's instance; that of this process unless given. */
	instanceId?: string;
	/** That of another trigger, for one that stands beside it. */
	workflowId?: string;
	workflowName?: string;
}

/** The trigger in n8n's own contexts. */
export interface TriggerNode {
	readonly node: INode;
	readonly workflowId: string;
	activate(mode?: WorkflowActivateMode): Promise<boolean>;
	/** @param mode that of the activation which ends; `manual` for a test */
	deactivate(mode?: WorkflowActivateMode): Promise<boolean>;
	/** The settings of its workflow, which somebody may change while it is published. */
	readonly workflowSettings: IWorkflowSettings;
	/** Whether n8n has taken its address away. */
	isAbsent(isTest: boolean): boolean;
	/**
	 * Begins to look after the subscription, or to poll, as n8n does on the leader.
	 *
	 * @param activation why n8n starts it
	 * @returns what ends it
	 */
	watch(mode?: WorkflowExecuteMode, activation?: WorkflowActivateMode): Promise<() => Promise<void>>;
	/** The executions that the trigger started by itself and that put something out, in their order. */
	readonly started: INodeExecutionData[][];
	/** How many executions the trigger started by itself. */
	readonly emitted: number;
	/** What executions said that it started only to report something. */
	readonly reported: string[];
	/** What goes on between the start of such an execution and its end, unless its signal says that n8n stops it. */
	whileRunning: (items: INodeExecutionData[]) => Promise<'ends' | 'is stopped'>;
	/** Takes a request. */
	receive(request: Request, response: Response, isTest: boolean): Promise<IWebhookResponseData>;
	/** Runs for items, as n8n does once it has taken an event. */
	execute(items: INodeExecutionData[], run?: TriggerExecution): Promise<INodeExecutionData[]>;
	/** Runs the workflow for items, with what n8n itself makes of the node's settings, up to the nodes behind the trigger. */
	runWorkflow(items: INodeExecutionData[], mode: WorkflowExecuteMode): Promise<WorkflowRun>;
	/** What n8n keeps with the workflow. */
	readonly kept: IDataObject;
	readonly log: string[];
	/** What outlives the process. */
	readonly row: KeyRow;
	/** The same, of all nodes of the workflow. */
	readonly workflowRow: KeyRow;
}

/** The execution in which a trigger runs. */
export interface TriggerExecution {
	mode?: WorkflowExecuteMode;
	id?: string;
}

/** What became of a workflow. */
export interface WorkflowRun {
	/** The items that the next node ran with; undefined if it did not run. */
	next?: INodeExecutionData[];
	/** The same of the node at the error output. */
	onError?: INodeExecutionData[];
	/** Why the execution failed. */
	error?: Error;
}

let triggers = 0;

/** A trigger of which this process knows nothing yet. */
export function createTriggerNode(options: TriggerOptions): TriggerNode {
	const number = ++triggers;
	const node: INode = {
		id: 'node',
		name: 'Listens',
		type: 'n8n-nodes-messaging-channel.messagingChannelTrigger',
		typeVersion: 2,
		position: [0, 0],
		webhookId: `path-${number}`,
		credentials: { messagingChannelApi: { id: `credential-${number}`, name: 'Messaging Channel' } },
		...options.node,
		parameters: options.parameters ?? {},
	};
	const nodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	};
	const id = options.workflowId ?? `workflow-${number}`;
	const { workflowName: name } = options;
	const workflow = new Workflow({
		id,
		name,
		nodes: [node, ...(options.copies ?? []).map((more) => ({ ...node, id: 'copy', name: 'Copy', ...more }))],
		connections: {},
		active: false,
		nodeTypes,
		settings: {},
	});
	const log: string[] = [];
	const row = newKeyRow();
	const workflowRow = newKeyRow();
	const rowHelpers = keyRowHelpers(row, workflowRow);

	const additional = (more: object = {}): IWorkflowExecuteAdditionalData => ({
		...additionalData(options.credential),
		webhookBaseUrl: options.bases?.production ?? `${options.n8nUrl}/webhook`,
		webhookTestBaseUrl: options.bases?.test ?? `${options.n8nUrl}/webhook-test`,
		...more,
	});
	const logged = <Context extends object>(context: Context): Context => {
		const write = (line: string) => log.push(line);
		const { instanceId } = options;
		if (instanceId) Object.defineProperty(context, 'getInstanceId', { value: () => instanceId });
		return Object.defineProperty(context, 'logger', { value: { info: write, warn: write, error: write } });
	};
	const webhookData = (isTest: boolean) => ({
		httpMethod: 'POST' as const,
		node: node.name,
		path: '',
		webhookDescription,
		workflowId: id,
		workflowExecuteAdditionalData: additional(),
		isTest,
	});
	const hooks = (mode: WorkflowActivateMode) => {
		const isTest = mode === 'manual';
		const executeMode = isTest ? 'manual' : 'trigger';
		return logged(
			new HookContext(workflow, node, additional(), executeMode, mode, webhookData(isTest)),
		) as IHookFunctions;
	};

	/** The addresses that n8n has taken away, which it does before it calls `delete`: of production, of a test. */
	const absent = new Set<boolean>();

	/** Runs the node in an execution, up to the moment in which the nodes behind it would run. */
	const begin = async (
		items: INodeExecutionData[],
		{ mode = 'webhook', id: executionId = '1' }: TriggerExecution,
		cancelled?: AbortSignal,
	) => {
		const handlers: Array<(run: object) => Promise<void>> = [];
		const hooks = {
			addHandler: (name: string, handler: (run: object) => Promise<void>) => {
				if (name === 'workflowExecuteAfter') handlers.push(handler);
			},
		};
		const end = async () => {
			for (const handler of handlers) await handler({ status: 'success' });
		};
		const input = { main: [items] };
		const execution = newExecution();
		const context = new ExecuteContext(
			workflow,
			node,
			additional({ executionId, hooks }),
			mode,
			execution,
			0,
			items,
			input,
			{ node, data: input, source: null },
			[],
			cancelled,
		);
		Object.assign(context.helpers, rowHelpers);
		const [output = []] = await nodeType.execute.call(logged(context) as unknown as IExecuteFunctions);
		return { output, execution, end };
	};

	let runs = 0;
	let emitted = 0;
	const started: INodeExecutionData[][] = [];
	const reported: string[] = [];
	/** Starts an execution for what the trigger emits, and ends it. */
	const emit: ITriggerFunctions['emit'] = ([items = []], _response, done) => {
		const executionId = `emitted-${++emitted}`;
		const stop = new AbortController();
		void begin(items, { mode: 'trigger', id: executionId }, stop.signal).then(
			async ({ output, execution, end }) => {
				if (output.length > 0) {
					started.push(output);
					if ((await trigger.whileRunning(output)) === 'is stopped') stop.abort();
				}
				await end();
				const data = execution;
				const [startedAt, stoppedAt] = [new Date(), new Date()];
				done?.resolve({ data, mode: 'trigger', status: 'success', startedAt, stoppedAt } as IRun);
			},
			(error: Error) => (done ? done.reject(error) : reported.push(error.message)),
		);
	};

	const trigger: TriggerNode = {
		node,
		workflowId: id,
		workflowSettings: workflow.settings,
		started,
		reported,
		get emitted() {
			return emitted;
		},
		whileRunning: async () => await Promise.resolve('ends'),
		activate: async (mode = 'activate') => {
			absent.delete(mode === 'manual');
			return await nodeType.webhookMethods.default.create.call(hooks(mode));
		},
		deactivate: async (mode = 'activate') => {
			absent.add(mode === 'manual');
			return await nodeType.webhookMethods.default.delete.call(hooks(mode));
		},
		isAbsent: (isTest) => absent.has(isTest),
		watch: async (mode = 'trigger', activation = 'activate') => {
			const context = new TriggerContext(workflow, node, additional(), mode, activation, emit);
			const { closeFunction } = await nodeType.trigger.call(logged(context) as ITriggerFunctions);
			return async () => await closeFunction?.();
		},
		receive: async (httpRequest, httpResponse, isTest) => {
			const mode = isTest ? 'manual' : 'webhook';
			const data = additional({ httpRequest, httpResponse });
			const context = new WebhookContext(workflow, node, data, mode, webhookData(isTest), [], null);
			return await nodeType.webhook.call(logged(context) as IWebhookFunctions);
		},
		execute: async (items, run = {}) => {
			const { output, end } = await begin(items, run);
			await end();
			return output;
		},
		runWorkflow: async (items, mode) => {
			const type = {
				description: nodeType.description,
				async execute(this: IExecuteFunctions) {
					Object.assign(this.helpers, rowHelpers);
					return await nodeType.execute.call(logged(this));
				},
			} as unknown as INodeType;
			const typeOf = (name: string) => (name === node.type ? type : PASSES_ON);
			const nodes = [node, nodeOf('Next'), nodeOf('OnError')];
			const whole = workflowOf(nodes, { [node.name]: { main: [lineTo('Next'), lineTo('OnError')] } }, typeOf);
			whole.id = id;
			const data = additional({
				executionId: `run-${++runs}`,
				hooks: { runHook: async () => await Promise.resolve(), addHandler: () => {} },
				currentNodeExecutionIndex: 0,
			});
			const execution = createRunExecutionData({
				executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
			});
			const ended = await new WorkflowExecute(data, mode, execution).processRunExecutionData(whole);
			const { resultData } = ended.data;
			const itemsOf = (name: string) => resultData.runData[name]?.[0]?.data?.main?.[0] ?? undefined;
			return { next: itemsOf('Next'), onError: itemsOf('OnError'), error: resultData.error };
		},
		get kept() {
			return workflow.getStaticData('node', node);
		},
		log,
		row,
		workflowRow,
	};
	return trigger;
}
