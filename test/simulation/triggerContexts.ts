import { EventEmitter } from 'node:events';

import type { IDataObject, IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { API_KEY, createTransport } from './network';
import type { SimulatedProcess, World } from './process';
import { rowHelpers } from './row';
import { BASE_URL } from './actionContext';
import {
	productionUrl,
	testUrl,
	type EventExecution,
	type HookCall,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from './triggerDatabase';
import type { Delivery } from './webhooks';

/** The trigger of a workflow as n8n has loaded it. */
export interface LoadedTrigger {
	workflow: TriggerWorkflow;
	version: TriggerVersion;
	isTest: boolean;
	/** A copy, which n8n stores or drops afterwards. */
	staticData: IDataObject;
}

/** Resolves to what a process reads or has written in n8n's database. */
export type InDatabase = <T>(effect: string, happen: () => T) => Promise<T>;

/** Lets the trigger change the account's webhook. Resolves to whether it did not throw. */
export type CallHook = (
	hook: HookCall['hook'],
	loaded: LoadedTrigger,
	activation: 'activate' | 'update' | 'init' | 'manual',
) => Promise<boolean>;

/** What Node's response shows of itself. */
export interface SimulatedResponse {
	statusCode: number;
	writableEnded: boolean;
	status(code: number): SimulatedResponse;
	end(): SimulatedResponse;
	json(body: unknown): SimulatedResponse;
	once(event: string, listener: () => void): unknown;
}

/** @param onEnd called once, with the status and the body that are sent */
export function createResponse(onEnd: (status: number, body?: unknown) => void): SimulatedResponse {
	const emitter = new EventEmitter();
	let body: unknown;
	const response: SimulatedResponse = {
		statusCode: 200,
		writableEnded: false,
		once: (event, listener) => emitter.once(event, listener),
		status(code) {
			response.statusCode = code;
			return response;
		},
		end() {
			if (response.writableEnded) return response;
			response.writableEnded = true;
			emitter.emit('prefinish');
			onEnd(response.statusCode, body);
			return response;
		},
		json(value) {
			body = value;
			return response.end();
		},
	};
	return response;
}

/** What n8n hands to the functions of the trigger. */
export function createContexts(process: SimulatedProcess, world: World, database: TriggerDatabase) {
	const { choices } = world;
	const transport = createTransport(process, world);

	const basics = ({ workflow, version, staticData }: LoadedTrigger, onRequest = () => {}) => {
		const parameters: Record<string, unknown> = {
			events: version.events,
			'options.ifWebhookExists': version.ifWebhookExists,
			'options.timeoutSeconds': version.timeoutSeconds,
		};
		return {
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
			getWorkflow: () => ({ id: workflow.id, name: workflow.id, active: workflow.active !== undefined }),
			getWorkflowStaticData: () => staticData,
			getCredentials: async () => {
				await Promise.resolve();
				if (choices.rarely(50)) throw new Error('The database is not ready');
				return { baseUrl: BASE_URL, apiKey: API_KEY, signingSecret: database.signingSecret };
			},
			getNodeParameter: (name: string, ...rest: unknown[]) => parameters[name] ?? rest.at(-1),
			logger: process.logger,
			helpers: {
				httpRequestWithAuthentication: async (
					_type: string,
					{ method, url, qs, body }: { method: string; url: string; qs?: object; body?: object },
				) => {
					onRequest();
					return await transport({
						method,
						path: url.slice(BASE_URL.length),
						query: { ...qs },
						body: { ...body },
					});
				},
				...rowHelpers(process, world, workflow),
			},
		};
	};

	return {
		/** @param onRequest called before each request to the service */
		forHook: (loaded: LoadedTrigger, mode: string, activation: string, onRequest: () => void) =>
			({
				...basics(loaded, onRequest),
				getNodeWebhookUrl: () => (loaded.isTest ? testUrl : productionUrl)(loaded.workflow),
				getActivationMode: () => activation,
				getMode: () => mode,
			}) as unknown as IHookFunctions,

		forDelivery: (loaded: LoadedTrigger, { url, headers, body }: Delivery, response: SimulatedResponse) =>
			({
				...basics(loaded),
				getMode: () => (loaded.isTest ? 'manual' : 'webhook'),
				getResponseObject: () => response,
				getRequestObject: () => ({
					headers,
					rawBody: body,
					readRawBody: async () => await Promise.resolve(),
				}),
				getHeaderData: () => headers,
				getQueryData: () => Object.fromEntries(new URL(url).searchParams),
			}) as unknown as IWebhookFunctions,

		forExecution: (loaded: LoadedTrigger, { id, mode, items }: EventExecution) =>
			({
				...basics(loaded),
				getInputData: () => items,
				getMode: () => mode,
				getExecutionId: () => id,
				continueOnFail: () => false,
			}) as unknown as IExecuteFunctions,
	};
}
