import './n8nFolder';

import type { Request, Response } from 'express';
import { ExecuteContext, HookContext, TriggerContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
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
	type IWorkflowExecuteAdditionalData,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { keyRowHelpers, newKeyRow } from './keyRow';
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

export type TriggerNode = ReturnType<typeof createTriggerNode>;

/** A trigger of which this process knows nothing yet, in n8n's own contexts. */
export function createTriggerNode(options: TriggerOptions) {
	const number = ++triggers;
	const node = nodeOf('Listens', {
		id: 'node',
		type: 'n8n-nodes-messaging-channel.messagingChannelTrigger',
		typeVersion: 2,
		webhookId: `path-${number}`,
		credentials: { messagingChannelApi: { id: `credential-${number}`, name: 'Messaging Channel' } },
		...options.node,
		parameters: options.parameters ?? {},
	});
	const { copies = [], workflowId: id = `workflow-${number}`, workflowName: name } = options;
	const all = [node, ...copies.map((more) => ({ ...node, id: 'copy', name: 'Copy', ...more }))];
	const workflow = workflowOf(all, {}, () => nodeType, { id, name, settings: {} });
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

	const trigger = {
		node,
		workflowId: id,
		/** The settings of its workflow, which somebody may change while it is published. */
		workflowSettings: workflow.settings,
		/** The executions that the trigger started by itself and that put something out, in their order. */
		started,
		/** What executions said that it started only to report something. */
		reported,
		/** How many executions the trigger started by itself. */
		get emitted() {
			return emitted;
		},
		/** What goes on between the start of such an execution and its end, unless its signal says that n8n stops it. */
		whileRunning: (async () => await Promise.resolve('ends')) as (
			items: INodeExecutionData[],
		) => Promise<'ends' | 'is stopped'>,
		activate: async (mode: WorkflowActivateMode = 'activate') => {
			absent.delete(mode === 'manual');
			return await nodeType.webhookMethods.default.create.call(hooks(mode));
		},
		/** @param mode that of the activation which ends; `manual` for a test */
		deactivate: async (mode: WorkflowActivateMode = 'activate') => {
			absent.add(mode === 'manual');
			return await nodeType.webhookMethods.default.delete.call(hooks(mode));
		},
		/** Whether n8n has taken its address away. */
		isAbsent: (isTest: boolean) => absent.has(isTest),
		/**
		 * Begins to look after the subscription, or to poll, as n8n does on the leader.
		 *
		 * @param activation why n8n starts it
		 * @returns what ends it
		 */
		watch: async (mode: WorkflowExecuteMode = 'trigger', activation: WorkflowActivateMode = 'activate') => {
			const context = new TriggerContext(workflow, node, additional(), mode, activation, emit);
			const { closeFunction } = await nodeType.trigger.call(logged(context) as ITriggerFunctions);
			return async () => await closeFunction?.();
		},
		/** Takes a request. */
		receive: async (httpRequest: Request, httpResponse: Response, isTest: boolean) => {
			const mode = isTest ? 'manual' : 'webhook';
			const data = additional({ httpRequest, httpResponse });
			const context = new WebhookContext(workflow, node, data, mode, webhookData(isTest), [], null);
			return await nodeType.webhook.call(logged(context) as IWebhookFunctions);
		},
		/** Runs for items, as n8n does once it has taken an event. */
		execute: async (items: INodeExecutionData[], run: TriggerExecution = {}) => {
			const { output, end } = await begin(items, run);
			await end();
			return output;
		},
		/** Runs the workflow for items, with what n8n itself makes of the node's settings, up to the nodes behind the trigger. */
		runWorkflow: async (items: INodeExecutionData[], mode: WorkflowExecuteMode): Promise<WorkflowRun> => {
			const type = {
				description: nodeType.description,
				async execute(this: IExecuteFunctions) {
					Object.assign(this.helpers, rowHelpers);
					return await nodeType.execute.call(logged(this));
				},
			} as unknown as INodeType;
			const typeOf = (name: string) => (name === node.type ? type : PASSES_ON);
			const nodes = [node, nodeOf('Next'), nodeOf('OnError')];
			const lines = { [node.name]: { main: [lineTo('Next'), lineTo('OnError')] } };
			const whole = workflowOf(nodes, lines, typeOf, { id });
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
		/** What n8n keeps with the workflow. */
		get kept(): IDataObject {
			return workflow.getStaticData('node', node);
		},
		log,
		/** What outlives the process. */
		row,
		/** The same, of all nodes of the workflow. */
		workflowRow,
	};
	return trigger;
}
