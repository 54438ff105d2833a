import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { createResponseGate, type ResponseGate } from '../../n8n/responseGate';
import { CHECK_PARAMETER } from '../../webhook/checkUrl';
import { SUBSCRIBERS_PARAMETER } from '../../webhook/sharedUrl';
import { clock } from '../account/clock';
import { REQUEST_HEADER, RESPONSE_HEADER } from '../sharing/internalRequest';
import { isPolling } from './options';
import { reportItem, type Report } from './reports';
import { stateOf, type TriggerState } from './state';
import { triggerOf, type Trigger } from './trigger';
import type { Delivery } from './verify';

/** What the trigger responds itself. n8n responds to an event that it takes. */
export interface Answer {
	status: number;
	error?: string;
	body?: object;
	/** What an execution shows the user. */
	report?: Report;
}

/** A request to the trigger, and what it takes to receive it: all that is read of n8n's context. */
export interface Door extends Trigger {
	/**
	 * Whether it can be an event. It cannot at a trigger that polls, or if it asks a test to start with the latest message, which
	 * needs no signature.
	 */
	mayBeEvent: boolean;
	/** The request as a delivery, before anything of it is verified. */
	delivery: Delivery;
	/** The token of a check, and the list of subscribers, in the URL that was called. */
	query: { check: unknown; subscribers: unknown };
	/** The URL of the trigger. n8n gives a test the URL of production. */
	ownUrl: string;
	state: TriggerState;
	/** That of `clock.elapsed`. */
	receivedAt: number;
	gate: ResponseGate;
	/** Sends a response. A return value cannot set its status. */
	respond: (answer: Answer) => IWebhookResponseData;
}

/** Reads a request of n8n. */
export async function openDoor(context: IWebhookFunctions): Promise<Door> {
	const trigger = triggerOf(context, context.getMode() === 'manual');
	const { node, isTest, isSetToEngine2 } = trigger;
	const response = context.getResponseObject();
	const hasWebhook = !isPolling(node);
	// Another trigger that forwards events then knows who listens here.
	if (isTest || hasWebhook) response.setHeader(RESPONSE_HEADER, '1');
	const mayBeEvent = hasWebhook && !(isTest && context.getHeaderData()[REQUEST_HEADER] === 'fetch');
	const query = context.getQueryData() as IDataObject;
	return {
		...trigger,
		mayBeEvent,
		delivery: await deliveryOf(context, mayBeEvent),
		query: { check: query[CHECK_PARAMETER], subscribers: query[SUBSCRIBERS_PARAMETER] },
		ownUrl: context.getNodeWebhookUrl('default') ?? '',
		state: stateOf(trigger),
		receivedAt: clock.elapsed(),
		gate: createResponseGate(response),
		respond({ status, error, body = error === undefined ? undefined : { error }, report }) {
			response.status(status);
			if (body) response.json(body);
			else response.end();
			// Engine 2.0 would run the nodes behind the trigger with a report.
			const isShown = report !== undefined && !isSetToEngine2;
			return { noWebhookResponse: true, ...(isShown && { workflowData: [[reportItem(report)]] }) };
		},
	};
}

async function deliveryOf(context: IWebhookFunctions, mayBeEvent: boolean): Promise<Delivery> {
	const request = context.getRequestObject();
	const { headers } = request;
	// n8n parses a multipart form for its files and keeps no raw bytes.
	if (!mayBeEvent || /^multipart\//i.test(String(headers['content-type'])))
		return { headers, rawBody: undefined };
	await request.readRawBody();
	return { headers, rawBody: request.rawBody };
}
