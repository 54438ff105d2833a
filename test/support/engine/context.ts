import './n8nFolder';

import type { Request, Response } from 'express';
import { ExecuteContext, WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IAllExecuteFunctions,
	type ICredentialsHelper,
	type INodeParameters,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INode,
	type INodeExecutionData,
	type INodeTypes,
	type IRunExecutionData,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { keyRowHelpers, type KeyRow } from './keyRow';

/** What the engine is given for one run of the node. */
export interface ContextOptions {
	node: INode;
	items: INodeExecutionData[];
	/** Asked whenever n8n resolves the credential, whose fields may hold expressions. */
	credential: () => ICredentialDataDecryptedObject;
	/** The data of the execution, which the runs of a node share. */
	execution: IRunExecutionData;
	executionId: string;
	mode: WorkflowExecuteMode;
	runIndex: number;
	row: KeyRow;
	/** Whether what the node puts out comes back to it. */
	inLoop?: boolean;
	/** Another node of the workflow, by its differences from this one. */
	twin?: Partial<INode>;
	/** Whether n8n runs it on a worker, of queue mode. */
	isWorker?: boolean;
	cancelled?: AbortSignal;
	/** Stands around every request that n8n's own helper sends. */
	around: (options: IHttpRequestOptions, send: () => Promise<IN8nHttpFullResponse>) => Promise<unknown>;
	/** Gets the lines of the log. */
	log: (line: string) => void;
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

const typeOf = (type: string) => (type.endsWith('Tool') ? toolType : nodeType);

const nodeTypes: INodeTypes = {
	getByName: typeOf,
	getByNameAndVersion: typeOf,
	getKnownTypes: () => ({}),
};

const LOOP: INode = {
	id: 'loop',
	name: 'Loop',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	position: [0, 0],
	parameters: {},
};

const lineTo = (from: string, to: string): IConnections => ({
	[from]: { main: [[{ node: to, type: 'main', index: 0 }]] },
});

/** An execution that has not run anything yet. */
export function newExecution(): IRunExecutionData {
	const execution = createRunExecutionData();
	// n8n notes it when the execution begins, and its retries bring it along.
	if (execution.executionData)
		execution.executionData.runtimeData = { version: 1, establishedAt: Date.now(), source: 'manual' };
	return execution;
}

/** n8n's own execution context for the node, down to its HTTP client; only the credential store is replaced. */
export function executeContext({
	node,
	items,
	credential,
	execution,
	executionId,
	mode,
	runIndex,
	row,
	inLoop,
	twin,
	isWorker = false,
	cancelled,
	around,
	log,
}: ContextOptions): IExecuteFunctions & ExecuteContext {
	const workflow = workflowOf(node, inLoop, twin);
	const data = { main: [items] };
	const executeData = { node, data, source: null };
	const context = new ExecuteContext(
		workflow,
		node,
		{ ...additionalData(credential), executionId },
		mode,
		execution,
		runIndex,
		items,
		data,
		executeData,
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

/** Gives the node a request while its execution waits, in n8n's own context. */
export async function receive(
	{
		node,
		execution,
		executionId,
		credential,
	}: Pick<ContextOptions, 'node' | 'execution' | 'executionId' | 'credential'>,
	httpRequest: Request,
	httpResponse: Response,
): Promise<IWebhookResponseData> {
	const workflow = workflowOf(node);
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

function workflowOf(node: INode, inLoop = false, twin?: Partial<INode>): Workflow {
	return new Workflow({
		id: 'workflow',
		name: 'Workflow',
		nodes: [node, ...(inLoop ? [LOOP] : []), ...(twin ? [{ ...node, name: 'Twin', ...twin }] : [])],
		connections: inLoop ? { ...lineTo(LOOP.name, node.name), ...lineTo(node.name, LOOP.name) } : {},
		active: false,
		nodeTypes,
		settings: { timezone: settings.timezone },
	});
}

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
	const addresses = {
		webhookWaitingBaseUrl: waitingAt.url,
		formWaitingBaseUrl: N8N_URL,
		instanceBaseUrl: `${settings.editorUrl}/`,
	};
	// The rest is for other kinds of nodes.
	return {
		credentialsHelper,
		executionId: '1',
		variables: {},
		...addresses,
	} as unknown as IWorkflowExecuteAdditionalData;
}
