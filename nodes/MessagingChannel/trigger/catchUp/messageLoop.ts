import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';

import type { Clock } from '../../api/clock';
import type { Client } from '../../api/client';
import type { AccountWindow } from '../../api/rateLimiter';
import { messageOf } from '../../api/errors';
import { startInBackground } from '../../n8n/backgroundLoop';
import { connectInBackground, CREDENTIAL } from '../../n8n/connect';
import { areOfOneN8n, readWebhookState } from '../../webhook/webhookState';
import { eventFilterOf } from '../delivery/filter';
import { signingSecretIn } from '../delivery/secretCache';
import { clock, stateOf } from '../delivery/state';
import { createChatQueue } from './chatQueue';
import { fetchedItem, type FetchedMessage } from './fetchedMessage';
import { answerIn, lookUpItem, MAX_MESSAGES_IN_LOOK_UP } from './lookUp';
import { readAccountId, readChats, readMessages, type Chat } from './readMessages';
import { isFirstPublication, wantedSince } from './listening';
import { DEFAULT_POLL_INTERVAL_SECONDS } from './settings';
import { messageNameOf, noteClosed, runsOf } from './workflowRuns';
import type { Reach } from '../deduplication/runMarks';

/** A campaign touches thousands of chats, and the next pass goes on with the rest. */
const MAX_CHATS_PER_PASS = 100;

/** Messages that wait for their executions are kept in memory; about 2 MB. No further chat is read meanwhile. */
const MAX_WAITING = 2_000;

/** A service that does not respond must not be asked for all chats. */
const MAX_FAILURES_PER_PASS = 3;

/** A chat that cannot be read is read again after longer and longer pauses, up to this one. */
const MAX_FAILURE_PAUSE_MS = 150_000;

/** More messages than come in within the overlap; about 2 MB. */
const MAX_HANDLED = 20_000;

/** The service may list a message with an earlier time than the last one that was read. */
const OVERLAP_SECONDS = 60;

/** Times are whole seconds, and those of the service are known to about a second. A second that is over gets no message. */
const SECOND_IS_OVER_AFTER = 3;

/**
 * A message that ran in no process must still be missing after this time: longer than a run takes until it counts as ended,
 * and than most deliveries take.
 */
const MISSING_MS = 150_000;

/** A backlog starts so many executions at once, and one of each chat. */
const MAX_RUNS_AT_ONCE = 10;

/** How long a backlog waits for an execution before it goes on. */
const MAX_RUN_WAIT_MS = 10_000;

/** How long n8n may take for a look-up, which may wait in a queue. */
const LOOK_UP_TIMEOUT_MS = 10 * 60_000;

/** After this time without an end, it is looked up whether a message ran. */
const LOST_RUN_MS = 10 * 60_000;

/** A message that did not run, and when it is looked up again, in Unix milliseconds. */
interface MissingMessage {
	message: FetchedMessage;
	lookAt: number;
}

/** How messages are looked for. */
interface Mode {
	/** How long after the start of the trigger, and how often, in milliseconds. */
	firstPassMs: number;
	intervalMs: number;
	/** Before a pass that goes on where the last one stopped, in milliseconds. */
	restMs: number;
	/** Messages that came in since the start and are younger may still be delivered. */
	minAgeSeconds: number;
	/** Whether a message that comes in while the trigger runs can run nowhere else. */
	isOnlySource: boolean;
	/** How old a list of chats may be that another trigger of the account has read, in milliseconds. */
	maxListAgeMs: number;
	/** Whether the messages are for this n8n. */
	isWanted: (client: Client) => Promise<boolean>;
	/** The beginning of a line in the log about a problem. */
	problem: string;
}

/**
 * Polls for the messages of a published trigger until n8n ends it. n8n calls this on the leader, when the workflow is
 * published and at each start.
 *
 * @returns ends it
 */
export function startPolling(context: ITriggerFunctions): () => void {
	const seconds = context.getNodeParameter('pollInterval', DEFAULT_POLL_INTERVAL_SECONDS) as number;
	return startLoop(context, {
		firstPassMs: 0,
		intervalMs: seconds * 1000,
		restMs: 1_000,
		minAgeSeconds: 0,
		isOnlySource: true,
		maxListAgeMs: 0,
		isWanted: async () => await Promise.resolve(true),
		problem: 'new messages could not be fetched',
	});
}

/**
 * Looks for messages that were not delivered to a published trigger, or whose runs n8n cut off, until n8n ends it. n8n calls
 * this on the leader, when the workflow is published and at each start.
 *
 * @returns ends it
 */
export function startCatchUp(context: ITriggerFunctions): () => void {
	return startLoop(context, {
		firstPassMs: 30_000,
		intervalMs: 150_000,
		restMs: 30_000,
		minAgeSeconds: 120,
		isOnlySource: false,
		maxListAgeMs: 60_000,
		isWanted: async (client) => await isSubscribed(context, client),
		problem: 'missed messages could not be looked for',
	});
}

/**
 * Whether the account's webhook points to this n8n, or to nobody. The messages that another system received are not
 * missing. Another workflow of this n8n can have the webhook for a moment, until the trigger has joined it again.
 */
async function isSubscribed(context: ITriggerFunctions, client: Client): Promise<boolean> {
	const ownUrl = String(context.getWorkflowStaticData('node').webhookUrl);
	const secret = signingSecretIn(await context.getCredentials(CREDENTIAL));
	const { subscribers } = await readWebhookState(client, secret, clock.now());
	if (subscribers.length === 0) return true;
	return subscribers.some(({ url, kind }) => kind !== 'external' && areOfOneN8n(url, ownUrl));
}

function startLoop(context: ITriggerFunctions, mode: Mode): () => void {
	noteClosed(context, false);
	const stop = startInBackground(context, 'fetch', async (stopped) => await loop(context, mode, stopped));
	return () => {
		noteClosed(context, true);
		stop();
	};
}

async function loop(context: ITriggerFunctions, mode: Mode, stopped: AbortSignal): Promise<void> {
	const pass = createPass(context, mode, stopped);
	let lastProblem: string | undefined;
	if (mode.firstPassMs > 0) await clock.sleep(mode.firstPassMs, stopped);
	for (;;) {
		const { isComplete, problem } = await pass().catch((error: unknown) => ({
			isComplete: true,
			problem: messageOf(error),
		}));
		stopped.throwIfAborted();
		if (problem !== undefined && problem !== lastProblem)
			context.logger.warn(`${context.getNode().name}: ${mode.problem}: ${problem}`);
		lastProblem = problem;
		await clock.sleep(isComplete ? mode.intervalMs : mode.restMs, stopped);
	}
}

interface PassResult {
	/** Whether nothing is left to read for the time being. */
	isComplete: boolean;
	problem?: string;
}

/** Why a chat could not be read, how often in a row, and when it is read again, in Unix milliseconds. */
interface Failure {
	problem: string;
	count: number;
	retryAt: number;
}

/** What was read of the chats. */
interface NewMessages {
	/** Oldest first. */
	found: FetchedMessage[];
	/** How many chats with new messages are still to be read. */
	left: number;
	/** Whether so many messages wait that no further chat was read. */
	isFull: boolean;
	/** Whether a chat could not be read. */
	hasFailed: boolean;
}

/** Creates a function that looks for new messages once, and starts an execution for each. */
function createPass(context: ITriggerFunctions, mode: Mode, stopped: AbortSignal): () => Promise<PassResult> {
	const startedAt = clock.now();
	const runs = runsOf(context);
	const { name } = context.getNode();
	const nameOf = ({ messageId }: FetchedMessage) => messageNameOf(context, messageId);
	const stoppable: Clock = {
		...clock,
		now: () => clock.now(),
		sleep: async (ms, signal) =>
			await clock.sleep(ms, AbortSignal.any(signal ? [signal, stopped] : [stopped])),
	};
	/** The time of the latest message of each chat when all its messages were read, in Unix seconds. */
	const read = new Map<string, number>();
	/** Until when the messages of each chat were read for the last time, in Unix seconds. */
	const readUntil = new Map<string, number>();
	/** Where the parts of a chat begin that are still to be read, in Unix seconds, the newest first. */
	const laterParts = new Map<string, number[]>();
	/** The chats that could not be read the last time. */
	const failures = new Map<string, Failure>();
	/** Messages that came in before it are left alone, in Unix seconds of the service's clock. */
	let since: number | undefined;
	let current: { account: AccountWindow; accountId: string | undefined } | undefined;
	/** What came in between this time and the start ran in no process before the start, in Unix milliseconds. */
	let quietSince: number | undefined;
	const missing = new Map<string, MissingMessage>();
	/** The messages that this loop has started, or need not start. */
	const handled = new Set<string>();

	const isOpen = (message: FetchedMessage): boolean => {
		const messageName = nameOf(message);
		return !runs.isKnown(messageName) && !missing.has(messageName) && !handled.has(messageName);
	};
	/** Whether n8n holds a delivery of it back for a free slot, which can take hours. */
	const isInFlight = ({ keys }: FetchedMessage) => stateOf(context).inFlight.isInFlight(keys);
	const settle = (message: FetchedMessage) => {
		missing.delete(nameOf(message));
		handled.add(nameOf(message));
		const [oldest] = handled;
		if (handled.size > MAX_HANDLED && oldest !== undefined) handled.delete(oldest);
	};

	let hasToldReach = false;
	const noteOutOfReach = (count: number, { knownSince }: Reach) => {
		if (count === 0 || hasToldReach) return;
		hasToldReach = true;
		const time = new Date(knownSince).toISOString();
		context.logger.warn(
			`${name}: messages that came in before ${time} are left alone, because n8n no longer knows which of them ran`,
		);
	};

	const execute = async (item: INodeExecutionData): Promise<IRun | undefined> => {
		const done = context.helpers.createDeferredPromise<IRun>();
		context.emit([[item]], undefined, done);
		return await done.promise.catch(() => undefined);
	};

	const run = async (message: FetchedMessage) => {
		if (stopped.aborted) return;
		const waited = new AbortController();
		const ended = Promise.race([
			execute(fetchedItem(message, clock.now())),
			// n8n 1.x does not tell of an execution that it could not store, nor any n8n of a job that got lost.
			stoppable.sleep(LOST_RUN_MS, waited.signal).catch(() => undefined),
		]).then(() => {
			waited.abort();
			// It ran in another process, which may have been killed.
			if (!runs.isKnown(nameOf(message)))
				missing.set(nameOf(message), { message, lookAt: clock.now() + MISSING_MS });
		});
		await Promise.race([ended, stoppable.sleep(MAX_RUN_WAIT_MS, waited.signal)]).catch(() => undefined);
	};

	const queue = createChatQueue(MAX_RUNS_AT_ONCE, run);
	const start = (messages: FetchedMessage[]) => {
		messages.forEach(settle);
		queue.add(messages);
	};

	/**
	 * Whether it is known of a message that came in then, in Unix milliseconds, if it ran. What came in while n8n was down
	 * can only have run since.
	 */
	const isInReach = (receivedAt: number, { knownSince }: Reach): boolean =>
		receivedAt >= knownSince ||
		(quietSince !== undefined && receivedAt >= quietSince && receivedAt < startedAt);

	/** The messages that did not run, in any process. Times are those of n8n's clock. */
	const lookUp = async (messages: FetchedMessage[], clockOffsetMs: number): Promise<FetchedMessage[]> => {
		const notRun: FetchedMessage[] = [];
		const receivedAt = ({ timestamp }: FetchedMessage) => timestamp * 1000 - clockOffsetMs;
		for (let from = 0; from < messages.length; from += MAX_MESSAGES_IN_LOOK_UP) {
			const asked = messages.slice(from, from + MAX_MESSAGES_IN_LOOK_UP);
			const question = {
				messageIds: asked.map(({ messageId }) => messageId),
				since: Math.min(...asked.map(receivedAt)),
				startedAt,
			};
			const run = await Promise.race([
				execute(lookUpItem(question)),
				stoppable.sleep(LOOK_UP_TIMEOUT_MS).then(() => undefined),
			]);
			const answer = answerIn(run, question);
			if (!answer) throw new Error('n8n could not look up which messages ran');
			const { isMissing, reach } = answer;
			quietSince ??= reach.quietSince;
			const missed = asked.filter((_, index) => isMissing[index]);
			const inReach = missed.filter((message) => isInReach(receivedAt(message), reach));
			noteOutOfReach(missed.length - inReach.length, reach);
			notRun.push(...inReach);
		}
		return notRun;
	};

	const readNewMessages = async (
		client: Client,
		chats: Chat[],
		windowStart: number,
		second: number,
		latest: number,
		mayBeOnItsWay: (timestamp: number) => boolean,
	): Promise<NewMessages> => {
		const found: FetchedMessage[] = [];
		let failed = 0;
		const isDue = ({ id }: Chat) => (failures.get(id)?.retryAt ?? 0) <= clock.now();
		const changed = chats
			.filter(({ id, lastMessageAt }) => lastMessageAt >= windowStart && read.get(id) !== lastMessageAt)
			.filter(isDue)
			// Chats that can never be read hold up no other.
			.sort((a, b) => Number(failures.has(a.id)) - Number(failures.has(b.id)));
		const selection = { accountId: current?.accountId, filter: eventFilterOf(context) };
		let left = changed.length;
		// What came in until then is listed, and no longer on its way.
		const settledUntil = Math.min(latest, second - SECOND_IS_OVER_AFTER);
		const isFull = () => missing.size + queue.size + found.length >= MAX_WAITING;
		for (const chat of changed.slice(0, MAX_CHATS_PER_PASS)) {
			if (isFull() || failed >= MAX_FAILURES_PER_PASS) break;
			const parts = laterParts.get(chat.id) ?? [];
			const start = parts.at(-1);
			const range = {
				since: start ?? Math.max(windowStart, (readUntil.get(chat.id) ?? 0) - OVERLAP_SECONDS),
				before: parts.at(-2),
			};
			const part = await readMessages(client, chat, range, selection).catch((error: unknown) => {
				failed++;
				const count = (failures.get(chat.id)?.count ?? 0) + 1;
				const pauseMs = Math.min(mode.intervalMs * 2 ** (count - 1), MAX_FAILURE_PAUSE_MS);
				failures.set(chat.id, { problem: messageOf(error), count, retryAt: clock.now() + pauseMs });
			});
			stopped.throwIfAborted();
			if (!part) continue;
			failures.delete(chat.id);
			const { messages } = part;
			found.push(...messages.filter((message) => isOpen(message) && !mayBeOnItsWay(message.timestamp)));
			const partsLeft = [...parts.slice(0, -1), ...part.laterParts];
			laterParts.set(chat.id, partsLeft);
			if (partsLeft.length > 0) continue;
			laterParts.delete(chat.id);
			readUntil.set(chat.id, Math.min(settledUntil, chat.lastMessageAt));
			// Otherwise it is read again, when its latest message is old enough.
			const isOver = chat.lastMessageAt + SECOND_IS_OVER_AFTER <= second;
			if (isOver && !mayBeOnItsWay(chat.lastMessageAt)) read.set(chat.id, chat.lastMessageAt);
			left--;
		}
		found.sort((a, b) => a.timestamp - b.timestamp);
		return { found, left, isFull: isFull(), hasFailed: failed > 0 };
	};

	/** Begins anew if the credential has changed to another account: what came in there before is left alone. */
	const noteAccount = async (client: Client, account: AccountWindow) => {
		if (current?.account === account) return;
		const accountId = await readAccountId(client);
		if (current && current.accountId !== accountId) {
			read.clear();
			readUntil.clear();
			laterParts.clear();
			failures.clear();
			missing.clear();
			since = Math.floor((clock.now() + account.clockOffsetMs) / 1000);
		}
		current = { account, accountId };
	};

	return async () => {
		const { client, account } = await connectInBackground(context, stoppable);
		await noteAccount(client, account);
		const chats = await sharedChats(account, mode.maxListAgeMs, async () => await readChats(client));
		const { clockOffsetMs } = account;
		const startedSecond = Math.floor((startedAt + clockOffsetMs) / 1000);
		const second = Math.floor((clock.now() + clockOffsetMs) / 1000);
		since ??= Math.floor((wantedSince(context, startedAt, current?.accountId) + clockOffsetMs) / 1000);
		// Of two loops that follow each other, at most one starts a message without a look-up.
		const newSecond = isFirstPublication(context) ? startedSecond : startedSecond + SECOND_IS_OVER_AFTER;
		const latest = second - mode.minAgeSeconds;
		const { found, left, isFull, hasFailed } = await readNewMessages(
			client,
			chats,
			since,
			second,
			latest,
			(timestamp) => timestamp > latest && timestamp >= startedSecond,
		);
		if (left > 0 && !hasFailed)
			context.logger.info(`${name}: ${left} chats with new messages are still to be read`);

		// What came in before may have run, or may be running in another process.
		const isNew = ({ timestamp }: FetchedMessage) => mode.isOnlySource && timestamp >= newSecond;
		start(found.filter(isNew));
		const unknown = found.filter((message) => !isNew(message));
		const waiting = [...missing.values()].filter(({ message }) => !isInFlight(message));
		const isDue = waiting.some(({ lookAt }) => lookAt <= clock.now());
		const asked = [
			...unknown.filter((message) => !isInFlight(message)),
			...(isDue ? waiting.map(({ message }) => message) : []),
		];
		for (const message of unknown)
			missing.set(nameOf(message), { message, lookAt: clock.now() + MISSING_MS });
		const notRun = new Set(await lookUp(asked, clockOffsetMs));
		const isWanted = notRun.size === 0 || (await mode.isWanted(client));
		for (const message of asked) if (!isWanted || !notRun.has(message)) settle(message);
		start(
			waiting
				.filter(({ message, lookAt }) => missing.has(nameOf(message)) && lookAt <= clock.now())
				.filter(({ message }) => notRun.has(message))
				.map(({ message }) => message),
		);
		const [failure] = failures.values();
		return {
			isComplete: left === 0 || hasFailed || (isFull && mode.isOnlySource),
			problem: failure?.problem,
		};
	};
}

/** The chats of the accounts. */
const chatLists = new WeakMap<AccountWindow, { readAt: number; chats: Promise<Chat[]> }>();

/** The chats of an account, read at most once in this time for all its triggers, even if that fails. */
async function sharedChats(
	account: AccountWindow,
	maxAgeMs: number,
	read: () => Promise<Chat[]>,
): Promise<Chat[]> {
	const known = chatLists.get(account);
	if (known && clock.now() - known.readAt < maxAgeMs) return await known.chats;
	const chats = read();
	chatLists.set(account, { readAt: clock.now(), chats });
	return await chats;
}
