import type { IDataObject, IWebhookResponseData } from 'n8n-workflow';

import { accountIdOf } from '../../api/account';
import { NO_RETRIES } from '../../api/apiRequest';
import { accountIn } from '../account/account';
import { clock, withTimeout } from '../account/clock';
import { chatItemOf } from '../combining/chatItem';
import type { EventGroup, Joined, WaitingEvent } from '../combining/combiner';
import { claimEvent, SHARED_RETENTION_MS } from '../deduplication/inFlightEvents';
import type { Answer, Door } from './door';
import { verdictOn } from './filter';
import { forwardToOthers, type VerifiedDelivery } from './forwardToOthers';
import { chatOf, combineEventsOf, isPerChat, receivingProblem, type CombineEvents } from './options';
import { formerAccountReport, unreadableReport } from './reports';
import { NOT_ACCEPTED, OK, route } from './route';

/** How long a delivery waits for the account of the API key. n8n waits minutes for a service that does not respond. */
const ACCOUNT_TIMEOUT_MS = 10_000;

/** What the trigger does with an event that it wants. */
interface WantedEvent {
	combineEvents: CombineEvents;
	isWanted: WaitingEvent['isWanted'];
	/** Whose item it belongs to; undefined for an item of its own. */
	chat: string | undefined;
}

/** The response to a duplicate delivery, by the state of the other delivery. */
const TO_DUPLICATE = { accepted: OK, unknown: NOT_ACCEPTED };

/**
 * Receives one delivery (API spec, "Events"), step by step: verify, route, forward, account, filter, claim, combine, answer. Each
 * step passes the event on, or ends with an answer.
 */
export async function receive(door: Door): Promise<IWebhookResponseData> {
	const routed = await route(door);
	if ('status' in routed) return door.respond(routed);
	const respond = (answer: Answer) => {
		noteTaken(routed, answer.status === OK.status);
		return door.respond(answer);
	};
	const { account, isShared } = routed;
	const hasList = door.query.subscribers !== undefined || account.webhook.isSharedAt(door.ownUrl);
	const delivery = hasList && !isShared ? forwardToOthers(door, routed) : routed;
	const filtered = await checkAccount(door, delivery)
		.then((answer) => answer ?? filter(door, delivery))
		.catch(async (error: unknown) => {
			noteTaken(routed, false);
			return await Promise.reject(error);
		});
	if ('status' in filtered) return respond(filtered);
	const claimed = await claim(door, delivery, filtered);
	if ('status' in claimed) return respond(claimed);
	const group = await combine(door, filtered, claimed);
	if ('wasAccepted' in group) return respond(group.wasAccepted ? OK : NOT_ACCEPTED);
	if (!group.events.some(({ isWanted }) => isWanted)) {
		group.settle(true);
		return respond(OK);
	}
	const items = group.events.map(({ item }) => item);
	door.gate.onAcceptance(settlerOf(routed, group));
	return { workflowData: [filtered.chat === undefined ? items : [chatItemOf(items)]] };
}

/** A function of its own, as it must not hold the door: that n8n drops the response is seen only if nothing holds that. */
function settlerOf(delivery: VerifiedDelivery, group: EventGroup): (wasAccepted: boolean) => void {
	return (wasAccepted) => {
		noteTaken(delivery, wasAccepted);
		group.settle(wasAccepted);
	};
}

/** Counts an event that n8n did not take, once for all its receivers. */
function noteTaken({ account, isShared }: VerifiedDelivery, wasTaken: boolean): void {
	if (!wasTaken && !isShared) account.deliveries.note('notTaken', clock.elapsed());
}

/**
 * Drops the events of another account than that of the activation, and that the API key belongs to by now. If an event names
 * another one, the service is asked, at a bounded rate. What is not known then is delivered again.
 */
async function checkAccount(
	{ saved, credential, connect, state, isTest }: Door,
	{ event: { accountId }, account }: VerifiedDelivery,
): Promise<Answer | undefined> {
	const isOwn = saved.accountId === undefined || [undefined, saved.accountId].includes(accountId);
	if (isOwn || accountId === account.owner.id) return undefined;
	const ask = async () => {
		// The key may have changed since the account was found.
		const { owner } = accountIn(await credential());
		// A redelivery by the service replaces a retry here.
		return await owner.current(async () => await accountIdOf(await connect(), NO_RETRIES), clock.elapsed());
	};
	const { id, isNew } = (await withTimeout(ACCOUNT_TIMEOUT_MS, ask()).catch(() => undefined)) ?? {};
	if (id === accountId) {
		state.log(
			`The API key belongs to the account '${id}' now, and before to '${saved.accountId}'. If somebody has changed the key, run Webhook > Delete once with a credential that has the old one`,
		);
		return undefined;
	}
	if (id === undefined)
		state.log(
			`An event is to be delivered again, because it names the account '${accountId}' and not '${saved.accountId}', and the service does not say which one the API key belongs to`,
		);
	if (id === undefined || !isNew) return NOT_ACCEPTED;
	state.log(
		'An event was dropped because it belongs to a different account than the API key in the credential',
	);
	const isTold = isTest || state.reports.due('former account') === undefined;
	return { ...OK, report: isTold ? undefined : formerAccountReport(String(accountId)) };
}

/** Drops what is not wanted, and leaves to the service what n8n would add to or lose. */
function filter(door: Door, { event }: VerifiedDelivery): Answer | WantedEvent {
	const { parameters, state, isTest } = door;
	const chat = isPerChat(parameters) ? chatOf(event) : undefined;
	const verdict = verdictOn(event, parameters, { isTest, isWithOthers: !isTest && chat !== undefined });
	if (verdict === 'dropped') return OK;
	// Not every start of n8n activates the trigger, which refuses the engine.
	const held = receivingProblem(door);
	if (held) {
		state.log(`An event was held back: ${held.message}. ${held.description}`);
		return NOT_ACCEPTED;
	}
	if (typeof verdict === 'object') return { ...OK, report: unreadableReport(verdict, state.reports) };
	return { isWanted: verdict === 'wanted', chat, combineEvents: combineEventsOf(parameters) };
}

async function claim(
	{ state: { inFlight }, isTest }: Door,
	{ event, deliveredAt, rawBody, isShared }: VerifiedDelivery,
	{ isWanted }: WantedEvent,
): Promise<Answer | WaitingEvent> {
	const retentionMs = isShared ? SHARED_RETENTION_MS : undefined;
	// Whoever tests has the service send the same event again.
	const claimed = await claimEvent(isTest ? [] : event.keys, inFlight, clock, retentionMs);
	if (claimed.state !== 'first') return TO_DUPLICATE[claimed.state];
	const json: IDataObject = { ...event.body, event_id: event.id, delivered_at: deliveredAt };
	return { item: { json }, isWanted, bytes: rawBody.length, settle: claimed.settle };
}

/** Combines an event with others. A test never does, because n8n ends it with the first event. */
async function combine(
	{ state, isTest }: Door,
	{ combineEvents, chat }: WantedEvent,
	event: WaitingEvent,
): Promise<Joined> {
	if (combineEvents.mode === 'whenBusy' && !isTest)
		return await state.combiner.whenBusy(event, combineEvents);
	if (combineEvents.mode === 'perChat' && !isTest && chat !== undefined)
		return await state.combiner.perChat(chat, event, combineEvents);
	return { events: [event], settle: event.settle };
}
