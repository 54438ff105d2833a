import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { API_KEY, BASE_URL, createTransport, N8N_URL, requestHelper } from './network';
import type { SimulatedProcess, World } from './process';
import { rowHelpers } from './row';
import { contextOf } from './actionContext';
import {
	productionUrl,
	testUrl,
	type EventExecution,
	type HookCall,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from './triggerDatabase';
import { createInternalRequest } from './internalRequests';
import type { Deliver, Delivery } from '../service/events';
import type { SimulatedResponse } from './response';

/** The trigger of a workflow as n8n has loaded it. */
export interface LoadedTrigger {
	workflow: TriggerWorkflow;
	version: TriggerVersion;
	isTest: boolean;
	/** A copy, which n8n stores or drops afterwards. */
	staticData: IDataObject;
}

/**
 * Resolves to what a process reads or has written in n8n's database.
 *
 * @param timesPerLong how many times there are for one that takes long
 */
export type InDatabase = <T>(effect: string, happen: () => T, timesPerLong?: number) => Promise<T>;

/** Lets the trigger change the account's webhook. Resolves to whether it did not throw. */
export type CallHook = (
	hook: HookCall['hook'],
	loaded: LoadedTrigger,
	activation: 'activate' | 'update' | 'init' | 'manual',
) => Promise<boolean>;

/** Calls the trigger's `trigger()`. Resolves to what ends it. */
export type StartTrigger = (loaded: LoadedTrigger, activation: string) => Promise<() => Promise<void>>;

function createDeferredPromise() {
	const settle: { resolve?: (value: unknown) => void; reject?: (error: Error) => void } = {};
	const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
	return { ...settle, promise };
}

/** What n8n hands to the functions of the trigger. */
export function createContexts(
	process: SimulatedProcess,
	world: World,
	database: TriggerDatabase,
	deliver: Deliver,
) {
	const { choices } = world;
	const request = requestHelper(createTransport(process, world));
	const httpRequest = createInternalRequest(process, world, deliver);

	/** The database fails at times. */
	const failRarely = (times: number, message: string): void => {
		if (choices.rarely(times)) throw new Error(message);
	};

	const failingAtTimes = ({ checkProcessedAndRecord, ...others }: ReturnType<typeof rowHelpers>) => ({
		...others,
		checkProcessedAndRecord: async (...asked: Parameters<typeof checkProcessedAndRecord>) => {
			failRarely(30, 'The database is gone');
			return await checkProcessedAndRecord(...asked);
		},
	});

	const basics = (
		{ workflow, version, staticData }: LoadedTrigger,
		onRequest: () => void = () => {},
		onStatus: (status: number) => void = () => {},
	) => {
		const parameters: Record<string, unknown> = {
			events: version.events,
			// Only the world of missed messages lists the messages.
			'options.catchUp': version.catchUpMinutes ?? 0,
			pollInterval: version.pollSeconds,
			'options.takeAnswers': version.takesAnswers ?? false,
			'options.keywords': version.keywords ?? [],
			'options.ifWebhookExists': version.ifWebhookExists,
			'options.timeoutSeconds': version.timeoutSeconds,
			// No chat can wait for its silence within a second.
			'options.combineEvents':
				version.timeoutSeconds === 1 && version.combineEvents ? 'whenBusy' : version.combineEvents,
		};
		return {
			getWorkflowSettings: () => ({}),
			getNode: () => ({
				id: 'trigger',
				name: 'Messaging Channel Trigger',
				type: 'n8n-nodes-messaging-channel.messagingChannelTrigger',
				typeVersion: 2,
				position: [0, 0],
				parameters: version.pollSeconds === undefined ? {} : { listen: 'poll' },
				webhookId: workflow.id,
				credentials: { messagingChannelApi: { id: 'credential', name: 'Account' } },
			}),
			getWorkflow: () => ({ id: workflow.id, name: workflow.id, active: workflow.active !== undefined }),
			getWorkflowStaticData: () => staticData,
			getCredentials: async () => {
				await Promise.resolve();
				failRarely(50, 'The database is not ready');
				return {
					baseUrl: BASE_URL,
					apiKey: API_KEY,
					signingSecret: database.signingSecret,
				};
			},
			getNodeParameter: (name: string, ...rest: unknown[]) => parameters[name] ?? rest.at(-1),
			logger: process.logger,
			helpers: {
				httpRequest,
				httpRequestWithAuthentication: async (...asked: Parameters<typeof request>) => {
					onRequest();
					onStatus(0);
					const response = await request(...asked);
					onStatus(response.statusCode);
					return response;
				},
				createDeferredPromise,
				...failingAtTimes(rowHelpers(process, world, workflow, workflow.sharedRow)),
			},
		};
	};

	return {
		/**
		 * @param onRequest called before each request to the service
		 * @param onStatus called with the status of each response, and with 0 before
		 */
		forHook: (
			loaded: LoadedTrigger,
			mode: string,
			activation: string,
			onRequest: () => void,
			onStatus: (status: number) => void,
		) =>
			contextOf<IHookFunctions>({
				...basics(loaded, onRequest, onStatus),
				getNodeWebhookUrl: () => (loaded.isTest ? testUrl : productionUrl)(loaded.workflow),
				getActivationMode: () => activation,
				getMode: () => mode,
			}),

		/** What finds the state of a trigger. */
		forMemory: (workflow: TriggerWorkflow) => {
			const loaded = { workflow, version: workflow.draft, isTest: false, staticData: {} };
			return contextOf<IWebhookFunctions>(basics(loaded));
		},

		/** n8n gives it the static data that `create` writes. */
		forTrigger: (loaded: LoadedTrigger, activation: string, emit: ITriggerFunctions['emit']) =>
			contextOf<ITriggerFunctions>({
				...basics(loaded),
				getActivationMode: () => activation,
				getMode: () => 'trigger',
				emit,
			}),

		forDelivery: (loaded: LoadedTrigger, { url, headers, body }: Delivery, response: SimulatedResponse) =>
			contextOf<IWebhookFunctions>({
				...basics(loaded),
				getMode: () => (loaded.isTest ? 'manual' : 'webhook'),
				// For a test, too: n8n knows better only when it adds or removes a webhook.
				getNodeWebhookUrl: () => productionUrl(loaded.workflow),
				getResponseObject: () => response,
				getRequestObject: () => ({
					headers,
					rawBody: body,
					readRawBody: async () => await Promise.resolve(),
				}),
				getHeaderData: () => headers,
				getQueryData: () => Object.fromEntries(new URL(url).searchParams),
			}),

		/** @param onEnd gets what is to happen when the execution ends */
		forExecution: (
			loaded: LoadedTrigger,
			execution: EventExecution,
			onEnd: (handler: () => Promise<void>) => void,
		) =>
			contextOf<IExecuteFunctions>({
				...basics(loaded),
				getInputData: () => execution.items,
				getExecuteData: () => ({
					node: basics(loaded).getNode(),
					data: { main: [execution.items] },
					source: null,
				}),
				getMode: () => execution.mode,
				getExecutionId: () => execution.id,
				continueOnFail: () => false,
				onExecutionFinish: onEnd,
				getExecutionCancelSignal: () => undefined,
				getWorkflowDataProxy: () => ({
					$execution: {
						resumeUrl: `${N8N_URL}/webhook-waiting/${execution.id}?signature=of-the-trigger`,
						customData: {
							set: (key: string, value: string) =>
								(execution.customData = { ...execution.customData, [key]: value }),
						},
					},
				}),
			}),
	};
}
