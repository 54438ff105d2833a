import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { GET_ACCOUNT } from '../../api/endpoints';
import { accountDigestOf, apiKeyIn } from '../../api/authentication';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { recordsOf } from '../../api/records';
import { verify, type Delivery, type Verification, type Rejection } from './verify';
import type { ServiceEvent } from './event';
import { eventFilterOf, isSelected, passes, type EventFilter } from './filter';
import type { Settle } from '../deduplication/inFlightEvents';
import { onAcceptance } from '../../n8n/acceptance';
import { signingSecretIn } from './secretCache';
import { noteVerified, openSecretCheck } from './secretChecks';
import { failureItem, hasServiceHeaders } from './signatureFailures';
import { clock, secretCache, stateOf, type AccountOfKey, type TriggerState } from './state';
import { claimEvent } from '../deduplication/claimEvent';

/** The response to a delivery, or the event to pass to n8n. */
type Decision =
	| { response: { status: number; error?: string }; failure?: INodeExecutionData }
	| { event: ServiceEvent; deliveredAt: string; settle: Settle };

const OK = { response: { status: 200 } };

/** The service redelivers the event after a 5xx (API spec, "Delivery rules" 5). */
const NOT_ACCEPTED = { response: { status: 503, error: 'not_taken' } };

/** The response to a duplicate delivery, by the state of the other delivery. */
const RESPONSE_TO_DUPLICATE = { accepted: OK, unknown: NOT_ACCEPTED };

/**
 * Receives one delivery: verifies it, filters it, drops duplicates and passes the event to n8n (API spec, "Events"). A
 * return value cannot set the HTTP status, so all responses except for an accepted event are sent here.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	const decision = await decide(context);
	if ('response' in decision) {
		const { status, error } = decision.response;
		response.status(status);
		if (error === undefined) response.end();
		else response.json({ error });
		return { noWebhookResponse: true, ...(decision.failure && { workflowData: [[decision.failure]] }) };
	}
	const { event, deliveredAt, settle } = decision;
	onAcceptance(response, (wasAccepted) => settle(wasAccepted, clock.now()));
	const json: IDataObject = { ...event.body, event_id: event.id, delivered_at: deliveredAt };
	return { workflowData: [[{ json }]] };
}

async function decide(context: IWebhookFunctions): Promise<Decision> {
	const { id: nodeId, credentials } = context.getNode();
	const state = stateOf(context);

	const check = openSecretCheck((context.getQueryData() as IDataObject).check, Date.now());
	const credentialId = credentials?.[CREDENTIAL]?.id ?? nodeId;
	const verification = await verifyDelivery(context, credentialId, check?.isOwn === true).catch(
		() => undefined,
	);
	if (!verification) {
		state.log.note(
			'A delivery could not be verified because the credential could not be read or has just changed',
			Date.now(),
		);
		return NOT_ACCEPTED;
	}
	if (check) {
		check.report(verification);
		// It may be a real event instead of the sample. After a 503 the service redelivers it.
		return { response: { status: 503, error: 'not_active_yet' } };
	}
	if (!verification.verified) {
		state.log.note(`A delivery was rejected: ${verification.reason}`, Date.now());
		return { response: verification, failure: signatureFailure(context, verification, state) };
	}
	state.signatureFailures.reset();
	const { event, deliveredAt } = verification;
	const accountDecision = await checkAccount(context, event, state);
	if (accountDecision) return accountDecision;
	const filter = eventFilterOf(context);
	if (!isWanted(event, filter) || isSample(context, event)) return OK;
	// The state is read again, because it may have been released during the verification.
	const claim = await claimEvent(event.keys, stateOf(context).inFlight, clock);
	return claim.state === 'first'
		? { event, deliveredAt, settle: claim.settle }
		: RESPONSE_TO_DUPLICATE[claim.state];
}

async function verifyDelivery(
	context: IWebhookFunctions,
	credentialId: string,
	isFromService: boolean,
): Promise<Verification | undefined> {
	const delivery = await deliveryOf(context);
	const fetchSecret = async () => signingSecretIn(await context.getCredentials(CREDENTIAL));
	const secret = await secretCache.get(credentialId, fetchSecret, Date.now());
	const verifyWith = (candidate: string) => {
		const verification = verify(delivery, candidate, Date.now());
		if (verification.verified) noteVerified(verification.event, candidate, Date.now());
		return verification;
	};
	const verification = verifyWith(secret);
	if (verification.verified || !verification.maybeOtherSecret) return verification;

	const fetchAgain = isFromService ? secretCache.fetch : secretCache.refresh;
	const refreshed = await fetchAgain(credentialId, fetchSecret, Date.now());
	if (refreshed === undefined) return undefined;
	// With an unchanged secret, a second HMAC would only cost CPU time, for example in a flood of forged deliveries.
	return refreshed === secret ? verification : verifyWith(refreshed);
}

async function deliveryOf(context: IWebhookFunctions): Promise<Delivery> {
	const request = context.getRequestObject();
	const { headers } = request;
	// n8n parses a multipart form for its files and keeps no raw bytes.
	if (/^multipart\//i.test(String(headers['content-type']))) return { headers, rawBody: undefined };
	await request.readRawBody();
	return { headers, rawBody: request.rawBody };
}

/**
 * Checks that an event belongs to the account that was saved at activation. The API key may have changed since, so the
 * current account is fetched if the IDs differ.
 *
 * @returns undefined if the event belongs to the account or no account is saved. 200 drops the event of another account;
 *   503 requests a redelivery if the current account is unknown or has just changed
 */
async function checkAccount(
	context: IWebhookFunctions,
	{ accountId }: ServiceEvent,
	state: TriggerState,
): Promise<Decision | undefined> {
	const savedAccountId = context.getWorkflowStaticData('node').accountId;
	if (
		typeof savedAccountId !== 'string' ||
		[undefined, savedAccountId, state.account?.id].includes(accountId)
	)
		return undefined;
	const current = await accountOfKey(context, state.account).catch(() => undefined);
	state.account = current ?? state.account;
	if (current === undefined || current.id === accountId) return NOT_ACCEPTED;
	state.log.note(
		'An event was dropped because it belongs to a different account than the API key in the credential',
		Date.now(),
	);
	return OK;
}

/** The account of the API key, cached per key, so that replayed events do not use up the rate limit. */
async function accountOfKey(
	context: IWebhookFunctions,
	cached: AccountOfKey | undefined,
): Promise<AccountOfKey | undefined> {
	const data = await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	const key = accountDigestOf(String(data.baseUrl), apiKeyIn(data));
	if (cached?.key === key) return cached;
	const client = await connect(context);
	// A redelivery by the service replaces a retry here.
	const limits = { maxAttempts: 1, maxRateLimitWait: 0 };
	const [account] = recordsOf(await client.call({ endpoint: GET_ACCOUNT, limits }));
	return typeof account?.id === 'string' ? { id: account.id, key } : undefined;
}

/** The item that reports signature failures, if one is due. A test run needs none: its user sees the missing event. */
function signatureFailure(
	context: IWebhookFunctions,
	{ error }: Rejection,
	{ signatureFailures, account }: TriggerState,
): INodeExecutionData | undefined {
	const now = Date.now();
	const accountId = account?.id ?? context.getWorkflowStaticData('node').accountId;
	const isFailure =
		error === 'invalid_signature' && hasServiceHeaders(context.getHeaderData(), accountId, now);
	const since = isFailure && context.getMode() !== 'manual' ? signatureFailures.add(now) : undefined;
	return since === undefined ? undefined : failureItem(since);
}

/** Whether an event is the sample from the secret check at activation, which is not a real event. */
function isSample(context: IWebhookFunctions, { id }: ServiceEvent): boolean {
	return context.getWorkflowStaticData('node').sampleId === id;
}

function isWanted(event: ServiceEvent, filter: EventFilter): boolean {
	return isSelected(event, filter.events) && passes(event, filter);
}
