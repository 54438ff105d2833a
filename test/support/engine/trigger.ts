import type { Request, Response } from 'express';
import { buffer } from 'node:stream/consumers';
import type { INodeExecutionData } from 'n8n-workflow';

import type { RawDelivery } from '../service/core/controlServer';
import { startService, type Service } from '../service/service';
import { callerOf } from '../service/testing';
import { useServer } from './server';
import {
	createTriggerNode,
	type TriggerCredential,
	type TriggerNode,
	type TriggerOptions,
} from './triggerNode';

/** A trigger that requests reach, and what became of them. */
export interface Trigger extends TriggerNode {
	/** Changed, it is what n8n reads from then on. */
	credential: TriggerCredential;
	/** The items that n8n started executions with. */
	readonly taken: INodeExecutionData[];
	/** The same for each execution. */
	readonly executions: INodeExecutionData[][];
	/** What n8n answers for the events it is to take, one after the other; then 200. */
	readonly answers: Array<number | Promise<number>>;
	/** The messages of the executions that failed at the trigger; a test that expects some empties it. */
	readonly failed: string[];
}

/** A service and an n8n for the tests of one file, emptied before each. */
export function useTrigger() {
	let service: Service;
	let triggers: Trigger[] = [];
	let read = 0;

	const start = ({ taken, executions }: Trigger, outputs: INodeExecutionData[][]) => {
		taken.push(...outputs.flat());
		executions.push(...outputs);
	};

	/** What n8n does with a request to an address of the trigger. */
	const take = async (request: Request, response: Response) => {
		// n8n reads a form itself.
		if (request.headers['content-type']?.toLowerCase().startsWith('multipart/')) await buffer(request);
		const readRawBody = async () => {
			request.rawBody ??= await buffer(request);
			read++;
		};
		const isTest = /\/[\w-]+-test\//.test(request.path);
		const current =
			triggers.find(({ node }) => request.path.includes(`/${node.webhookId}/`)) ?? triggers.at(-1);
		// What a test before has set going may ask for its trigger still.
		if (!current || current.isAbsent(isTest)) {
			const path = request.path.split('/').slice(-2).join('/');
			response
				.status(404)
				.json({ code: 404, message: `The requested webhook "POST ${path}" is not registered.` });
			return;
		}
		const result = await current
			.receive(Object.assign(request, { readRawBody }), response, isTest)
			.catch((error: Error) => error);
		if (result instanceof Error) {
			current.failed.push(result.message);
			response.status(500).json({ message: 'Workflow Webhook Error: Workflow could not be started!' });
			return;
		}
		const { workflowData, noWebhookResponse } = result;
		if (noWebhookResponse) {
			// n8n starts an execution all the same, when it gets items for one.
			start(current, workflowData ?? []);
			return;
		}
		if (!workflowData) {
			response.json({ message: 'Webhook call received' });
			return;
		}
		const status = await (current.answers.shift() ?? 200);
		if (status === 200) start(current, workflowData);
		response.status(status).end();
	};

	const server = useServer(take);
	beforeAll(async () => {
		service = await startService();
	});
	beforeEach(async () => {
		triggers = [];
		await service.control.reset();
		// A secret of its own for each test: the process remembers which ones it saw verified.
		await callerOf(() => service)('POST', '/webhooks/rotate-secret');
		await service.control.clearRequests();
	});
	afterEach(async () => {
		expect(await service.control.defects()).toEqual([]);
		expect(triggers.flatMap(({ failed }) => failed)).toEqual([]);
	});
	afterAll(async () => await service.stop());

	return {
		get service() {
			return service;
		},
		get n8nUrl() {
			return server.url;
		},
		/** How many requests n8n has read. */
		get read() {
			return read;
		},
		/** A new trigger. Requests go to the one whose address they have, and else to the latest. */
		trigger: async (options: Partial<Omit<TriggerOptions, 'credential'>> = {}): Promise<Trigger> => {
			const { secret: signingSecret } = await service.control.webhook();
			const credential = { baseUrl: service.origin, apiKey: service.apiKey, signingSecret };
			const node = createTriggerNode({
				n8nUrl: server.url,
				credential: () => trigger.credential,
				...options,
			});
			const trigger: Trigger = Object.assign(node, {
				credential,
				taken: [],
				executions: [],
				answers: [],
				failed: [],
			});
			triggers.push(trigger);
			return trigger;
		},
		/** What one hand-made delivery is answered. */
		deliver: async (delivery: Partial<RawDelivery> = {}) => {
			const [attempt] = await service.control.deliver({ body: messageBody(), ...delivery });
			if (!attempt) throw new Error('Nothing was delivered');
			return attempt;
		},
		/** The account's webhook. */
		config: async () => (await service.control.webhook()).config,
		/** What the service was asked for. */
		operations: async () => (await service.control.requests()).map(({ operationId }) => operationId),
	};
}

/** The texts of the messages in items. */
export const textsOf = (items: readonly INodeExecutionData[]): string[] =>
	items.map(({ json }) => (json.message as { body: string }).body);

let messages = 0;

/** The body of a `message.received`, unlike every other. */
export function messageBody(message: object = {}, more: object = {}): string {
	const id = `message-${++messages}`;
	return JSON.stringify({
		event: 'message.received',
		account_id: 'account-1',
		chat: { id: '905551112233@c.us', type: 'individual' },
		message: { id, body: 'Hello', type: 'chat', from_me: false, has_media: false, ...message },
		...more,
	});
}
