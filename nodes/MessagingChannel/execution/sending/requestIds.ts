import partition from 'lodash/partition';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../../api/clock';
import { messageOf } from '../../api/errors';
import type { KeyStore } from '../../n8n/keyStore';
import { nodeKeyOf } from '../../n8n/nodeKey';
import { createSerialQueue, type SerialQueue } from '../../n8n/serialQueue';
import { digestOf } from './digest';
import type { Send } from './sendLog';
import type { EarlierRequest, SendRecords } from './sendRecords';
import { databaseError, sendStoreOf } from './sendStore';
import { createSignsOfLife, type Beats } from './signsOfLife';

/** A send with an ID of the user. */
export interface IdentifiedSend extends Send {
	/** Identifies the request ID and the account, and reveals neither. */
	requestKey: string;
}

/** Each call rewrites the whole row, so one call records as many sends as are made in a second, within these limits. */
const MIN_BATCH = 25;
const MAX_BATCH = 125;

/** How long a confirmed send may wait for the next call, so that n8n can be killed at any time. */
const CONFIRMATION_DELAY_MS = 1000;

/** Times are stored in steps of this length. */
const TIME_STEP_MS = 10 * 60 * 1000;

/** How far back times are read. */
const TIME_STEPS = 144;

/** Stored before the request is sent. Removed only if it was certainly not made. */
const begunKey = (request: string) => `id ${request}`;

/** Stored before a text is sent. */
const textKey = (request: string, text: string) => `text ${request} ${text}`;

/** Stored when the request is confirmed. */
const madeKey = (request: string) => `made ${request}`;

/**
 * Stored while the other keys are read, because reading a key also stores it. If n8n is killed meanwhile, this key remains,
 * and the others prove nothing.
 */
const readingKey = (request: string) => `reading ${request}`;

/** Stored while executions run, and permanently after one that left a request unconfirmed. */
const RUNNING_KEY = 'running';

/** Stored with each batch. */
const timeKey = (step: number) => `time ${step}`;

/** What this process knows about a request. */
type RequestState =
	/** Recorded as begun by this process, and not sent yet. */
	| { kind: 'recorded' }
	| { kind: 'sent' }
	/** Begun by an earlier execution. `earlier` is not set if this process has checked it already. */
	| { kind: 'unconfirmed'; earlier?: EarlierRequest }
	/** In flight. */
	| { kind: 'inFlight'; ended: Promise<void>; end: () => void };

/** A send that an earlier execution began, and did not confirm. */
interface EarlierSend {
	send: IdentifiedSend;
	earlier: EarlierRequest;
}

/** What earlier executions have stored about a request. */
interface Trace {
	/** Whether its keys prove anything. */
	isProven: boolean;
	/** Whether it was confirmed. */
	isMade: boolean;
	/** Whether it had this text. */
	hasSameText: boolean;
	/** The keys that only this process has stored, to read them. */
	ownKeys: string[];
}

/** What the running executions of this process share about the request IDs of one node. */
interface NodeRequests extends Beats {
	/** The number of running executions. */
	executions: number;
	states: Map<string, RequestState>;
	/** The stored text key of each request. */
	textKeys: Map<string, string>;
	/** Confirmed requests that are not stored as such yet. */
	confirmed: Set<string>;
	/** When the row was written last, in Unix milliseconds. */
	recordedAt: number;
	/** Keys to remove. */
	unneededKeys: Set<string>;
	/** Whether an earlier execution may have left a request unconfirmed; undefined before the first batch. */
	mayBeInterrupted: boolean | undefined;
	/** Requests whose stored keys prove nothing. */
	unproven: Set<string>;
	/** The steps of time that this process has stored, and those that were stored before. */
	ownSteps: Set<number>;
	earlierSteps: Set<number>;
	/** The row is used by one caller at a time. */
	inSeries: SerialQueue;
}

/** By workflow and node. */
const nodes = new Map<string, NodeRequests>();

/**
 * Opens the records of the requests with an ID. All executions of a process share them. Call `close` at the end.
 *
 * @param sends the sends of this execution that have an ID, in order
 * @param beforeRecovery called before the first send of a batch, with the texts that an earlier execution may have sent;
 *   returns the keys of the requests that cannot be in the service's queue any more
 */
export function requestIdsOf(
	context: IExecuteFunctions,
	clock: Clock,
	sends: readonly IdentifiedSend[],
	beforeRecovery: (sends: readonly IdentifiedSend[]) => Promise<ReadonlySet<string>>,
): SendRecords {
	const name = nodeKeyOf(context);
	const node = nodes.get(name) ?? newNodeRequests();
	nodes.set(name, node);
	node.executions++;
	const onClose = () => {
		node.executions--;
		if (node.executions === 0) nodes.delete(name);
	};
	const onFailure = (error: unknown) =>
		context.logger.warn(`n8n could not store which request IDs were used: ${messageOf(error)}`);
	return createRequestIds(node, sendStoreOf(context), clock, sends, { beforeRecovery, onFailure, onClose });
}

/**
 * What identifies the sends of a request ID; see `Send`.
 *
 * @param sender identifies the node
 */
export function requestKeysOf(
	sender: string,
	accountDigest: string,
	requestId: string,
): Required<Pick<Send, 'requestId' | 'requestKey' | 'id'>> {
	const requestKey = digestOf(JSON.stringify([accountDigest, requestId]));
	// Another node can use the same IDs for other messages.
	return {
		requestId,
		requestKey,
		id: JSON.stringify([sender, requestKey]),
	};
}

function newNodeRequests(): NodeRequests {
	return {
		executions: 0,
		states: new Map(),
		textKeys: new Map(),
		confirmed: new Set(),
		recordedAt: -Infinity,
		unneededKeys: new Set(),
		mayBeInterrupted: undefined,
		lastBeat: undefined,
		isListening: false,
		unproven: new Set(),
		ownSteps: new Set(),
		earlierSteps: new Set(),
		inSeries: createSerialQueue(),
	};
}

function createRequestIds(
	node: NodeRequests,
	store: KeyStore,
	clock: Clock,
	sends: readonly IdentifiedSend[],
	{
		beforeRecovery,
		onFailure,
		onClose,
	}: {
		beforeRecovery: (sends: readonly IdentifiedSend[]) => Promise<ReadonlySet<string>>;
		onFailure: (error: unknown) => void;
		onClose: () => void;
	},
): SendRecords {
	const { states, textKeys, confirmed, unneededKeys, unproven, inSeries } = node;
	const places = new Map<string, number>();
	for (const [place, { requestKey }] of sends.entries()) {
		if (!places.has(requestKey)) places.set(requestKey, place);
	}
	/** The requests that this execution has recorded as begun. */
	const recorded = new Set<string>();
	/** The requests that this execution has in flight. */
	const claimed = new Set<string>();
	let batchSize = 0;
	let batchedAt = -Infinity;
	let isFlushScheduled = false;
	/** Whether no other process runs executions of the node; undefined until it matters. */
	let isOnlyProcess: boolean | undefined;
	/** Whether earlier executions have begun IDs of this one, and may have been interrupted. */
	let isRepeated = false;
	const ended = new AbortController();

	const removeUnneeded = async (): Promise<void> => {
		const keys = [...unneededKeys];
		if (keys.length === 0) return;
		await store.remove(keys);
		for (const key of keys) unneededKeys.delete(key);
	};

	/** Records the keys, with what was confirmed meanwhile. Returns those that were recorded before. */
	const record = async (keys: string[]): Promise<Set<string>> => {
		const made = [...confirmed];
		// Both, because another process may have overwritten the first.
		const madeKeys = made.flatMap((request) => [begunKey(request), madeKey(request)]);
		const before = new Set(await store.record([...madeKeys, ...keys]));
		for (const request of made) confirmed.delete(request);
		node.recordedAt = clock.now();
		return before;
	};

	const flush = async (): Promise<void> => {
		if (confirmed.size > 0) await record([]);
		await removeUnneeded();
	};

	/** Waits until nothing has been recorded for a while, because each batch also records what was confirmed before it. */
	const flushLater = async (): Promise<void> => {
		for (let delayMs = CONFIRMATION_DELAY_MS; delayMs > 0;) {
			await clock.sleep(delayMs, ended.signal);
			delayMs = node.recordedAt + CONFIRMATION_DELAY_MS - clock.now();
		}
		await inSeries(flush).catch(onFailure);
	};

	const flushSoon = (): void => {
		if (isFlushScheduled) return;
		isFlushScheduled = true;
		const end = () => {
			isFlushScheduled = false;
		};
		void flushLater().then(end, end);
	};

	/** The send and those after it that this process does not know yet, as many as are likely to be sent in a second. */
	const nextBatch = (send: IdentifiedSend): IdentifiedSend[] => {
		const perSecond = Math.round((batchSize * 1000) / (clock.now() - batchedAt));
		const size = Math.min(Math.max(perSecond || 0, MIN_BATCH), MAX_BATCH);
		const batch = new Map([[send.requestKey, send]]);
		const first = places.get(send.requestKey) ?? sends.length;
		for (let place = first; place < sends.length && batch.size < size; place++) {
			const next = sends[place] as IdentifiedSend;
			if (!states.has(next.requestKey) && !batch.has(next.requestKey)) batch.set(next.requestKey, next);
		}
		batchSize = batch.size;
		batchedAt = clock.now();
		return [...batch.values()];
	};

	/**
	 * Reads which of the begun requests were confirmed. Those are known as sent from now on.
	 *
	 * @param textsBefore the text keys that were stored before this execution stored its own; undefined if it has not
	 * @returns those that were not confirmed
	 */
	const readEarlier = async (
		begun: readonly IdentifiedSend[],
		textsBefore?: ReadonlySet<string>,
	): Promise<EarlierSend[]> => {
		if (begun.length === 0) return [];
		const before = await record(
			begun.flatMap((send) => [readingKey(send.requestKey), madeKey(send.requestKey), ...textKeysOf(send)]),
		);
		const unconfirmed: EarlierSend[] = [];
		for (const send of begun) {
			const request = send.requestKey;
			const { isProven, isMade, hasSameText, ownKeys } = traceOf(send, before, textsBefore);
			for (const key of ownKeys) unneededKeys.add(key);
			if (!isProven) unproven.add(request);
			if (isMade) {
				states.set(request, { kind: 'sent' });
				continue;
			}
			if (hasSameText) textKeys.set(request, textKeysOf(send)[0] as string);
			const isDecidedByChat = isProven && isOnlyProcess === true;
			unconfirmed.push({ send, earlier: { hasSameText, isDecidedByChat, sentAfter: undefined } });
		}
		await removeUnneeded();
		if (unconfirmed.length === 0) return [];
		const sentAfter = await readTime();
		return unconfirmed.map(({ send, earlier }) => ({ send, earlier: { ...earlier, sentAfter } }));
	};

	/** When the latest batch of an earlier execution was recorded. What it left unconfirmed was sent after that. */
	const readTime = async (): Promise<number | undefined> => {
		const current = timeStepOf(clock.now());
		const steps = Array.from({ length: TIME_STEPS }, (_, age) => current - age);
		const unknown = steps.filter((step) => !node.ownSteps.has(step) && !node.earlierSteps.has(step));
		const before = await record(unknown.map(timeKey));
		for (const step of unknown) {
			if (before.has(timeKey(step))) node.earlierSteps.add(step);
			else unneededKeys.add(timeKey(step));
		}
		await removeUnneeded();
		const latest = steps.find((step) => node.earlierSteps.has(step));
		return latest === undefined ? undefined : latest * TIME_STEP_MS;
	};

	const signsOfLife = createSignsOfLife(node, clock, ended.signal, record, (key) => unneededKeys.add(key));

	const recordBatch = async (send: IdentifiedSend): Promise<void> => {
		// Chosen first: what is refused meanwhile still has its key, and looks like a request of an earlier execution.
		const batch = nextBatch(send);
		await removeUnneeded();
		const step = timeStepOf(clock.now());
		// A text key stored for an interrupted request would say that it had this text.
		const isQuick = node.mayBeInterrupted === false && !isRepeated;
		const keysOf = (each: IdentifiedSend) => [
			begunKey(each.requestKey),
			...(isQuick ? textKeysOf(each) : []),
		];
		const before = await record([RUNNING_KEY, timeKey(step), ...batch.flatMap(keysOf)]);
		node.mayBeInterrupted ??= before.has(RUNNING_KEY);
		if (before.has(timeKey(step)) && !node.ownSteps.has(step)) node.earlierSteps.add(step);
		node.ownSteps.add(step);
		const [begun, fresh] = partition(
			batch,
			({ requestKey }) => before.has(begunKey(requestKey)) && !recorded.has(requestKey),
		);
		for (const { requestKey } of fresh) recorded.add(requestKey);
		isRepeated ||= begun.length > 0;
		const unconfirmed = await readEarlier(begun, isQuick ? before : undefined);
		const [withText, others] = partition(unconfirmed, ({ earlier }) => earlier.hasSameText);
		let recoverable = withText;
		if (recoverable.length > 0 && isOnlyProcess === undefined) {
			isOnlyProcess = await signsOfLife.listen();
			// Another process may have ended meanwhile.
			recoverable = await readEarlier(recoverable.map((each) => each.send));
		}
		// Only now it is known that no earlier execution has begun them.
		const texts = isQuick ? [] : fresh.flatMap(textKeysOf);
		if (texts.length > 0) await record(texts);
		const recovering = recoverable.map((each) => each.send);
		const notQueued = recovering.length > 0 ? await beforeRecovery(recovering) : new Set<string>();
		// Only now, because an item whose request has a state does not wait for this batch.
		for (const { send: earlierSend, earlier } of [...recoverable, ...others]) {
			const { requestKey } = earlierSend;
			const isDecidedByChat = earlier.isDecidedByChat && notQueued.has(requestKey);
			states.set(requestKey, { kind: 'unconfirmed', earlier: { ...earlier, isDecidedByChat } });
		}
		for (const fresher of fresh) {
			const [text] = textKeysOf(fresher);
			if (text !== undefined) textKeys.set(fresher.requestKey, text);
			states.set(fresher.requestKey, { kind: 'recorded' });
		}
	};

	const failUnchecked = (error: unknown): never => {
		throw databaseError(error, 'n8n could not check whether this request ID was used before');
	};

	const recordIfUnknown = async (send: IdentifiedSend): Promise<void> =>
		await inSeries(async () => {
			if (!states.has(send.requestKey)) await recordBatch(send);
		}).catch(failUnchecked);

	/** Whether a text is stored for the request that is not the text of this send. It would prove nothing about this one. */
	const hasOtherText = (send: IdentifiedSend): boolean => {
		const stored = textKeys.get(send.requestKey);
		return stored !== undefined && stored !== textKeysOf(send)[0];
	};

	const removeText = async ({ requestKey }: IdentifiedSend): Promise<void> =>
		await inSeries(async () => {
			const stored = textKeys.get(requestKey);
			if (stored !== undefined) await store.remove([stored]);
			textKeys.delete(requestKey);
		}).catch(failUnchecked);

	/** Ends what is in flight. Without a state, the ID is free again. */
	const settle = (request: string, state?: RequestState): void => {
		claimed.delete(request);
		const previous = states.get(request);
		if (state) states.set(request, state);
		else states.delete(request);
		if (previous?.kind === 'inFlight') previous.end();
	};

	const forget = (request: string): void => {
		unneededKeys.add(begunKey(request));
		const text = textKeys.get(request);
		if (text !== undefined) unneededKeys.add(text);
		textKeys.delete(request);
		recorded.delete(request);
	};

	const isAnyUnconfirmed = (): boolean =>
		[...states.values()].some(({ kind }) => kind === 'unconfirmed' || kind === 'inFlight');

	const beating = signsOfLife.keepBeating().catch(() => undefined);

	return {
		async claim(send) {
			const identified = send as IdentifiedSend;
			const { requestKey } = identified;
			while (true) {
				const state = states.get(requestKey);
				if (!state) {
					await recordIfUnknown(identified);
				} else if (state.kind === 'recorded' && hasOtherText(identified)) {
					await removeText(identified);
				} else if (state.kind === 'inFlight') {
					await state.ended;
				} else if (state.kind === 'sent') {
					return { state: 'sent' };
				} else {
					// No other item can have it in flight, because nothing was awaited since the check.
					states.set(requestKey, inFlight());
					claimed.add(requestKey);
					return state.kind === 'recorded'
						? { state: 'new' }
						: { state: 'unconfirmed', earlier: hasOtherText(identified) ? undefined : state.earlier };
				}
			}
		},
		confirm(send) {
			const { requestKey } = send as IdentifiedSend;
			confirmed.add(requestKey);
			if (unproven.delete(requestKey)) unneededKeys.add(readingKey(requestKey));
			settle(requestKey, { kind: 'sent' });
			flushSoon();
		},
		withdraw(send) {
			const { requestKey } = send as IdentifiedSend;
			forget(requestKey);
			settle(requestKey);
		},
		release(send) {
			settle((send as IdentifiedSend).requestKey, { kind: 'unconfirmed' });
		},
		async close() {
			ended.abort();
			await beating;

			// A send that was cancelled may have been made.
			for (const request of claimed) settle(request, { kind: 'unconfirmed' });
			await inSeries(async () => {
				// Without a confirmation these were never sent.
				for (const request of recorded) {
					if ((states.get(request)?.kind ?? 'recorded') !== 'recorded') continue;
					forget(request);
					states.delete(request);
				}
				if (node.executions === 1 && node.mayBeInterrupted === false && !isAnyUnconfirmed())
					unneededKeys.add(RUNNING_KEY);
				const aliveKey = signsOfLife.currentKey();
				if (node.executions === 1 && aliveKey !== undefined) unneededKeys.add(aliveKey);
				await flush();
			}).catch(onFailure);
			onClose();
		},
	};
}

function inFlight(): RequestState {
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	return { kind: 'inFlight', ended, end };
}

function timeStepOf(now: number): number {
	return Math.floor(now / TIME_STEP_MS);
}

/**
 * What earlier executions have stored about a request that they began.
 *
 * @param before which of its keys were stored before they were read
 * @param textsBefore see `readEarlier`
 */
function traceOf(
	send: IdentifiedSend,
	before: ReadonlySet<string>,
	textsBefore?: ReadonlySet<string>,
): Trace {
	const { requestKey } = send;
	const texts = textKeysOf(send);
	const isProven = !before.has(readingKey(requestKey));
	const isNew = (key: string) => !before.has(key);
	return {
		isProven,
		isMade: isProven && before.has(madeKey(requestKey)),
		hasSameText: texts.some((key) => (textsBefore ?? before).has(key)),
		ownKeys: [
			...(textsBefore ? texts.filter((key) => !textsBefore.has(key)) : []),
			...(isProven ? [readingKey(requestKey), ...[madeKey(requestKey), ...texts].filter(isNew)] : []),
		],
	};
}

/** None unless the send is one text, because only that can be recognized in the chat. */
function textKeysOf({ request, requestKey, partitionKey, part }: IdentifiedSend): string[] {
	if (request.endpoint.sends !== 'text' || part) return [];
	return [textKey(requestKey, digestOf(JSON.stringify([partitionKey, request.parameters?.message])))];
}
