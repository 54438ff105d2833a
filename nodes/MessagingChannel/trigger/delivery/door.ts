import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { ErrorTexts } from '../../api/errors';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { isSetToEngine2 } from '../../n8n/engine';
import { httpRequestOf, type HttpRequest } from '../../n8n/httpRequest';
import { createResponseGate, type ResponseGate } from '../../n8n/responseGate';
import { CHECK_PARAMETER } from '../../webhook/checkUrl';
import { SUBSCRIBERS_PARAMETER } from '../../webhook/sharedUrl';
import { RESPONSE_HEADER } from '../sharing/internalRequest';
import { receivingProblem } from './nodeSettings';
import type { TriggerParameters } from './options';
import { reportItem, type Report } from './reports';
import { credentialIdOf } from './secretCache';
import { savedStateOf, stateOf, type SavedState, type TriggerState } from './state';
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
export interface Door {
	/** The request as a delivery, before anything of it is verified. */
	delivery: Delivery;
	/** The token of a check, and the list of subscribers, in the URL that was called. */
	query: { check: unknown; subscribers: unknown };
	/** The URL of the trigger. n8n gives a test the URL of production. */
	ownUrl: string;
	isTest: boolean;
	parameters: TriggerParameters;
	saved: SavedState;
	state: TriggerState;
	/** Why no execution may start with an event; undefined if one may. */
	problem: () => ErrorTexts | undefined;
	instanceId: () => string;
	workflowName: () => string | undefined;
	credentialId: string;
	credential: () => Promise<ICredentialDataDecryptedObject>;
	/** Connects to the service. */
	connect: () => Promise<Client>;
	request: HttpRequest;
	gate: ResponseGate;
	/** Sends a response. A return value cannot set its status. */
	respond: (answer: Answer) => IWebhookResponseData;
}

/** Reads a request of n8n. */
export async function openDoor(context: IWebhookFunctions): Promise<Door> {
	const response = context.getResponseObject();
	response.setHeader(RESPONSE_HEADER, '1');
	const query = context.getQueryData() as IDataObject;
	return {
		delivery: await deliveryOf(context),
		query: { check: query[CHECK_PARAMETER], subscribers: query[SUBSCRIBERS_PARAMETER] },
		ownUrl: context.getNodeWebhookUrl('default') ?? '',
		isTest: context.getMode() === 'manual',
		parameters: context,
		saved: savedStateOf(context),
		state: stateOf(context),
		problem: () => receivingProblem(context),
		instanceId: () => context.getInstanceId(),
		workflowName: () => context.getWorkflow().name,
		credentialId: credentialIdOf(context.getNode()),
		credential: async () => await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL),
		connect: async () => await connect(context),
		request: httpRequestOf(context),
		gate: createResponseGate(response),
		respond({ status, error, body = error === undefined ? undefined : { error }, report }) {
			response.status(status);
			if (body) response.json(body);
			else response.end();
			// Engine 2.0 would run the nodes behind the trigger with a report.
			const isShown = report !== undefined && !isSetToEngine2(context);
			return { noWebhookResponse: true, ...(isShown && { workflowData: [[reportItem(report)]] }) };
		},
	};
}

async function deliveryOf(context: IWebhookFunctions): Promise<Delivery> {
	const request = context.getRequestObject();
	const { headers } = request;
	// n8n parses a multipart form for its files and keeps no raw bytes.
	if (/^multipart\//i.test(String(headers['content-type']))) return { headers, rawBody: undefined };
	await request.readRawBody();
	return { headers, rawBody: request.rawBody };
}
