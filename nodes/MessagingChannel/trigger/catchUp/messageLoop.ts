import partition from 'lodash/partition';

import { accountIdOf } from '../../api/account';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { backgroundSpacingMs, type AccountState } from '../../api/rateLimiter';
import { isKeyRefused, messageOf } from '../../api/errors';
import { UnreadableField } from '../../api/unreadable';
import { repeat, startInBackground, type Loop, type PassResult } from '../../n8n/backgroundLoop';
import type { Connection } from '../../n8n/connect';
import { isOfOwnTrigger } from '../../webhook/triggerUrl';
import { readWebhookState } from '../../webhook/webhookState';
import { eventFilterOf } from '../delivery/filter';
import { stateOf } from '../delivery/state';
import type { PublishedTrigger } from '../delivery/trigger';
import { signingSecretIn } from '../delivery/secrets';
import { unreadableReport, unverifiedReport, type FailureReason } from '../delivery/reports';
import { accountIn, type Account } from '../account/account';
import { clock } from '../account/clock';
import { sharedChats } from './chatList';
import { createChatReader, CLOCK_MARGIN_SECONDS } from './chatReader';
import type { FetchedMessage } from './fetchedMessage';
import { createNotRunFinder } from './findNotRun';
import { isFirstPublication, wantedSince } from './listening';
import { createMessageStarter } from './messageStarter';
import { catchUpMinutesOf, pollIntervalMsOf } from './settings';

/** Before a pass that goes on where the last one stopped. The requests themselves leave room for others. */
const REST_MS = 1_000;

/** The same, while many messages wait for another look-up. */
const FULL_REST_MS = 10_000;

/** How messages are looked for. */
interface Mode extends Pick<Loop, 'firstPauseMs' | 'failure'> {
	/** How often, in milliseconds. */
	intervalMs: number;
	/** Messages that came in since the start and are younger may still be delivered. */
	minAgeSeconds: number;
	/** Whether a message that comes in while the trigger runs can run nowhere else. */
	isOnlySource: boolean;
	/** How old a list of chats may be that another trigger of the account has read, in milliseconds. */
	maxListAgeMs: number;
	/** Whether the messages are for this n8n. */
	isWanted: (client: Client) => Promise<boolean>;
}

/**
 * Polls for the messages of a published trigger until n8n ends it. n8n calls this on the leader, when the workflow is
 * published and at each start.
 *
 * @returns ends it
 */
export function startPolling(trigger: PublishedTrigger): () => void {
	return startLoop(trigger, {
		firstPauseMs: 0,
		intervalMs: pollIntervalMsOf(trigger.parameters),
		minAgeSeconds: 0,
		isOnlySource: true,
		maxListAgeMs: 0,
		isWanted: async () => await Promise.resolve(true),
		failure: 'new messages could not be fetched:',
	});
}

/**
 * Looks for messages that were not delivered to a published trigger, or whose runs n8n cut off, until n8n ends it. n8n calls
 * this on the leader, when the workflow is published and at each start.
 *
 * @returns ends it
 */
export function startCatchUp(trigger: PublishedTrigger): () => void {
	return startLoop(trigger, {
		firstPauseMs: 30_000,
		intervalMs: 150_000,
		minAgeSeconds: 120,
		isOnlySource: false,
		maxListAgeMs: 60_000,
		isWanted: async (client) => await isSubscribed(trigger, client),
		failure: 'missed messages could not be looked for:',
	});
}

/**
 * Whether the account's webhook points to this n8n, or to nobody. The messages that another system received are not
 * missing. Another workflow of this n8n can have the webhook for a moment, until the trigger has joined it again.
 */
async function isSubscribed(trigger: PublishedTrigger, client: Client): Promise<boolean> {
	const ownUrl = String(trigger.saved.webhookUrl);
	const secret = signingSecretIn(await trigger.credential());
	const { subscribers } = await readWebhookState(client, secret, clock.now());
	if (subscribers.length === 0) return true;
	return subscribers.some(({ url, kind }) => kind !== 'external' && isOfOwnTrigger(url, ownUrl));
}

function startLoop(trigger: PublishedTrigger, mode: Mode): () => void {
	stateOf(trigger).isClosed = false;
	const stop = startInBackground(trigger, 'fetch', async (stopped) => {
		const pass = createPass(trigger, mode, stopped);
		await repeat(trigger, { ...mode, clock, failurePauseMs: mode.intervalMs, pass }, stopped);
	});
	return () => {
		// n8n ends the triggers before it stops the executions.
		stateOf(trigger).isClosed = true;
		stop();
	};
}

/** The clock, whose waits end with the signal, too. */
const stoppableClock = (stopped: AbortSignal): Clock => ({
	...clock,
	sleep: async (ms, signal) => await clock.sleep(ms, AbortSignal.any(signal ? [signal, stopped] : [stopped])),
});

/** Whose messages a loop looks for. Times are Unix seconds of the service's clock, so that setting n8n's changes nothing. */
interface Subject {
	account: AccountState;
	accountId: string | undefined;
	/** When the trigger began to look for messages. */
	started: number;
	/** Messages that came in before it are left alone. */
	since: number;
}

/** Creates a function that looks for new messages once, and starts an execution for each. */
function createPass(trigger: PublishedTrigger, mode: Mode, stopped: AbortSignal): () => Promise<PassResult> {
	let startedAt = clock.now();
	const stoppable = stoppableClock(stopped);
	const starter = createMessageStarter(trigger, stoppable, stopped);
	// What nobody delivers can be listed late, for example because the account was not connected.
	const maxLateSeconds = mode.isOnlySource ? Infinity : catchUpMinutesOf(trigger.parameters) * 60;
	const reader = createChatReader(starter, mode.intervalMs, stopped, maxLateSeconds);
	const findNotRun = createNotRunFinder(trigger, stoppable);
	// If one loop follows another, at most one of them starts a message without a look-up.
	const marginSeconds = isFirstPublication(trigger) ? 0 : CLOCK_MARGIN_SECONDS;
	let subject: Subject | undefined;
	let isSlowed = false;
	/** Where stands what was done last. */
	let notedIn: Account | undefined;

	const forget = () => void notedIn?.fetches.delete(trigger.key);
	stopped.addEventListener('abort', forget);
	const note = (left: number, problem: string | undefined) => {
		const { key, workflow } = trigger;
		const fetch = {
			workflow: workflow.name,
			isPolling: mode.isOnlySource,
			at: clock.elapsed(),
			left,
			problem,
		};
		// A look that was under way ends later.
		if (!stopped.aborted) notedIn?.fetches.set(key, fetch);
	};

	/** Begins anew if the credential has changed to another account: what came in there before is left alone. */
	const subjectOf = async ({ client, account }: Connection): Promise<Subject> => {
		if (subject?.account === account) return subject;
		const accountId = await accountIdOf(client);
		const seconds = (time: number) => Math.floor((time + account.clockOffsetMs) / 1000);
		const isOther = subject !== undefined && subject.accountId !== accountId;
		if (isOther) {
			reader.clear();
			starter.clearMissing();
		}
		const wanted = () => seconds(wantedSince(trigger, startedAt, accountId));
		return {
			account,
			accountId,
			started: subject?.started ?? seconds(startedAt),
			since: isOther ? seconds(clock.now()) : (subject?.since ?? wanted()),
		};
	};

	/** Whether n8n holds a delivery of it back for a free slot, which can take hours. */
	const isInFlight = ({ keys }: FetchedMessage) => stateOf(trigger).inFlight.isInFlight(keys);

	/** Looks up whether these messages ran, and those that were missing for long, and starts those that are missing still. */
	const startMissing = async (unknown: FetchedMessage[], client: Client, clockOffsetMs: number) => {
		const due = starter.due().filter((message) => !isInFlight(message));
		const asked = [...unknown.filter((message) => !isInFlight(message)), ...due];
		unknown.forEach(starter.noteMissing);
		const notRun = await findNotRun(asked, clockOffsetMs);
		const isWanted = notRun.length > 0 && (await mode.isWanted(client));
		const missing = new Set(isWanted ? notRun : []);
		asked.filter((message) => !missing.has(message)).forEach(starter.settle);
		starter.start(due.filter((message) => missing.has(message)));
	};

	/** The interval, or a longer one if the rate limit of the account does not allow it. */
	const affordableMs = (account: AccountState): number => {
		const { intervalMs } = mode;
		const pauseMs = Math.max(intervalMs, backgroundSpacingMs(account, clock.now()));
		if (pauseMs > intervalMs && !isSlowed) {
			trigger.logger.warn(
				`${trigger.node.name}: the rate limit of the account is small, so n8n looks for messages every ${Math.ceil(pauseMs / 1000)} seconds, not every ${intervalMs / 1000}`,
			);
		}
		isSlowed = pauseMs > intervalMs;
		return pauseMs;
	};

	/** Without deliveries, nothing else would tell. */
	const tellOfCredential = (reason: FailureReason) => {
		const failedSince = stateOf(trigger).unreadableCredential.add();
		if (failedSince !== undefined) trigger.report(unverifiedReport(failedSince, reason));
	};

	const tell = (problem: UnreadableField) => {
		if (stateOf(trigger).reports.due('unreadable') !== undefined) trigger.report(unreadableReport(problem));
	};

	const pass = async (): Promise<PassResult> => {
		if (stateOf(trigger).isRefused) return { pauseMs: mode.intervalMs };
		// The clock was set back since.
		startedAt = Math.min(startedAt, clock.now());
		const credential = await trigger.credential().catch(async (error: unknown) => {
			tellOfCredential('credential');
			return await Promise.reject(error);
		});
		const fetchedFrom = accountIn(credential);
		if (fetchedFrom !== notedIn) forget();
		notedIn = fetchedFrom;
		const connection = await trigger.connectInBackground(stoppable);
		const { client, account } = connection;
		subject = await subjectOf(connection);
		const { accountId, started, since } = subject;
		const list = await sharedChats(client, fetchedFrom, mode.maxListAgeMs, stopped);
		const { clockOffsetMs } = account;
		const now = Math.floor((clock.now() + clockOffsetMs) / 1000);
		const times = { now, started, since, deliveredUntil: now - mode.minAgeSeconds };
		const selection = { accountId, filter: eventFilterOf(trigger.parameters) };
		const found = await reader.read(client, list.chats, times, selection);
		const { newMessages, left, isFull, hasGivenUp, problem } = found;
		if (found.isRefused && mode.isOnlySource) tellOfCredential('key');
		if (problem === undefined) stateOf(trigger).unreadableCredential.reset();
		const [unreadable] = [...list.unreadable, ...found.unreadable];
		if (unreadable) tell(unreadable);
		if (left > 0 && !hasGivenUp)
			trigger.logger.info(`${trigger.node.name}: ${left} chats with new messages are still to be read`);

		// What nobody delivers and came in since the start can have run nowhere else.
		const isFresh = ({ timestamp }: FetchedMessage) =>
			mode.isOnlySource && timestamp >= started + marginSeconds;
		const [fresh, unknown] = partition(newMessages, isFresh);
		starter.start(fresh);
		await startMissing(unknown, client, clockOffsetMs);
		const isComplete = left === 0 || hasGivenUp || (isFull && mode.isOnlySource);
		const pauseMs = isComplete ? affordableMs(account) : isFull ? FULL_REST_MS : REST_MS;
		const result = { pauseMs, problem: problem ?? unreadable?.message };
		note(isComplete ? 0 : left, result.problem);
		return result;
	};

	return async () =>
		await pass().catch((error: unknown) => {
			note(0, messageOf(error));
			if (error instanceof UnreadableField) tell(error);
			if (isKeyRefused(error) && mode.isOnlySource) tellOfCredential('key');
			throw error;
		});
}
