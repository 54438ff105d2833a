import type { Clock } from '../../api/clock';
import { messageOf } from '../../api/errors';
import type { ActionRun } from '../../n8n/actionRun';
import type { KeyStore } from '../../n8n/keyStore';
import { createSerialQueues } from '../../n8n/serialQueue';
import { digestOf, shortDigestOf } from './digest';
import type { Send } from './send';
import type { SendClaims, SendStatus } from './sendClaims';
import { sendKeysOf } from './sendLog';
import { databaseError, sendStoreOf } from './sendStore';

/** Stored when a send starts. Removed only if the send was certainly not made. */
const begunSendKey = (send: string) => `begun ${send}`;

/** Stored until the send is confirmed, so it remains if n8n is killed before that. */
const openKey = (send: string) => `open ${send}`;

/** Stored with the first part of a text. A whole text has the same key as its first part, so this tells them apart. */
const splitKey = (send: string) => `split ${send}`;

/** Stored with the first part of a text, as a proof of what its other parts are. */
const partsKey = (send: string, texts: readonly string[]) =>
	`parts ${send} ${shortDigestOf(JSON.stringify(texts))}`;

/**
 * Longer than n8n takes to read, change and write the row. After that, no process writes a row that it read before ours was
 * written.
 */
const ROW_WRITE_MS = 2000;

/** How often records that another process has overwritten are restored. Ends even if the row is too short for them. */
const MAX_RESTORES = 5;

/** What the running retries of this process have stored, by node and send. Other processes can overwrite the row. */
const keptKeys = new Map<string, string[]>();

/** All retries of a node share one database row, so this process writes to it one at a time. The queues are by node. */
const inSeries = createSerialQueues();

/**
 * The sends of earlier retries of this execution. n8n starts each "Retry execution" with the data of the original
 * execution, which does not contain what other retries sent.
 *
 * @returns undefined if this execution is not a retry
 */
export function retriedSendsOf(run: ActionRun, clock: Clock): SendClaims | undefined {
	const { retryOf, logger } = run;
	if (retryOf === undefined) return undefined;
	const store = sendStoreOf(run);
	const { runKey, keyOf } = sendKeysOf(run);
	const digestKeyOf = (send: Send) =>
		digestOf(JSON.stringify([retryOf, runKey, keyOf(send), send.partitionKey]));
	return createRetriedSends(store, clock, run.node.id, digestKeyOf, (error) =>
		logger.warn(`n8n could not store what this retry has sent: ${messageOf(error)}`),
	);
}

/** A send that waits for its status from the store. */
interface PendingSend {
	key: string;
	send: Send;
	resolve: (status: SendStatus) => void;
	reject: (error: unknown) => void;
}

/**
 * Batches access to the store: sends that arrive while a call is in flight share the next call.
 *
 * @param keyOf identifies a send; the same in all retries of an execution, different for all other sends
 * @param onFailure called if the end of a send could not be stored; that send then counts as unconfirmed
 */
function createRetriedSends(
	store: KeyStore,
	clock: Clock,
	nodeId: string,
	keyOf: (send: Send) => string,
	onFailure: (error: unknown) => void,
): SendClaims {
	const row = createRetryRow(store, clock, nodeId);
	let pendingSends: PendingSend[] = [];
	let pendingRemovals: string[] = [];
	let isScheduled = false;
	let lastFlush = Promise.resolve();

	const removeKeys = async (keys: string[]): Promise<void> => {
		if (keys.length > 0) await store.remove(keys).catch(onFailure);
	};

	const flush = async (): Promise<void> => {
		isScheduled = false;
		const [removals, sends] = [pendingRemovals, pendingSends];
		[pendingRemovals, pendingSends] = [[], []];
		await removeKeys(removals);
		await removeKeys(await startSends(row, sends));
	};

	const scheduleFlush = (): void => {
		if (isScheduled) return;
		isScheduled = true;
		lastFlush = inSeries(nodeId, flush);
	};

	const remove = (...keys: string[]): void => {
		pendingRemovals.push(...keys);
		scheduleFlush();
	};

	return {
		claim: async (send) =>
			await new Promise((resolve, reject) => {
				pendingSends.push({ key: keyOf(send), send, resolve, reject });
				scheduleFlush();
			}),
		confirm(send) {
			const key = keyOf(send);
			row.keep(
				key,
				storedKeysOf({ key, send }).filter((each) => each !== openKey(key)),
			);
			remove(openKey(key));
		},
		withdraw(send) {
			const key = keyOf(send);
			row.forget(key);
			remove(...storedKeysOf({ key, send }));
		},
		// The key `open` says so.
		release() {},
		async close() {
			await lastFlush;
			await row.close();
		},
	};
}

/**
 * Records the start of the sends, and resolves them with their status.
 *
 * @returns the recorded keys that must be removed again. `open` is among them, so if n8n is killed before that, the send
 *   counts as unconfirmed and the others prove nothing
 */
async function startSends(row: RetryRow, sends: readonly PendingSend[]): Promise<string[]> {
	const unneededKeys: string[] = [];
	try {
		const storedBefore = await row.recordStart(sends);
		const sentTexts: PendingSend[] = [];
		for (const pending of sends) {
			const status = statusIn(storedBefore, pending);
			if (status?.state === 'new') row.keep(pending.key, storedKeysOf(pending));
			else unneededKeys.push(...storedKeysOf(pending).filter((each) => !storedBefore.has(each)));
			if (status) pending.resolve(status);
			else sentTexts.push(pending);
		}
		const split = await row.readSplit(sentTexts);
		for (const { key, resolve } of sentTexts) {
			const wasSplit = split.has(splitKey(key));
			if (!wasSplit) unneededKeys.push(splitKey(key));
			resolve({ state: wasSplit ? 'sentOtherwise' : 'sent' });
		}
	} catch (error) {
		const unknown = databaseError(error, 'n8n could not check whether an earlier retry already sent this');
		for (const { reject } of sends) reject(unknown);
	}
	return unneededKeys;
}

/** The status of a send; undefined for a whole text that was sent, because an earlier retry may have split it. */
function statusIn(storedBefore: ReadonlySet<string>, { key, send }: PendingSend): SendStatus | undefined {
	const { request, part } = send;
	if (storedBefore.has(openKey(key))) return { state: 'unconfirmed' };
	if (!storedBefore.has(begunSendKey(key))) return { state: 'new' };
	if (request.endpoint.sends === 'text' && !part) return undefined;
	// Only the first part has the key of something else.
	const isSame = part?.index !== 0 || storedBefore.has(partsKey(key, part.texts));
	return { state: isSame ? 'sent' : 'sentOtherwise' };
}

/** The row of n8n's database that all retries of a node share, as one execution uses it. */
interface RetryRow {
	/** Records the keys of the sends. Returns those that were recorded before. */
	recordStart(sends: readonly PendingSend[]): Promise<Set<string>>;
	/** Records the keys `split` of whole texts, because reading them also does. Returns those that were recorded before. */
	readSplit(texts: readonly PendingSend[]): Promise<Set<string>>;
	/** Keeps the recorded keys of a send, in case another process overwrites them. */
	keep(key: string, keys: string[]): void;
	forget(key: string): void;
	/** Called at the end. Records what another process has overwritten, until none can do so any more. */
	close(): Promise<void>;
}

/** Creates the access of one execution to the row. */
function createRetryRow(store: KeyStore, clock: Clock, nodeId: string): RetryRow {
	/** The sends of this run in `keptKeys`. */
	const ownSends = new Set<string>();
	let recordedAt = 0;

	const inThisNode = (key: string) => `${nodeId} ${key}`;

	/** Records the keys. Returns what the row or this process had of the sends before. */
	const record = async (keys: string[], sends: readonly PendingSend[]): Promise<Set<string>> => {
		const inRow = keys.length > 0 ? await store.record(keys) : [];
		return new Set([...inRow, ...sends.flatMap(({ key }) => keptKeys.get(inThisNode(key)) ?? [])]);
	};

	/** Records what another process has overwritten. Returns whether something may still be missing. */
	const restore = async (): Promise<boolean> => {
		const keys = [...ownSends].flatMap((send) => keptKeys.get(send) ?? []);
		const storedBefore = await store.record(keys).catch(() => []);
		recordedAt = clock.now();
		return storedBefore.length < keys.length;
	};

	return {
		async recordStart(sends) {
			const storedBefore = await record(sends.flatMap(storedKeysOf), sends);
			recordedAt = clock.now();
			return storedBefore;
		},
		readSplit: async (texts) =>
			await record(
				texts.map(({ key }) => splitKey(key)),
				texts,
			),
		keep(key, keys) {
			ownSends.add(inThisNode(key));
			keptKeys.set(inThisNode(key), keys);
		},
		forget(key) {
			ownSends.delete(inThisNode(key));
			keptKeys.delete(inThisNode(key));
		},
		async close() {
			for (let restores = 0; ownSends.size > 0 && restores < MAX_RESTORES; restores++) {
				// Until no other process can overwrite the records with an older row. Not if the execution is stopped.
				await clock.sleep(recordedAt + ROW_WRITE_MS - clock.now()).catch(() => undefined);
				if (!(await inSeries(nodeId, restore))) break;
			}
			for (const send of ownSends) keptKeys.delete(send);
		},
	};
}

/**
 * The keys of a send. The store drops the oldest keys first, so what proves something comes first. A send with only `begun`
 * left would count as sent.
 */
function storedKeysOf({ key, send: { part } }: Pick<PendingSend, 'key' | 'send'>): string[] {
	const keys = [begunSendKey(key), openKey(key)];
	return part?.index === 0 ? [partsKey(key, part.texts), ...keys, splitKey(key)] : keys;
}
