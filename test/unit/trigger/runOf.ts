import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { keyRowHelpers, newKeyRow } from '../../support/engine/keyRow';

export const WAITING_URL = 'https://n8n.example.com/webhook-waiting';
export const API_KEY = 'key';

export interface Response {
	statusCode: number;
	body: unknown;
	headers?: IDataObject;
}

interface Node {
	/** `options.` and the name of each; a function is an expression, which is called with the index of the item. */
	parameters?: Record<string, unknown>;
	onError?: INode['onError'];
	/** How the service responds. */
	respond?: (path: string) => Response | Promise<Response>;
	/** How the page at a link responds to a request. */
	respondAt?: (options: IHttpRequestOptions) => Response | Promise<Response>;
}

interface Run {
	mode?: WorkflowExecuteMode;
	executionId?: string;
}

let nodes = 0;

/** A trigger of which this process knows nothing yet, in a workflow of its own. */
export function newNode({ parameters = {}, onError, ...others }: Node = {}) {
	const id = ++nodes;
	const [row, sharedRow] = [newKeyRow(), newKeyRow()];
	const log: string[] = [];
	/** The paths that the service was asked for. */
	const requests: string[] = [];
	/** The custom data of the executions. */
	const customData = new Map<string, string>();
	/** End the executions. */
	const ends: Array<() => Promise<void>> = [];
	const note = (line: string) => void log.push(line);
	const node = { id: `node-${id}`, name: 'Listens', parameters: {}, ...(onError && { onError }) };
	const credential = { baseUrl: `https://run-${id}.example.com`, apiKey: API_KEY };

	/** The context of an execution with these items. */
	const runOf = (
		items: INodeExecutionData[],
		{ mode = 'webhook', executionId = '1' }: Run = {},
	): IExecuteFunctions => {
		const execution = { resumeUrl: `${WAITING_URL}/${executionId}`, customData };
		const parts = {
			getInputData: () => items,
			getMode: () => mode,
			getExecutionId: () => executionId,
			getNode: () => node,
			getExecuteData: () => ({ node, data: { main: [items] } }),
			getWorkflow: () => ({ id: `workflow-${id}` }),
			getNodeParameter: (name: string, index: number, fallback?: unknown) => {
				if (!(index >= 0 && index < Math.max(1, items.length))) throw new Error('There is no such item');
				const value = parameters[name] ?? fallback;
				return typeof value === 'function' ? (value as (item: number) => unknown)(index) : value;
			},
			getCredentials: async () => await Promise.resolve(credential),
			getWorkflowDataProxy: () => ({ $execution: execution }),
			getExecutionCancelSignal: () => undefined,
			onExecutionFinish: (end: () => Promise<void>) => void ends.push(end),
			continueOnFail: () => onError?.startsWith('continue') ?? false,
			logger: { info: note, warn: note, error: note },
			helpers: {
				prepareBinaryData: async (stream: Readable, fileName: string, mimeType: string) => ({
					data: await text(stream),
					fileName,
					mimeType,
				}),
				...keyRowHelpers(row, sharedRow),
				httpRequestWithAuthentication: async (_: string, { url }: IHttpRequestOptions) => {
					const path = new URL(url).pathname;
					requests.push(path);
					if (!others.respond) throw new Error(`Nobody expects a request for ${path}`);
					return { headers: {}, ...(await others.respond(path)) };
				},
				httpRequest: async (options: IHttpRequestOptions) => {
					if (!others.respondAt) throw new Error(`Nobody expects a request to ${options.url}`);
					return { headers: {}, ...(await others.respondAt(options)) };
				},
			},
		};
		return parts as unknown as IExecuteFunctions;
	};
	return { runOf, row, sharedRow, log, requests, customData, ends };
}
