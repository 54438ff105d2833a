import partition from 'lodash/partition';

import type { Clock } from '../../../api/clock';
import type { FindNotQueued } from '../sendJournal';
import { readEarlierSends, type UnconfirmedSend } from './earlierSends';
import type { Heartbeat } from './heartbeat';
import type { NodeRequests } from './nodeRequests';
import { begunKey, RUNNING_KEY, textKeysOf, timeKey, type IdentifiedSend } from './requestKeys';
import type { RequestRow } from './requestRow';
import { createSendTimes } from './sendTimes';

/** Each call rewrites the whole row, so one call records as many sends as are made in a second, within these limits. */
const MIN_BATCH = 25;
const MAX_BATCH = 125;

/** Records sends as begun, in batches, and gives each a state in the node. */
export interface Batches {
	/** Records the send, with those after it that this process does not know yet. */
	recordFrom(send: IdentifiedSend): Promise<void>;
}

/**
 * Creates the batches of one execution.
 *
 * @param sends all sends of this execution that have an ID, in order
 */
export function createBatches(
	node: NodeRequests,
	row: RequestRow,
	clock: Clock,
	sends: readonly IdentifiedSend[],
	heartbeat: Heartbeat,
	findNotQueued: FindNotQueued,
): Batches {
	const { states, recordedBy, textKeys, unneededKeys, unproven } = node;
	const times = createSendTimes(node, row, clock);
	const nextBatch = createBatchChoice(sends, clock, (request) => states.has(request));
	/** Whether no other process runs executions of the node; undefined until it matters. */
	let isOnlyProcess: boolean | undefined;
	/** Whether earlier executions have begun IDs of this one, and may have been interrupted. */
	let isRepeated = false;

	/** Those that were confirmed are known as sent from now on. Returns the others. */
	const readUnconfirmed = async (
		begun: readonly IdentifiedSend[],
		textsBefore?: ReadonlySet<string>,
	): Promise<UnconfirmedSend[]> => {
		const { confirmed, unconfirmed } = await readEarlierSends(row, unneededKeys, begun, textsBefore);
		for (const { requestKey } of confirmed) states.set(requestKey, { kind: 'sent' });
		for (const { send, isProven, hasSameText } of unconfirmed) {
			if (!isProven) unproven.add(send.requestKey);
			if (hasSameText) textKeys.set(send.requestKey, textKeysOf(send)[0] as string);
		}
		return unconfirmed;
	};

	/** Those that are still unconfirmed when it is known whether another process can be sending them. */
	const waitForOtherProcesses = async (unconfirmed: UnconfirmedSend[]): Promise<UnconfirmedSend[]> => {
		if (unconfirmed.length === 0 || isOnlyProcess !== undefined) return unconfirmed;
		isOnlyProcess = await heartbeat.isAlone();
		// Another process may have ended meanwhile.
		return await readUnconfirmed(unconfirmed.map(({ send }) => send));
	};

	return {
		async recordFrom(send) {
			// Chosen first: what is refused meanwhile still has its key, and looks like a request of an earlier execution.
			const batch = nextBatch(send);
			for (const { requestKey } of batch) {
				// It was in a batch that failed, and may have another text now.
				const text = recordedBy.has(requestKey) ? textKeys.get(requestKey) : undefined;
				if (text !== undefined) unneededKeys.add(text);
			}
			await row.removeUnneeded();
			const step = times.currentStep();
			// Otherwise a text key, if stored with a request that was interrupted, would say that it had this text.
			const storesTexts = node.mayBeInterrupted === false && !isRepeated;
			const keysOf = (each: IdentifiedSend) => [
				begunKey(each.requestKey),
				...(storesTexts ? textKeysOf(each) : []),
			];
			const before = await row.record([RUNNING_KEY, timeKey(step), ...batch.flatMap(keysOf)]);
			node.mayBeInterrupted ??= before.has(RUNNING_KEY);
			times.noteStored(step, before);
			const [begun, fresh] = partition(
				batch,
				({ requestKey }) => before.has(begunKey(requestKey)) && !recordedBy.has(requestKey),
			);
			// At once, because the batch can fail, and then these keys are not needed.
			for (const each of fresh) {
				recordedBy.set(each.requestKey, row);
				for (const text of textKeysOf(each)) textKeys.set(each.requestKey, text);
			}
			isRepeated ||= begun.length > 0;
			const [withSameText, others] = partition(
				await readUnconfirmed(begun, storesTexts ? before : undefined),
				'hasSameText',
			);
			const recoverable = await waitForOtherProcesses(withSameText);
			const sentAfter = recoverable.length > 0 ? await times.readLatestEarlier() : undefined;
			// Only now it is known that no earlier execution has begun them.
			const texts = storesTexts ? [] : fresh.flatMap(textKeysOf);
			if (texts.length > 0) await row.record(texts);
			const notQueued =
				recoverable.length > 0 ? await findNotQueued(recoverable.map((each) => each.send)) : new Set();
			// Only now, because an item whose request has a state does not wait for this batch.
			for (const {
				send: { requestKey },
				isProven,
				hasSameText,
			} of [...recoverable, ...others]) {
				const isDecidedByChat = isProven && isOnlyProcess === true && notQueued.has(requestKey);
				states.set(requestKey, { kind: 'unconfirmed', earlier: { hasSameText, isDecidedByChat, sentAfter } });
			}
			for (const { requestKey } of fresh) states.set(requestKey, { kind: 'recorded' });
		},
	};
}

/**
 * Chooses the sends of each batch: a send and those after it that this process does not know yet, as many as are likely to
 * be sent in a second.
 */
function createBatchChoice(
	sends: readonly IdentifiedSend[],
	clock: Clock,
	isKnown: (request: string) => boolean,
): (first: IdentifiedSend) => IdentifiedSend[] {
	const places = new Map<string, number>();
	for (const [place, { requestKey }] of sends.entries()) {
		if (!places.has(requestKey)) places.set(requestKey, place);
	}
	let lastSize = 0;
	let lastAt = 0;
	return (first) => {
		const perSecond = Math.round((lastSize * 1000) / (clock.now() - lastAt));
		const size = Math.min(Math.max(perSecond || 0, MIN_BATCH), MAX_BATCH);
		const batch = new Map([[first.requestKey, first]]);
		for (
			let place = places.get(first.requestKey) ?? sends.length;
			place < sends.length && batch.size < size;
			place++
		) {
			const next = sends[place] as IdentifiedSend;
			if (!isKnown(next.requestKey) && !batch.has(next.requestKey)) batch.set(next.requestKey, next);
		}
		lastSize = batch.size;
		lastAt = clock.now();
		return [...batch.values()];
	};
}
