import partition from 'lodash/partition';
import { UserError } from 'n8n-workflow';

import { accountIdOf } from '../../api/account';
import type { Client } from '../../api/client';
import { unixTimeOf, type Clock } from '../../api/clock';
import { ApiError, isKeyRefused, messageOf } from '../../api/errors';
import { backgroundSpacingMs, type AccountState } from '../../api/rateLimiter';
import { UnreadableField } from '../../api/unreadable';
import type { Loop, PassResult } from '../../n8n/backgroundLoop';
import type { Connection } from '../../n8n/connect';
import { accountIn, type Account } from '../account/account';
import { clock } from '../account/clock';
import { eventFilterOf } from '../delivery/filter';
import { unreadableReport, unverifiedReport, type FailureReason } from '../delivery/reports';
import { stateOf } from '../delivery/state';
import type { PublishedTrigger } from '../delivery/trigger';
import { sharedChats } from './chatList';
import { createChatReader, CLOCK_MARGIN_SECONDS, type ChatReader, type ReadChats } from './chatReader';
import type { FetchedMessage } from './fetchedMessage';
import { createNotRunFinder } from './findNotRun';
import { isFirstPublication, isOtherAccount, wantedSince } from './listening';
import { createMessageStarter, type MessageStarter } from './messageStarter';
import { catchUpMinutesOf } from './settings';

/** Before a pass that goes on where the last one stopped. The requests themselves leave room for others. */
const REST_MS = 1_000;

/** The same, while many messages wait for another look-up. */
const FULL_REST_MS = 10_000;

/** How long nothing can be read before an execution says so. A service restarts in less. */
const OUTAGE_MS = 10 * 60_000;

/** How messages are looked for. */
export interface Mode extends Pick<Loop, 'firstPauseMs' | 'failure'> {
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

/** Whose messages are looked for. Times are Unix seconds of the service's clock, so that setting n8n's changes nothing. */
interface Subject {
	account: AccountState;
	accountId: string | undefined;
	/** When the trigger began to look for messages. */
	started: number;
	/** Messages that came in before it are left alone. */
	since: number;
}

/** What a trigger looks for messages with, and what one pass leaves to the next. */
export interface Fetching {
	readonly trigger: PublishedTrigger;
	readonly mode: Mode;
	readonly stopped: AbortSignal;
	/** Its waits end when n8n ends the trigger. */
	readonly clock: Clock;
	readonly reader: ChatReader;
	readonly starter: MessageStarter;
	readonly findNotRun: ReturnType<typeof createNotRunFinder>;
	/** By `clock.elapsed`. */
	readonly startedAt: number;
	/** Whose messages the last pass looked for. */
	subject?: Subject;
	/** Whether the log says that the rate limit makes the pauses longer. */
	isSlowed: boolean;
	/** Where stands what the last pass did. */
	notedIn?: Account;
	/** Since when no pass could read anything, by `clock.elapsed`. */
	failingSince?: number;
}

/** Creates what a published trigger looks for messages with, until the signal is aborted. */
export function createFetching(trigger: PublishedTrigger, mode: Mode, stopped: AbortSignal): Fetching {
	const stoppable: Clock = {
		...clock,
		sleep: async (ms, signal) =>
			await clock.sleep(ms, AbortSignal.any(signal ? [signal, stopped] : [stopped])),
	};
	const starter = createMessageStarter(trigger, stoppable, stopped);
	// What nobody delivers can be listed late, for example because the account was not connected.
	const maxLateSeconds = mode.isOnlySource ? Infinity : catchUpMinutesOf(trigger.parameters) * 60;
	const fetching: Fetching = {
		trigger,
		mode,
		stopped,
		clock: stoppable,
		reader: createChatReader(starter, mode.intervalMs, stopped, maxLateSeconds),
		starter,
		findNotRun: createNotRunFinder(trigger, stoppable),
		startedAt: clock.elapsed(),
		isSlowed: false,
	};
	stopped.addEventListener('abort', () => void fetching.notedIn?.fetches.delete(trigger.key));
	return fetching;
}

/** Looks for new messages once, and starts an execution for each. */
export async function fetchOnce(fetching: Fetching): Promise<PassResult> {
	try {
		return await pass(fetching);
	} catch (error) {
		note(fetching, 0, messageOf(error));
		if (error instanceof UnreadableField) {
			tellOfUnreadable(fetching, error);
			return { pauseMs: fetching.mode.intervalMs };
		}
		if (fetching.mode.isOnlySource) tellOfFailure(fetching, error);
		return await Promise.reject(error);
	}
}

async function pass(fetching: Fetching): Promise<PassResult> {
	const { trigger, mode } = fetching;
	if (stateOf(trigger).isRefused) return { pauseMs: mode.intervalMs };
	const source = await connect(fetching);
	const found = await readNewMessages(fetching, source);
	await startMessages(fetching, found.newMessages, source);
	const { left, problem, unreadable, isFull, hasGivenUp } = found;
	const isComplete = left === 0 || hasGivenUp || (isFull && mode.isOnlySource);
	note(fetching, isComplete ? 0 : left, problem ?? unreadable[0]?.message);
	const restMs = isFull ? FULL_REST_MS : REST_MS;
	return { pauseMs: isComplete ? affordableMs(fetching, source.account) : restMs, problem };
}

/** Where messages are looked for. */
interface Source extends Connection {
	/** The same account, as the triggers of this process share it. */
	sharedAccount: Account;
	subject: Subject;
}

/** Connects to the account that the credential names now. */
async function connect(fetching: Fetching): Promise<Source> {
	const { trigger } = fetching;
	const credential = await trigger.credential().catch((error: unknown) => {
		tellOfCredential(fetching, 'credential');
		// The loop tells of an error for the user once more.
		throw new Error(messageOf(error));
	});
	const sharedAccount = accountIn(credential);
	if (sharedAccount !== fetching.notedIn) fetching.notedIn?.fetches.delete(trigger.key);
	fetching.notedIn = sharedAccount;
	const connection = await trigger.connectInBackground(fetching.clock);
	fetching.subject = await subjectOf(fetching, connection);
	return { ...connection, sharedAccount, subject: fetching.subject };
}

/** Reads what is new in the chats, and tells of what cannot be read. */
async function readNewMessages(fetching: Fetching, source: Source): Promise<ReadChats> {
	const { trigger, mode, stopped, reader } = fetching;
	const { client, account, sharedAccount } = source;
	const { accountId, started, since } = source.subject;
	const list = await sharedChats(client, sharedAccount, mode.maxListAgeMs, stopped);
	const now = Math.floor((clock.now() + account.clockOffsetMs) / 1000);
	const times = { now, started, since, deliveredUntil: now - mode.minAgeSeconds };
	const selection = { accountId, filter: eventFilterOf(trigger.parameters) };
	const found = await reader.read(client, list.chats, times, selection);
	if (found.isRefused && mode.isOnlySource) tellOfCredential(fetching, 'key');
	else if (found.isDown && mode.isOnlySource) tellOfOutage(fetching);
	if (!found.isDown) fetching.failingSince = undefined;
	if (found.problem === undefined) stateOf(trigger).unreadableCredential.inARow = 0;
	const unreadable = [...list.unreadable, ...found.unreadable];
	for (const problem of unreadable) tellOfUnreadable(fetching, problem);
	if (found.left > 0 && !found.hasGivenUp)
		trigger.logger.info(`${trigger.node.name}: ${found.left} chats with new messages are still to be read`);
	return { ...found, unreadable };
}

/** Begins anew if the credential has changed to another account: what came in there before is left alone. */
async function subjectOf(fetching: Fetching, { client, account }: Connection): Promise<Subject> {
	const { trigger, subject, reader, starter } = fetching;
	if (subject?.account === account) return subject;
	const accountId = await accountIdOf(client);
	const seconds = (time: number) => Math.floor((time + account.clockOffsetMs) / 1000);
	if (subject === undefined) {
		const startedAt = unixTimeOf(fetching.startedAt, clock);
		const isOther = isOtherAccount(trigger, accountId, await trigger.credential());
		const since = seconds(wantedSince(trigger, startedAt, isOther));
		return { account, accountId, started: seconds(startedAt), since };
	}
	if (subject.accountId === accountId) return { ...subject, account };
	reader.clear();
	starter.clearMissing();
	return { account, accountId, started: subject.started, since: seconds(clock.now()) };
}

/**
 * Starts the messages that can have run nowhere else; looks up whether the others ran, as well as those that were missing for
 * long, and starts those that are missing still.
 */
async function startMessages(
	{ trigger, mode, starter, findNotRun }: Fetching,
	messages: readonly FetchedMessage[],
	{ client, account, subject }: Source,
): Promise<void> {
	// If one loop follows another, at most one of them starts a message without a look-up.
	const marginSeconds = isFirstPublication(trigger) ? 0 : CLOCK_MARGIN_SECONDS;
	// What nobody delivers and came in since the start can have run nowhere else.
	const freshFrom = mode.isOnlySource ? subject.started + marginSeconds : Infinity;
	const [fresh, unknown] = partition(messages, ({ timestamp }) => timestamp >= freshFrom);
	starter.start(fresh);
	// n8n can hold a delivery back for a free slot, which can take hours.
	const isInFlight = ({ keys }: FetchedMessage) => stateOf(trigger).inFlight.isInFlight(keys);
	const due = starter.due().filter((message) => !isInFlight(message));
	const asked = [...unknown.filter((message) => !isInFlight(message)), ...due];
	unknown.forEach(starter.noteMissing);
	const notRun = await findNotRun(asked, account.clockOffsetMs);
	const isWanted = notRun.length > 0 && (await mode.isWanted(client));
	const missing = new Set(isWanted ? notRun : []);
	asked.filter((message) => !missing.has(message)).forEach(starter.settle);
	starter.start(due.filter((message) => missing.has(message)));
}

/** The interval, or a longer one if the rate limit of the account does not allow it. */
function affordableMs(fetching: Fetching, account: AccountState): number {
	const { trigger, mode, isSlowed } = fetching;
	const { intervalMs } = mode;
	const pauseMs = Math.max(intervalMs, backgroundSpacingMs(account, clock.elapsed()));
	fetching.isSlowed = pauseMs > intervalMs;
	if (fetching.isSlowed && !isSlowed) {
		trigger.logger.warn(
			`${trigger.node.name}: the rate limit of the account is small, so n8n looks for messages every ${Math.ceil(pauseMs / 1000)} seconds, not every ${intervalMs / 1000}`,
		);
	}
	return pauseMs;
}

/** Keeps what this pass did, for whom asks how the account does. */
function note({ trigger, mode, stopped, notedIn }: Fetching, left: number, problem: string | undefined) {
	// A look that was under way ends later.
	if (stopped.aborted) return;
	const { name } = trigger.workflow;
	const at = clock.elapsed();
	notedIn?.fetches.set(trigger.key, { workflow: name, isPolling: mode.isOnlySource, at, left, problem });
}

/** Tells of a pass that failed: at once if the service refuses the key, otherwise if nothing can be read for long. */
function tellOfFailure(fetching: Fetching, error: unknown): void {
	if (isKeyRefused(error)) tellOfCredential(fetching, 'key');
	// A credential with an invalid base URL is an error for the user.
	else if (error instanceof ApiError || error instanceof UserError) tellOfOutage(fetching);
}

/** Tells of it if nothing could be read for long. */
function tellOfOutage(fetching: Fetching): void {
	const { trigger } = fetching;
	const since = (fetching.failingSince ??= clock.elapsed());
	const isDue = clock.elapsed() - since >= OUTAGE_MS && stateOf(trigger).reports.due('service') !== undefined;
	if (isDue) trigger.report(unverifiedReport(unixTimeOf(since, clock), 'service'));
}

/** Without deliveries, nothing else would tell. */
function tellOfCredential({ trigger }: Fetching, reason: FailureReason): void {
	const failedSince = stateOf(trigger).unreadableCredential.add();
	if (failedSince !== undefined) trigger.report(unverifiedReport(failedSince, reason));
}

/** The log gets it from the execution. */
function tellOfUnreadable({ trigger }: Fetching, problem: UnreadableField): void {
	const report = unreadableReport(problem, stateOf(trigger).reports);
	if (report) trigger.report(report);
}
