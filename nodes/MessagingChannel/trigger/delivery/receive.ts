import type { IDataObject, INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { chatItemOf } from '../combining/chatItem';
import { createEventGroup, type Joined, type WaitingEvent } from '../combining/eventGroup';
import { claimEvent } from '../deduplication/claimEvent';
import { SHARED_RETENTION_MS } from '../deduplication/inFlightEvents';
import { clock, unixTimeOf } from '../account/clock';
import { RESPONSE_HEADER } from '../sharing/internalRequest';
import { answerInternal } from './answerInternal';
import { ownershipOf } from './checkAccount';
import { chatOf, combineEventsOf, type CombineEvents } from './combineEvents';
import { openDoor, type Door } from './door';
import { eventFilterOf, isSelected, passes, selectedEvents, unreadableFor } from './filter';
import { forwardToOthers, type VerifiedDelivery } from './forwardToOthers';
import { formerAccountItem } from './formerAccountAlert';
import { heldBackItem } from './nodeSettings';
import { failureItem, hasServiceHeaders, type FailureReason } from './signatureFailures';
import { secretChecks } from './state';
import { unreadableItem } from './unreadableAlert';
import { verify, type Rejection } from './verify';
import { SecretJustChanged, verifyRequest, type VerifiedRequest } from './verifyRequest';

/** What the trigger responds itself. n8n responds to an event that it takes. */
interface Answer {
	status: number;
	error?: string;
	body?: object;
	/** The item of an execution that shows the user a problem. */
	failure?: INodeExecutionData;
}

/** An event that is the trigger's to take or to drop. */
interface RoutedEvent extends VerifiedDelivery {
	deliveredAt: string;
	/** Whether other receivers may make the service deliver it again. */
	isShared: boolean;
}

/** An event that goes into an execution. */
interface ClaimedEvent {
	waiting: WaitingEvent;
	combineEvents: CombineEvents;
	/** Whose item it belongs to; undefined for an item of its own. */
	chat?: string;
}

const OK: Answer = { status: 200 };

/** The service redelivers the event after a 5xx (API spec, "Delivery rules" 5). */
const NOT_ACCEPTED: Answer = { status: 503, error: 'not_accepted' };

/** It may be a real event instead of the sample. */
const IN_CHECK: Answer = { status: 503, error: 'not_active_yet' };

/** The response to a duplicate delivery, by the state of the other delivery. */
const TO_DUPLICATE = { accepted: OK, unknown: NOT_ACCEPTED };

/**
 * Receives one delivery (API spec, "Events"), step by step: verify, route, forward, account, filter, claim, combine, answer. Each
 * step passes the event on, or ends with an answer. A return value cannot set the HTTP status, so all responses except for an
 * accepted event are sent here.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	response.setHeader(RESPONSE_HEADER, '1');
	const door = await openDoor(context);
	const answer = ({
		status,
		error,
		body = error === undefined ? undefined : { error },
		failure,
	}: Answer): IWebhookResponseData => {
		response.status(status);
		if (body) response.json(body);
		else response.end();
		return {
			noWebhookResponse: true,
			...(failure && !door.runsReports && { workflowData: [[failure]] }),
		};
	};
	const routed = await route(door);
	if ('status' in routed) return answer(routed);
	const shared = forwardEvent(door, routed);
	const claimed = (await checkAccount(door, shared)) ?? filter(door, shared) ?? (await claim(door, shared));
	if ('status' in claimed) return answer(claimed);
	const joined = await combine(door, claimed);
	if ('wasAccepted' in joined) return answer(joined.wasAccepted ? OK : NOT_ACCEPTED);
	const { group } = joined;
	door.gate.onAcceptance((wasAccepted) => group.settle(wasAccepted));
	return { workflowData: [claimed.chat === undefined ? group.items : [chatItemOf(group.items)]] };
}

/** Verifies a request, and answers what is no event for this trigger: a check, another trigger, a forgery, a sample. */
async function route(door: Door): Promise<Answer | RoutedEvent> {
	const { delivery, saved, state } = door;
	const check = secretChecks.open(door.query.check, Date.now());
	if (check) {
		if (check.secret !== undefined) check.report(verify(delivery, check.secret, Date.now()));
		return IN_CHECK;
	}
	const verified = await verifyRequest(door).catch((error: unknown) => ({ error }));
	if ('error' in verified) return unverified(door, verified.error);
	state().unreadableCredential.reset();
	if (verified.kind !== 'delivery') return { status: 200, ...(await answerInternal(door, verified)) };
	const { verification, account, secret, isForwarded } = verified;
	if (!verification.verified) return rejected(door, verification, verified);
	state().signatureFailures.reset();
	const { event, deliveredAt, rawBody } = verification;
	// The sample from a secret check is not a real event.
	if (secretChecks.isSample(event.id) || saved.sampleId === event.id) return OK;
	const { headers } = delivery;
	return { event, deliveredAt, rawBody, headers, account, secret, isShared: isForwarded };
}

function unverified(door: Door, error: unknown): Answer {
	note(door, 'A delivery could not be verified because the credential could not be read or has just changed');
	if (error instanceof SecretJustChanged) return NOT_ACCEPTED;
	return { ...NOT_ACCEPTED, failure: verificationFailure(door, 'credential') };
}

function rejected(
	door: Door,
	{ status, error, reason }: Rejection,
	{ account }: Pick<VerifiedRequest, 'account'>,
): Answer {
	note(door, `A delivery was rejected: ${reason}`);
	const isForged = error === 'invalid_signature';
	const failure = isForged ? verificationFailure(door, 'signature', account.owner.id) : undefined;
	return { status, error, failure };
}

/** Each subscriber filters and deduplicates by itself, so it gets what is dropped here, too. */
function forwardEvent(door: Door, event: RoutedEvent): RoutedEvent {
	if (event.isShared) return event;
	const others = forwardToOthers(door, event);
	if (others) door.gate.holdFor(others);
	return { ...event, isShared: others !== undefined };
}

async function checkAccount(door: Door, { event, account }: RoutedEvent): Promise<Answer | undefined> {
	const ownership = await ownershipOf(door, event, account);
	if (ownership === 'own') return undefined;
	if (ownership === 'unknown') return NOT_ACCEPTED;
	const isDue = !door.isTest && door.state().formerAccount.add(clock.elapsed(), true) !== undefined;
	return { ...OK, failure: isDue ? formerAccountItem(String(event.accountId)) : undefined };
}

/** Drops what is not wanted, and leaves to the service what n8n would add to or lose. */
function filter(door: Door, { event }: RoutedEvent): Answer | undefined {
	if (!isSelected(event, selectedEvents(door.parameters))) return OK;
	const wanted = eventFilterOf(door.parameters);
	if (!passes(event, wanted)) return OK;
	// Not every start of n8n activates the trigger, which refuses such settings.
	const problem = door.problem();
	if (problem) {
		note(door, `An event was held back: ${problem.message}. ${problem.description}`);
		const since = door.isTest ? undefined : door.state().heldBack.add(clock.elapsed(), true);
		return { ...NOT_ACCEPTED, failure: since === undefined ? undefined : heldBackItem(unixTimeOf(since)) };
	}
	const unreadable = unreadableFor(event, wanted);
	return unreadable && { ...OK, failure: unreadableItem(door.state(), unreadable) };
}

async function claim(door: Door, routed: RoutedEvent): Promise<Answer | ClaimedEvent> {
	const { event, deliveredAt, rawBody, isShared } = routed;
	const combineEvents = combineEventsOf(door.parameters, door.saved.timeoutSeconds);
	const retentionMs = isShared ? SHARED_RETENTION_MS : undefined;
	const claimed = await claimEvent(event.keys, door.state().inFlight, clock, retentionMs);
	if (claimed.state !== 'first') return TO_DUPLICATE[claimed.state];
	const json: IDataObject = { ...event.body, event_id: event.id, delivered_at: deliveredAt };
	const settle = (wasAccepted: boolean) => claimed.settle(wasAccepted, clock.now());
	const chat = combineEvents.mode === 'perChat' ? chatOf(event) : undefined;
	return { waiting: { item: { json }, bytes: rawBody.length, settle }, combineEvents, chat };
}

/** Combines an event with others. A test never does, because n8n ends it with the first event. */
async function combine(door: Door, { waiting, combineEvents, chat }: ClaimedEvent): Promise<Joined> {
	const { groupCommit, chatBuffer } = door.state();
	if (combineEvents.mode === 'whenBusy' && !door.isTest)
		return await groupCommit.join(waiting, combineEvents);
	if (combineEvents.mode === 'perChat' && !door.isTest && chat !== undefined)
		return await chatBuffer.join(chat, waiting, combineEvents);
	return { group: createEventGroup(waiting) };
}

function note({ state }: Door, line: string): void {
	state().log.note(line, clock.elapsed());
}

/** The item that reports such failures, if one is due. A test run needs none: its user sees the missing event. */
function verificationFailure(
	{ delivery, isTest, saved, state }: Door,
	reason: FailureReason,
	accountId = saved.accountId,
): INodeExecutionData | undefined {
	const count = reason === 'credential' ? state().unreadableCredential : state().signatureFailures;
	const isFailure = !isTest && hasServiceHeaders(delivery.headers, accountId, Date.now());
	const since = isFailure ? count.add(clock.elapsed()) : undefined;
	return since === undefined ? undefined : failureItem(unixTimeOf(since), reason);
}
