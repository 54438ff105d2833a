import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { openDoor } from '../../../../nodes/MessagingChannel/trigger/delivery/door';
import { receive } from '../../../../nodes/MessagingChannel/trigger/delivery/receive';
import {
	requestHeader,
	REQUEST_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber, Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { replaceTriggerClock } from '../../../support/engine/triggerClock';
import { OWN_URL, triggerOf, workflow, type Answer, type Response } from '../activation/triggerOf';
import { delivery, NOW, SECRET } from '../deliveries';

export const MINUTE = 60_000;

/** Lets everything happen that waits for no time. */
export const settled = async () => {
	for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

let events = 0;

/** A received message, unlike every other. */
export const message = (more: IDataObject = {}): IDataObject => ({
	event: 'message.received',
	account_id: 'account-1',
	chat: { id: '905551112233@c.us', type: 'individual' },
	message: { id: `message-${++events}`, body: 'Hello', type: 'chat', from_me: false },
	...more,
});

export interface Request {
	body?: IDataObject;
	headers?: Record<string, string | undefined>;
	query?: IDataObject;
	mode?: 'webhook' | 'manual';
	/** What n8n responds with when it gets the event; `none` if it drops the response. */
	acceptance?: number | Promise<number> | 'none';
}

interface Options {
	/** `options.` and the name of each. */
	parameters?: IDataObject;
	kept?: IDataObject;
	/** Those of the workflow. */
	settings?: IDataObject;
	respond?: () => Response;
	/** How the workflows at these URLs respond. */
	answer?: (url: string) => Answer | undefined | Promise<Answer>;
}

export const OTHER = workflow('https://n8n.example.com/webhook/other/webhook');

/** In the URL of a hub that shares the webhook. */
export const queryOf = (subscribers: Subscribers): IDataObject =>
	Object.fromEntries(new URL(registrationOf(subscribers, SECRET).url).searchParams);
export const sharedWith = (other: Subscriber) => queryOf([workflow(OWN_URL), other]);
export const SHARED = sharedWith(OTHER);

let triggers = 0;

/** Receives deliveries by a clock that stands until the test moves it. */
export function useReceiver() {
	let now = NOW;
	/** What ends the waits, which take no time by themselves. */
	const waits: Array<{ ms: number; wake: () => void }> = [];
	beforeEach(() => {
		now += 180 * MINUTE;
		waits.length = 0;
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		replaceTriggerClock(
			() => now,
			async (ms, signal) =>
				await new Promise((wake, reject) => {
					waits.push({ ms, wake });
					signal?.addEventListener('abort', () => reject(new Error('It is over')));
				}),
		);
	});
	afterEach(() => void jest.restoreAllMocks());

	/** A trigger of which this process knows nothing yet. */
	function newTrigger({ parameters = {}, kept = {}, settings = {}, ...others }: Options = {}) {
		const id = `node-${++triggers}`;
		const { context, log, asked } = triggerOf({
			baseUrl: `https://trigger-${triggers}.example.com`,
			parameters: { events: ['message.received', 'message.sent'], ...parameters },
			kept,
			secret: SECRET,
			...others,
		});
		const credential = jest.spyOn(context, 'getCredentials');
		/** The items of each execution. */
		const executions: IDataObject[][] = [];

		/** Resolves to what the service receives. */
		const get = async ({
			body = message(),
			query = {},
			mode = 'webhook',
			acceptance = 200,
			...more
		}: Request = {}) => {
			const rawBody = Buffer.from(JSON.stringify(body));
			const { headers } = delivery(rawBody, {
				'x-service-timestamp': String(now / 1000),
				'x-service-event-id': `event-${++events}`,
				...more.headers,
			});
			const received: { status?: number; body?: unknown; headers: IDataObject } = { headers: {} };
			const response = {
				statusCode: 200,
				writableEnded: false,
				setHeader: (name: string, value: string) => void (received.headers[name] = value),
				removeHeader: () => {},
				status: (status: number) => void (response.statusCode = status),
				json: (content: unknown) => {
					received.body = content;
					response.end();
				},
				end: () => {
					response.writableEnded = true;
					received.status = response.statusCode;
				},
			};
			const request = {
				headers,
				rawBody: undefined as Buffer | undefined,
				readRawBody: async () => {
					// n8n has read a form by then.
					if (/^multipart/i.test(String(headers['content-type']))) throw new Error('stream is not readable');
					await Promise.resolve();
					request.rawBody = rawBody;
				},
			};
			const requested = {
				...context,
				getWorkflowSettings: () => settings,
				getNode: () => ({ id, name: 'Listens', parameters }),
				getMode: () => mode,
				getQueryData: () => query,
				getHeaderData: () => headers,
				getRequestObject: () => request,
				getResponseObject: () => response,
			};
			const result = await receive(await openDoor(requested as unknown as IWebhookFunctions));
			executions.push(...(result.workflowData ?? []).map((items) => items.map(({ json }) => json)));
			if (!result.noWebhookResponse && acceptance !== 'none') {
				response.status(await acceptance);
				response.end();
			}
			await settled();
			return received;
		};
		return { get, executions, credential, log, asked };
	}

	/** A request of another trigger. */
	const from = (kind: Parameters<typeof requestHeader>[0], body: IDataObject, secret = SECRET) => ({
		body,
		headers: { [REQUEST_HEADER]: requestHeader(kind, Buffer.from(JSON.stringify(body)), secret, now) },
	});

	return {
		newTrigger,
		from,
		now: () => now,
		/** Lets time pass. */
		pass: (ms: number) => void (now += ms),
		/** Ends the waits. Returns how long the longest of them was, in milliseconds. */
		elapse: () => {
			const ended = waits.splice(0);
			for (const { wake } of ended) wake();
			return Math.max(...ended.map(({ ms }) => ms));
		},
	};
}

export type ReceivingTrigger = ReturnType<ReturnType<typeof useReceiver>['newTrigger']>;
