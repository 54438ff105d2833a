import type {
	IDataObject,
	IHookFunctions,
	IHttpRequestOptions,
	ITriggerFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import {
	REQUEST_HEADER,
	RESPONSE_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { registrationOf, subscribersIn } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber, Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';

const SECRET = 'secret';
export const OWN_URL = 'https://n8n.example.com/webhook/own/webhook';
export const NO_WEBHOOK: Response = { statusCode: 200, body: { success: true, data: null } };

export const workflow = (url: string): Subscriber => ({
	url,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
});

export const OWN = workflow(OWN_URL);
export const HUB = workflow('https://n8n.example.com/webhook/hub/webhook');
export const OTHER_N8N = workflow('https://other.example.com/webhook/hub/webhook');
export const CRM: Subscriber = { ...workflow('https://crm.example.com/api'), kind: 'external' };
/** A test of a workflow, until this time in Unix seconds. */
export const testUntil = (expiresAt: number): Subscriber => ({
	...workflow('https://n8n.example.com/webhook-test/test/webhook'),
	kind: 'test',
	expiresAt,
});

const NAMES = new Map([
	[OWN.url, 'own'],
	[HUB.url, 'hub'],
	[OTHER_N8N.url, 'other n8n'],
	[CRM.url, 'crm'],
	[testUntil(0).url, 'other'],
]);

/** The webhook of these subscribers, as the service has it. */
export const webhookOf = (subscribers: Subscribers, secret = SECRET) => {
	const { url, events, timeoutSeconds } = registrationOf(subscribers, secret);
	return { url, events: [...events], timeout_seconds: timeoutSeconds };
};

export interface Response {
	statusCode: number;
	body: unknown;
}

/** How something at a URL responds to the question of a trigger; undefined if it does not. */
export type Answer = { status: number; isTrigger?: boolean; body?: object } | undefined;

interface Trigger {
	/** That of a service of which this process knows nothing yet. */
	baseUrl: string;
	mode?: WorkflowActivateMode;
	parameters?: IDataObject;
	kept?: IDataObject;
	secret?: string;
	/** The URL of the trigger; `OWN_URL` unless given. */
	ownUrl?: string;
	/** How the service responds; it has no webhook unless given. */
	respond?: (options: IHttpRequestOptions) => Response | Promise<Response>;
	/** How the others respond. */
	answer?: (url: string) => Answer | Promise<Answer>;
}

/** A trigger in n8n, with what it logs and what it asks others: the kind of the request and the URL. */
export function triggerOf({
	baseUrl,
	mode = 'init',
	parameters = {},
	kept = {},
	ownUrl = OWN_URL,
	respond = () => NO_WEBHOOK,
	...trigger
}: Trigger) {
	const values: IDataObject = { events: ['message.received'], ...parameters };
	const log: string[] = [];
	const asked: string[] = [];
	const write = (line: string) => log.push(line);
	const credential = { baseUrl, apiKey: 'key', signingSecret: trigger.secret ?? SECRET };
	const context = {
		getActivationMode: () => mode,
		getInstanceId: () => 'instance',
		getWorkflowSettings: () => ({}),
		getNode: () => ({ id: 'node', name: 'Listens', parameters }),
		getWorkflow: () => ({ id: 'workflow', name: 'Support' }),
		getWorkflowStaticData: () => kept,
		getNodeParameter: (name: string, fallback: unknown) => values[name] ?? fallback,
		getNodeWebhookUrl: (name: string) => (name === 'default' ? ownUrl : undefined),
		getCredentials: async () => await Promise.resolve(credential),
		logger: { info: write, warn: write },
		helpers: {
			httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) => ({
				headers: {},
				...(await respond(options)),
			}),
			httpRequest: async ({ url, headers }: IHttpRequestOptions) => {
				const [kind] = String(headers?.[REQUEST_HEADER]).split('.');
				asked.push(`${kind} ${url}`);
				const answer = await trigger.answer?.(url);
				if (!answer) throw new Error('There was no response');
				const { status: statusCode, isTrigger, body } = answer;
				return await Promise.resolve({
					statusCode,
					headers: isTrigger ? { [RESPONSE_HEADER]: '1' } : {},
					body,
				});
			},
		},
	} as unknown as IHookFunctions & ITriggerFunctions;
	return { context, credential, kept, log, asked };
}

let services = 0;

/** A trigger at a service of which this process knows nothing yet. */
export function newTrigger(options: Partial<Trigger> = {}) {
	const baseUrl = `https://service-${++services}.example.com`;
	const { context, ...trigger } = triggerOf({ baseUrl, mode: 'activate', ...options });
	return { ...trigger, trigger: activatedTriggerOf(context) };
}

/** A service with this webhook. */
export function serviceWith(initial: IDataObject | null) {
	const service = {
		webhook: initial,
		/** Who gets the events since a change, the hub first, as `own, external crm`. */
		get changedTo() {
			if (service.webhook === initial) return undefined;
			const url = String(service.webhook?.url);
			const receivers = subscribersIn(url, SECRET)?.subscribers ?? [{ kind: 'alone', url }];
			return receivers
				.map(({ kind, url }) => `${kind} ${NAMES.get(url) ?? url}`.replace('workflow ', ''))
				.join(', ');
		},
		/** The requests, by method and the end of the path. */
		requests: [] as string[],
		respond: ({ method, url, body }: IHttpRequestOptions): Response => {
			const path = url.split('/').at(-1);
			service.requests.push(`${method} ${path}`);
			if (path === 'test') return { statusCode: 404, body: { error: 'invalid_request' } };
			if (path === 'account') return { statusCode: 200, body: { success: true, data: { id: 'account-1' } } };
			if (method === 'POST') service.webhook = body as IDataObject;
			if (method === 'DELETE') service.webhook = null;
			return { statusCode: 200, body: { success: true, data: service.webhook } };
		},
	};
	return service;
}
