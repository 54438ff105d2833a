import './n8nFolder';

import type { Request, Response } from 'express';
import { ExecuteContext, WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IRunExecutionData,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { keyRowHelpers, newKeyRow, type KeyRow } from './keyRow';
import { lineTo, nodeOf, workflowOf } from './workflow';

/** The circumstances in which n8n runs the node. */
export interface Circumstances {
	/** The data of the execution, which the runs of a node share; a new one unless an earlier run's is given. */
	execution?: IRunExecutionData;
	/** '1' unless given; a "Retry execution" has another one. */
	executionId?: string;
	/** `retry` is "Retry execution" in n8n's list; `manual` unless given. */
	mode?: WorkflowExecuteMode;
	/** The row of keys that n8n keeps for the node; a new one unless an earlier run's is given. */
	row?: KeyRow;
	/** Counts the runs of a loop. */
	runIndex?: number;
	/** Whether what the node puts out comes back to it. */
	inLoop?: boolean;
	/** Another node of the workflow, which differs from this one in its name and this. */
	twin?: Partial<INode>;
	/** Whether n8n runs it on a worker, of queue mode. */
	isWorker?: boolean;
	cancelled?: AbortSignal;
}

/** What stands in place of n8n's own. */
interface Replaced {
	/** Asked whenever n8n resolves the credential, whose fields may hold expressions. */
	credential: () => ICredentialDataDecryptedObject;
	/** Stands around every request that n8n's own helper sends. */
	around?: (options: IHttpRequestOptions, send: () => Promise<IN8nHttpFullResponse>) => Promise<unknown>;
	/** Gets the lines of the log. */
	log?: (line: string) => void;
}

/** Where n8n is reached. */
export const N8N_URL = 'http://n8n.example.com';

/** Below which URL executions wait. */
export const waitingAt = { url: N8N_URL };

/** Where n8n's editor is, and the time zone of workflows. */
export const settings = { editorUrl: N8N_URL, timezone: 'Europe/Istanbul' };

type SendAuthenticated = IAllExecuteFunctions['helpers']['httpRequestWithAuthentication'];

const nodeType = new MessagingChannel();

/** The node as n8n offers it to agents. */
const toolType = Object.assign(new MessagingChannel(), {
	description: { ...nodeType.description, name: `${nodeType.description.name}Tool` },
});

const LOOP = nodeOf('Loop', { type: 'n8n-nodes-base.splitInBatches', typeVersion: 3 });

/** An execution that has not run anything yet. */
export function newExecution(): IRunExecutionData {
	const execution = createRunExecutionData();
	// n8n notes it when the execution begins, and its retries bring it along.
	if (execution.executionData)
		execution.executionData.runtimeData = { version: 1, establishedAt: Date.now(), source: 'manual' };
	return execution;
}

/** n8n's own execution context for the node, down to its HTTP client; only the credential store is replaced. */
export function executeContext(
	node: INode,
	items: INodeExecutionData[],
	{ credential, around = async (_options, send) => await send(), log = () => {} }: Replaced,
	{
		execution = newExecution(),
		executionId = '1',
		mode = 'manual',
		row = newKeyRow(),
		runIndex = 0,
		inLoop,
		twin,
		isWorker = false,
		cancelled,
	}: Circumstances = {},
): IExecuteFunctions & ExecuteContext {
	const data = { main: [items] };
	const context = new ExecuteContext(
		workflowWith(node, inLoop, twin),
		node,
		{ ...additionalData(credential), executionId },
		mode,
		execution,
		runIndex,
		items,
		data,
		{ node, data, source: null },
		[],
		cancelled,
	);
	const send = context.helpers.httpRequestWithAuthentication;
	const observed: SendAuthenticated = async function (type, options, credentials) {
		return await around(options, async () => (await send.call(this, type, options, credentials)) as never);
	};
	Object.assign(context.helpers, { httpRequestWithAuthentication: observed, ...keyRowHelpers(row) });
	if (isWorker) Object.assign(context, { instanceSettings: { instanceType: 'worker' } });
	Object.defineProperty(context, 'logger', { value: { info: log, warn: log, error: log, debug: () => {} } });
	return context as IExecuteFunctions & ExecuteContext;
}

/** An execution that waits. */
export interface Waiting extends Pick<Replaced, 'credential'> {
	node: INode;
	execution: IRunExecutionData;
	executionId: string;
}

/** Gives the node a request while its execution waits, in n8n's own context. */
export async function receive(
	{ node, execution, executionId, credential }: Waiting,
	httpRequest: Request,
	httpResponse: Response,
): Promise<IWebhookResponseData> {
	const workflow = workflowWith(node);
	const [webhookDescription] = nodeType.description.webhooks as [IWebhookDescription];
	const additional = { ...additionalData(credential), executionId, httpRequest, httpResponse };
	const webhookData = {
		httpMethod: webhookDescription.httpMethod as 'GET',
		node: node.name,
		path: '',
		webhookDescription,
		workflowId: workflow.id,
		workflowExecuteAdditionalData: additional,
	};
	const context = new WebhookContext(workflow, node, additional, 'manual', webhookData, [], execution);
	return await nodeType.webhook.call(context as IWebhookFunctions);
}

const workflowWith = (node: INode, inLoop = false, twin?: Partial<INode>): Workflow =>
	workflowOf(
		[node, ...(inLoop ? [LOOP] : []), ...(twin ? [{ ...node, name: 'Twin', ...twin }] : [])],
		inLoop ? { Loop: { main: [lineTo(node.name)] }, [node.name]: { main: [lineTo('Loop')] } } : {},
		(type) => (type.endsWith('Tool') ? toolType : nodeType),
		{ id: 'workflow', name: 'Workflow', settings: { timezone: settings.timezone } },
	);

const { authenticate } = new MessagingChannelApi();

type GetDecrypted = Parameters<ICredentialsHelper['getDecrypted']>;

/** The credential as n8n resolves its expressions for an item. */
function resolved(
	data: ICredentialDataDecryptedObject,
	[, , , mode, executeData, , values]: GetDecrypted,
): ICredentialDataDecryptedObject {
	if (!values) return data;
	const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
	return workflow.expression.getParameterValue(
		data as INodeParameters,
		runExecutionData,
		runIndex,
		itemIndex,
		node.name,
		connectionInputData,
		mode,
		{},
		executeData,
		false,
		data as INodeParameters,
	) as ICredentialDataDecryptedObject;
}

/**
 * What n8n hands to every context of a node; only the credential store is replaced.
 *
 * @param credential asked whenever the node reads its credential
 */
export function additionalData(
	credential: () => ICredentialDataDecryptedObject,
): IWorkflowExecuteAdditionalData {
	if (typeof authenticate !== 'function') throw new Error('The credential does not sign requests itself.');
	const credentialsHelper = {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => undefined,
		getDecrypted: async (...given: GetDecrypted) => resolved(credential(), given),
		authenticate: async (data: ICredentialDataDecryptedObject, _type: string, options: IHttpRequestOptions) =>
			await authenticate(data, options),
	};
	// The rest is for other kinds of nodes.
	return {
		credentialsHelper,
		executionId: '1',
		variables: {},
		webhookWaitingBaseUrl: waitingAt.url,
		formWaitingBaseUrl: N8N_URL,
		instanceBaseUrl: `${settings.editorUrl}/`,
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** What n8n's engine needs to run a workflow whose nodes use the account. */
export const dataForRun = (engine: {
	readonly account: ICredentialDataDecryptedObject;
}): IWorkflowExecuteAdditionalData => ({
	...additionalData(() => engine.account),
	hooks: { runHook: async () => await Promise.resolve() } as never,
	currentNodeExecutionIndex: 0,
});
