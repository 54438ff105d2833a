import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { NO_RETRIES } from '../../api/apiRequest';
import { accountIdOf } from '../../api/account';
import { accountDigestIn } from '../../api/authentication';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { CHECK_PARAMETER } from '../../webhook/checkUrl';
import type { Rejection } from './verify';
import { deliveryOf, SecretJustChanged, verifyRequest, verifyWith } from './verifyRequest';
import { chatOf, combineEventsOf, type CombineEvents } from './combineEvents';
import type { ServiceEvent } from './event';
import { eventFilterOf, isSelected, passes, unreadableFor } from './filter';
import { chatItemOf } from '../combining/chatItem';
import { createEventGroup, type Joined, type WaitingEvent } from '../combining/eventGroup';
import { SHARED_RETENTION_MS } from '../deduplication/inFlightEvents';
import { holdResponse, onAcceptance } from '../../n8n/acceptance';
import { isSetToEngine2 } from '../../n8n/engine';
import { savedStateOf } from './savedState';
import { heldBackItem, receivingProblem } from './nodeSettings';
import { failureItem, hasServiceHeaders, type FailureReason } from './signatureFailures';
import { clock, secretChecks, stateOf, type AccountOfKey, type TriggerState } from './state';
import { claimEvent } from '../deduplication/claimEvent';
import { RESPONSE_HEADER } from '../sharing/internalRequest';
import { forwardToOthers } from './forwardToOthers';
import { unreadableItem } from './unreadableAlert';
import { within } from './within';

interface ResponseDecision {
	response: { status: number; error?: string; body?: object };
	/** The item of an execution that shows the user a problem. */
	failure?: INodeExecutionData;
}

/** The event to pass to n8n. */
interface EventDecision {
	waiting: WaitingEvent;
	combineEvents: CombineEvents;
	/** Whose item it belongs to; undefined for an item of its own. */
	chat?: string;
}

type Decision = ResponseDecision | EventDecision;

const OK: ResponseDecision = { response: { status: 200 } };

/** The service redelivers the event after a 5xx (API spec, "Delivery rules" 5). */
const NOT_ACCEPTED: ResponseDecision = { response: { status: 503, error: 'not_accepted' } };

/** How long a delivery waits for the account of the API key. n8n waits minutes for a service that does not respond. */
const ACCOUNT_TIMEOUT_MS = 10_000;

/** The response to a duplicate delivery, by the state of the other delivery. */
const RESPONSE_TO_DUPLICATE = { accepted: OK, unknown: NOT_ACCEPTED };

/**
 * Receives one delivery: verifies it, forwards it to the other subscribers, filters it, drops duplicates and passes the
 * event to n8n (API spec, "Events"). A return value cannot set the HTTP status, so all responses except for an accepted
 * event are sent here.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	response.setHeader(RESPONSE_HEADER, '1');
	const decision = await decide(context);
	if ('response' in decision) return respond(context, decision);
	const { chat } = decision;
	const joined = await join(context, decision);
	if ('wasAccepted' in joined) return respond(context, joined.wasAccepted ? OK : NOT_ACCEPTED);
	const { group } = joined;
	onAcceptance(response, (wasAccepted) => group.settle(wasAccepted));
	return { workflowData: [chat === undefined ? group.items : [chatItemOf(group.items)]] };
}

/** Combines an event with others. A test never does, because n8n ends it with the first event. */
async function join(
	context: IWebhookFunctions,
	{ waiting, combineEvents, chat }: EventDecision,
): Promise<Joined> {
	const { groupCommit, chatBuffer } = stateOf(context);
	const isAlone = context.getMode() === 'manual';
	if (combineEvents.mode === 'whenBusy' && !isAlone) return await groupCommit.join(waiting, combineEvents);
	if (combineEvents.mode === 'perChat' && !isAlone && chat !== undefined)
		return await chatBuffer.join(chat, waiting, combineEvents);
	return { group: createEventGroup(waiting) };
}

function respond(context: IWebhookFunctions, decision: ResponseDecision): IWebhookResponseData {
	const { status, error, body = error === undefined ? undefined : { error } } = decision.response;
	// Engine 2.0 would run the nodes behind the trigger with a report.
	const failure = isSetToEngine2(context) ? undefined : decision.failure;
	const response = context.getResponseObject();
	response.status(status);
	if (body === undefined) response.end();
	else response.json(body);
	return { noWebhookResponse: true, ...(failure && { workflowData: [[failure]] }) };
}

async function decide(context: IWebhookFunctions): Promise<Decision> {
	const state = stateOf(context);
	const delivery = await deliveryOf(context);
	const check = secretChecks.open((context.getQueryData() as IDataObject)[CHECK_PARAMETER], Date.now());
	if (check) {
		if (check.secret !== undefined) check.report(verifyWith(delivery, check.secret));
		// It may be a real event instead of the sample. After a 503 the service redelivers it.
		return { response: { status: 503, error: 'not_active_yet' } };
	}
	const verified = await verifyRequest(context, delivery).catch((error: unknown) => ({ error }));
	if ('error' in verified) {
		state.log.note(
			'A delivery could not be verified because the credential could not be read or has just changed',
			Date.now(),
		);
		if (verified.error instanceof SecretJustChanged) return NOT_ACCEPTED;
		return { ...NOT_ACCEPTED, failure: verificationFailure(context, 'credential', state) };
	}
	state.unreadableCredential.reset();
	if ('reply' in verified) {
		const { body, failure } = verified.reply;
		return { response: { status: 200, body }, failure };
	}
	const { verification, secret, isForwarded } = verified;
	if (!verification.verified) {
		state.log.note(`A delivery was rejected: ${verification.reason}`, Date.now());
		return { response: verification, failure: rejectionFailure(context, verification, state) };
	}
	state.signatureFailures.reset();
	const { event, deliveredAt, rawBody } = verification;
	if (isSample(context, event)) return OK;
	// Each subscriber filters and deduplicates by itself, so it gets what is dropped here, too.
	const { headers } = delivery;
	const others = isForwarded
		? undefined
		: forwardToOthers(context, { headers, rawBody, event, secret }, state);
	if (others) holdResponse(context.getResponseObject(), others);

	const accountDecision = await checkAccount(context, event, state);
	if (accountDecision) return accountDecision;
	const filter = eventFilterOf(context);
	if (!isSelected(event, filter.events) || !passes(event, filter)) return OK;
	const heldBack = holdBack(context, state);
	if (heldBack) return heldBack;
	const unreadable = unreadableFor(event, filter);
	if (unreadable) return { ...OK, failure: unreadableItem(context, unreadable) };
	const combineEvents = combineEventsOf(context, savedStateOf(context).timeoutSeconds);
	// The state is read again, because it may have been released during the verification.
	const retentionMs = isForwarded || others ? SHARED_RETENTION_MS : undefined;
	const claim = await claimEvent(event.keys, stateOf(context).inFlight, clock, retentionMs);
	if (claim.state !== 'first') return RESPONSE_TO_DUPLICATE[claim.state];
	const json: IDataObject = { ...event.body, event_id: event.id, delivered_at: deliveredAt };
	const settle = (wasAccepted: boolean) => claim.settle(wasAccepted, clock.now());
	const chat = combineEvents.mode === 'perChat' ? chatOf(event) : undefined;
	return { waiting: { item: { json }, bytes: rawBody.length, settle }, combineEvents, chat };
}

/** Leaves an event to the service that n8n would add to or lose. Not every start of n8n activates the trigger, which refuses. */
function holdBack(context: IWebhookFunctions, { log, heldBack }: TriggerState): Decision | undefined {
	const problem = receivingProblem(context);
	if (!problem) return undefined;
	const now = Date.now();
	log.note(`An event was held back: ${problem.message}. ${problem.description}`, now);
	const since = context.getMode() === 'manual' ? undefined : heldBack.add(now, true);
	return { ...NOT_ACCEPTED, failure: since === undefined ? undefined : heldBackItem(since) };
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
	const savedAccountId = savedStateOf(context).accountId;
	if (savedAccountId === undefined || [undefined, savedAccountId, state.account?.id].includes(accountId))
		return undefined;
	const current = await within(ACCOUNT_TIMEOUT_MS, accountOfKey(context, state.account)).catch(
		() => undefined,
	);
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
	const key = accountDigestIn(data);
	if (cached?.key === key) return cached;
	// A redelivery by the service replaces a retry here.
	const id = await accountIdOf(await connect(context), NO_RETRIES);
	return id === undefined ? undefined : { id, key };
}

function rejectionFailure(
	context: IWebhookFunctions,
	{ error }: Rejection,
	state: TriggerState,
): INodeExecutionData | undefined {
	return error === 'invalid_signature' ? verificationFailure(context, 'signature', state) : undefined;
}

/** The item that reports such failures, if one is due. A test run needs none: its user sees the missing event. */
function verificationFailure(
	context: IWebhookFunctions,
	reason: FailureReason,
	{ signatureFailures, unreadableCredential, account }: TriggerState,
): INodeExecutionData | undefined {
	const now = Date.now();
	const accountId = account?.id ?? savedStateOf(context).accountId;
	const count = reason === 'credential' ? unreadableCredential : signatureFailures;
	const isFailure =
		context.getMode() !== 'manual' && hasServiceHeaders(context.getHeaderData(), accountId, now);
	const since = isFailure ? count.add(now) : undefined;
	return since === undefined ? undefined : failureItem(since, reason);
}

/** Whether an event is the sample from a secret check, which is not a real event. */
function isSample(context: IWebhookFunctions, { id }: ServiceEvent): boolean {
	return secretChecks.isSample(id) || savedStateOf(context).sampleId === id;
}
