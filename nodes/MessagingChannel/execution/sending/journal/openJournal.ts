import once from 'lodash/once';
import partition from 'lodash/partition';

import type { Clock } from '../../../api/clock';
import { messageOf } from '../../../api/errors';
import type { ActionRun } from '../../../n8n/actionRun';
import type { Begun, Fact } from '../../../n8n/journal/contract';
import { CAPACITY } from '../../../n8n/journal/room';
import { hasOwnId, type Send, type SendEnd } from '../send';
import { noRoomError, uncheckedError } from '../sendErrors';
import type { EarlierSend, FindNotQueued, SendJournal } from '../sendJournal';
import { createBatchBegin } from './batchBegin';
import { createBatchChoice } from './batchChoice';
import { factOfId, factOfPlace } from './facts';
import { createHands } from './hands';
import { createHeartbeat } from './heartbeat';
import { joinNode, leaveNode, type KnownState } from './nodeSends';

/**
 * How many seconds a batch lasts. One that waits for other processes takes more than two, and is begun while the one before it is
 * sent.
 */
const BATCH_SECONDS = 1;
const WAITING_BATCH_SECONDS = 3;

/** What a run with fewer sends pushes out is everyday use, and is not told. */
const TOLD_FROM = 100;

/** A fact of a send, and whether it is that of a request ID. */
interface SendFact extends Fact {
	isId: boolean;
}

/** The state of a fact after it was begun. */
function stateOf(fact: Fact, begun: Begun): KnownState {
	if (begun.state === 'absent') return { kind: 'begun', fact };
	if (begun.state === 'open') return { kind: 'open', fact };
	return { kind: fact.keepsTag && !begun.hasSameTag ? 'otherwise' : 'done' };
}

/**
 * Opens the journal of a run. A send has a fact for its request ID, and one for its place in a retried execution: n8n starts each
 * "Retry execution" with the data of the original one, which does not contain what other retries sent. Call `close` at the end.
 *
 * @param sends all sends of the run, in order
 */
export function sendJournalOf(
	run: ActionRun,
	clock: Clock,
	sends: readonly Send[],
	findNotQueued: FindNotQueued,
): SendJournal {
	const { retryOf, isWorker } = run;
	const facts = sends.filter(hasOwnId).map(factOfId);
	const size = retryOf === undefined ? new Set(facts.map(({ id }) => id)).size : sends.length;
	const node = joinNode(run.nodeKey, {
		row: run.row(),
		clock,
		isShared: retryOf !== undefined || isWorker,
		onFailure: once((error) => run.logger.warn(`n8n could not store what was sent: ${messageOf(error)}`)),
	});
	const { journal, room, states } = node;
	const ended = new AbortController();
	const heartbeat = createHeartbeat(node.heartbeat, journal, clock, ended.signal);
	const beating = facts.length > 0 ? heartbeat.keepBeating().catch(() => undefined) : undefined;
	const batchBegin = createBatchBegin(node, heartbeat, findNotQueued, isWorker);
	const hands = createHands(states, run.cancelled);
	/** What was there before this run asked for it. */
	const foundBefore = new Set<string>();
	/** What nobody waits for before the end. */
	const pending = new Set<Promise<void>>();

	const factsOf = (send: Send): SendFact[] => {
		const place = retryOf !== undefined && !send.parts ? factOfPlace(send, run, retryOf) : undefined;
		return [
			...(hasOwnId(send) ? [{ ...factOfId(send), isId: true }] : []),
			...(place ? [{ ...place, isId: false }] : []),
		];
	};

	// Without other processes, a place is begun alone, so that a kill leaves no other one open.
	const ahead = sends.flatMap(factsOf).filter(({ isId }) => isId || isWorker);
	const seconds = isWorker ? WAITING_BATCH_SECONDS : BATCH_SECONDS;
	const batches = createBatchChoice(ahead, clock, (id) => states.has(id), seconds);

	/** Begins a fact that is in somebody's hands, with those that are likely to be asked for next. Returns its state; none if it was refused. */
	const beginFrom = async (fact: SendFact): Promise<KnownState | undefined> => {
		const batch = batches.from(fact);
		const others = batch.filter(({ id }) => id !== fact.id);
		const letGos = others.map(({ id }) => ({ id, letGo: hands.reserve(id) }));
		const found = new Map<string, KnownState>();
		try {
			const begun = await batchBegin.begin(batch);
			for (const each of batch) {
				const before = begun.get(each.id);
				if (!before) continue;
				found.set(each.id, stateOf(each, before));
				if (before.state !== 'absent') foundBefore.add(each.id);
			}
			const ids = batch.filter(({ isId }) => isId);
			for (const [id, state] of await batchBegin.examine(ids, begun)) found.set(id, state);
		} catch (error) {
			// Somebody can ask for them again.
			for (const [id, { kind }] of found) if (kind === 'open') found.delete(id);
			if (!found.has(fact.id)) return await Promise.reject(error as Error);
		} finally {
			// Only now, because an item whose send has a state does not wait for this batch. Those that waited go on before the one that began it.
			for (const { id, letGo } of letGos) letGo(found.get(id));
		}
		return found.get(fact.id);
	};

	/** Begins a fact with its own tag. That of another item would prove something else of this send. */
	const beginAnew = async (fact: SendFact): Promise<KnownState> => {
		journal.cancel(fact.id);
		const begun = await journal.begin([fact], isWorker);
		return stateOf(fact, begun.get(fact.id) as Begun);
	};

	/** Takes a fact into the hands of this run, unless it must not be made. Begins it if it has no state. */
	const take = async (fact: SendFact): Promise<EarlierSend> => {
		for (let free = hands.whenFree(fact.id); free; free = hands.whenFree(fact.id)) await free;
		if (size > CAPACITY || batchBegin.isRefused(fact.id)) throw noRoomError(CAPACITY);
		// At once, so that the next item finds it in the hands of this one.
		const known = hands.take(fact.id);
		let state: KnownState | undefined;
		try {
			state = known ?? (await beginFrom(fact));
			if (state?.kind === 'begun' && state.fact.tag !== fact.tag) state = await beginAnew(fact);
		} catch (error) {
			hands.letGo(fact.id, undefined);
			throw uncheckedError(error, fact.isId);
		}
		if (isWorker && state) beginNext(fact);
		if (state?.kind === 'begun') return { state: 'absent' };
		if (state?.kind === 'open')
			return { state: 'open', earlier: state.fact.tag === fact.tag ? state.earlier : undefined };
		hands.letGo(fact.id, state);
		if (!state) throw noRoomError(CAPACITY);
		return { state: state.kind };
	};

	/** Begins what comes after the last batch, once that is being sent. */
	const beginNext = (asked: SendFact): void => {
		const next = batches.next(asked);
		if (!next) return;
		const letGo = hands.reserve(next.id);
		// Whoever asks for what failed begins it again, and is told the error.
		const begun = beginFrom(next).catch(() => undefined);
		pending.add(begun.then(letGo));
	};

	/** Ends a send that is in the hands of this run. */
	const release = (fact: Fact, end: SendEnd): void => {
		if (end === 'made') journal.finish(fact.id);
		if (end === 'notMade') journal.cancel(fact.id);
		const states = { made: { kind: 'done' }, notMade: undefined, uncertain: { kind: 'open', fact } } as const;
		hands.letGo(fact.id, states[end]);
	};

	/** Frees what was begun and not sent. Another execution with the same sends begins it again. */
	const freeUnsent = (): void => {
		for (const { id } of ahead) {
			if (states.get(id)?.kind !== 'begun') continue;
			journal.cancel(id);
			states.delete(id);
		}
	};

	return {
		async begin(send) {
			const found: Array<{ fact: SendFact; earlier: EarlierSend }> = [];
			for (const fact of factsOf(send)) {
				const earlier = await take(fact).catch((error: unknown) => {
					for (const each of found) {
						if (each.earlier.state === 'absent') journal.cancel(each.fact.id);
						hands.letGo(each.fact.id, undefined);
					}
					throw error;
				});
				if (earlier.state === 'done') {
					for (const each of found) release(each.fact, 'made');
					return earlier;
				}
				found.push({ fact, earlier });
			}
			const is = (state: EarlierSend['state']) =>
				found.find(({ earlier }) => earlier.state === state)?.earlier;
			return is('otherwise') ?? is('open') ?? { state: 'absent' };
		},
		settle(send, end) {
			for (const fact of factsOf(send)) release(fact, end);
		},
		async close() {
			ended.abort();
			await beating;
			await Promise.all(pending);
			freeUnsent();
			heartbeat.end();
			const isWritten = (retryOf === undefined && (await journal.flush())) || (await journal.settle());
			// What could not be looked at has no state, and is open.
			const isDone = (id: string) => ['done', 'otherwise'].includes(String(states.get(id)?.kind));
			const [done, others] = partition([...foundBefore], isDone);
			const forgotten = await room.trim(done, others.length > 0).catch(() => 0);
			leaveNode(run.nodeKey, node, clock, isWritten);
			return size < TOLD_FROM ? 0 : forgotten;
		},
	};
}
