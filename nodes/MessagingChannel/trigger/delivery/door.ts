import type { ICredentialDataDecryptedObject, IDataObject, IWebhookFunctions } from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { ErrorTexts } from '../../api/errors';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { isSetToEngine2 } from '../../n8n/engine';
import { httpRequestOf, type HttpRequest } from '../../n8n/httpRequest';
import { createResponseGate, type ResponseGate } from '../../n8n/responseGate';
import { CHECK_PARAMETER } from '../../webhook/checkUrl';
import { SUBSCRIBERS_PARAMETER } from '../../webhook/sharedUrl';
import { receivingProblem } from './nodeSettings';
import type { TriggerParameters } from './options';
import { savedStateOf, type SavedState } from './savedState';
import { credentialIdOf } from './secretCache';
import { stateOf, type TriggerState } from './state';
import type { Delivery } from './verify';

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
	/** The state of the trigger. It may be released while nothing is under way, so it is asked for where it is needed. */
	state: () => TriggerState;
	/** Why no execution may start with an event; undefined if one may. */
	problem: () => ErrorTexts | undefined;
	/** Whether n8n would run the nodes behind the trigger with a report. */
	runsReports: boolean;
	instanceId: () => string;
	credentialId: string;
	credential: () => Promise<ICredentialDataDecryptedObject>;
	/** Connects to the service. */
	connect: () => Promise<Client>;
	request: HttpRequest;
	gate: ResponseGate;
}

/** Reads a request of n8n. */
export async function openDoor(context: IWebhookFunctions): Promise<Door> {
	const query = context.getQueryData() as IDataObject;
	const state = () => stateOf(context);
	// The first delivery creates it.
	state();
	return {
		delivery: await deliveryOf(context),
		query: { check: query[CHECK_PARAMETER], subscribers: query[SUBSCRIBERS_PARAMETER] },
		ownUrl: context.getNodeWebhookUrl('default') ?? '',
		isTest: context.getMode() === 'manual',
		parameters: { getNodeParameter: (name, fallback) => context.getNodeParameter(name, fallback) },
		saved: savedStateOf(context),
		state,
		problem: () => receivingProblem(context),
		runsReports: isSetToEngine2(context),
		instanceId: () => context.getInstanceId(),
		credentialId: credentialIdOf(context.getNode()),
		credential: async () => await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL),
		connect: async () => await connect(context),
		request: httpRequestOf(context),
		gate: createResponseGate(context.getResponseObject()),
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
