import { createHmac } from 'node:crypto';

import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { NODE_ID, actionContext, contextOf, type ActionRun, type NodeSettings } from '../n8n/actionContext';
import { API_KEY, BASE_URL, N8N_URL } from '../n8n/network';
import type { SimulatedResponse } from '../n8n/response';
import { SIGNING_KEY, type ExecutionData, type LinkRequest, type Question } from './database';

/** n8n's signature of a link. */
export const signatureOf = (url: URL): string => {
	const signed = new URL(url);
	signed.searchParams.delete('signature');
	return createHmac('sha256', SIGNING_KEY).update(`${signed.pathname}${signed.search}`).digest('hex');
};

/** The node's parameters that ask a question. */
function parametersOf({
	to,
	text,
	responseType,
	limitMinutes,
	isInChat,
	responders = [],
}: Question): Record<string, unknown> {
	const limit = { limitType: 'afterTimeInterval', resumeAmount: limitMinutes, resumeUnit: 'minutes' };
	return {
		resource: 'message',
		operation: 'sendAndWait',
		to,
		message: text,
		responseType,
		approvalOptions: { values: { approvalType: 'double' } },
		options: {
			...(limitMinutes !== undefined && { limitWaitTime: { values: limit } }),
			...(isInChat && { answerInChat: true }),
			...(responders.length > 0 && { allowedResponders: responders.join(', ') }),
		},
	};
}

/** What n8n hands to `execute` of the action node when it asks, and the entry of the node on n8n's stack. */
export function askingContext(
	run: Pick<ActionRun, 'process' | 'transport' | 'world' | 'database' | 'execution' | 'cancelled'>,
	question: Question,
	{ onError }: NodeSettings,
	data: ExecutionData,
) {
	const stack = { data: { main: [data.input] }, node: {} };
	const parameters = parametersOf(question);
	const context = Object.assign(
		actionContext({
			...run,
			items: data.input,
			parameterOf: (parameter) => parameters[parameter],
			onError,
			runIndex: data.pass,
			nodeData: data.nodeData,
		}),
		{
			getExecuteData: () => stack,
			putExecutionToWait: async (waitTill: Date) => {
				data.waitTill = waitTill.getTime();
				return await Promise.resolve();
			},
			getSignedResumeUrl: (query: Record<string, string>) => {
				const url = new URL(`${N8N_URL}/webhook-waiting/${run.execution.id}/${NODE_ID}`);
				for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
				url.searchParams.set('signature', signatureOf(url));
				return url.href;
			},
		},
	) as unknown as IExecuteFunctions;
	stack.node = context.getNode();
	return { context, stack };
}

/** What n8n hands to `webhook` of the action node. */
export function linkContext(
	{ method, fields, reply }: LinkRequest,
	url: URL,
	{ nodeData }: ExecutionData,
	response: SimulatedResponse,
): IWebhookFunctions {
	return contextOf<IWebhookFunctions>({
		getNode: () => ({ name: 'Messaging Channel' }),
		getHeaderData: () => reply?.headers ?? {},
		getCredentials: async () => await Promise.resolve({ baseUrl: BASE_URL, apiKey: API_KEY }),
		getQueryData: () => Object.fromEntries(url.searchParams),
		getBodyData: () => ({ data: fields, files: {} }),
		getRequestObject: () => ({
			method,
			path: url.pathname,
			rawBody: reply?.body,
			readRawBody: async () => await Promise.resolve(),
		}),
		getResponseObject: () => response,
		evaluateExpression: (expression: string) => {
			const [, key = ''] = /context\["(\w+)"\]/.exec(expression) ?? [];
			return nodeData[key];
		},
	});
}
