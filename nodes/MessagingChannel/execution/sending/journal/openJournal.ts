import type { Clock } from '../../../api/clock';
import { messageOf, stoppedError } from '../../../api/errors';
import type { ActionRun } from '../../../n8n/actionRun';
import type { Begun, Fact } from '../../../n8n/journal/contract';
import { CAPACITY } from '../../../n8n/journal/room';
import { hasOwnId, type Send } from '../send';
import { noRoomError, uncheckedError } from '../sendErrors';
import type { EarlierSend, FindNotQueued, SendEnd, SendJournal } from '../sendJournal';
import { createBatchChoice } from './batchChoice';
import { factOfId, factOfPlace } from './facts';
import { createHeartbeat } from './heartbeat';
import { busy, joinNode, leaveNode, type SendState } from './nodeSends';

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

type KnownState = Exclude<SendState, { kind: 'busy' }>;

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
	const identified = sends.filter(hasOwnId);
	const facts = identified.map(factOfId);
	const size = retryOf === undefined ? new Set(facts.map(({ id }) => id)).size : sends.length;
	const node = joinNode(run.nodeKey, {
		row: run.row(),
		clock,
		isShared: retryOf !== undefined || isWorker,
		onFailure: (error) => run.logger.warn(`n8n could not store what was sent: ${messageOf(error)}`),
	});
	const { journal, room, states, times } = node;
	const ended = new AbortController();
	const heartbeat = createHeartbeat(node.heartbeat, journal, clock, ended.signal);
	const beating = facts.length > 0 ? heartbeat.keepBeating().catch(() => undefined) : undefined;
	/** What this run has in its hands. */
	const held = new Map<string, SendState & { kind: 'busy' }>();
	const begunHere = new Set<string>();
	/** What was done before this run asked for it. */
	const doneBefore = new Set<string>();
	/** What the row has no room for. */
	const refused = new Set<string>();
	/** What nobody waits for before the end. */
	const pending: Array<Promise<void>> = [];
	let opened: Promise<void> | undefined;
	/** Whether no other process runs executions of the node; undefined until it matters, and on workers, which others can join. */
	let isOnlyProcess: boolean | undefined;

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

	/** Begins facts. Those that the row has no room for are refused. */
	const record = async (batch: readonly Fact[]): Promise<Map<string, Begun>> => {
		await (opened ??= room.open());
		const [found] = await Promise.all([journal.begin(batch, isWorker), times.noteBatch()]);
		const absent = [...found].filter(([, { state }]) => state === 'absent').map(([id]) => id);
		const isRoom = absent.length === 0 || (await room.admits(absent.length));
		if (!isRoom) journal.cancel(...absent);
		for (const id of isRoom ? [] : absent) refused.add(id);
		return new Map([...found].filter(([id]) => !refused.has(id)));
	};

	/** Finds out what the chat can tell of facts that are open and certainly had the same text. Returns their states. */
	const examine = async (
		batch: readonly Fact[],
		found: Map<string, Begun>,
		states: Map<string, KnownState>,
	): Promise<Map<string, KnownState>> => {
		const isShown = ({ id }: Fact) => found.get(id)?.state === 'open' && found.get(id)?.hasSameTag;
		if (!batch.some(isShown)) return new Map();
		// If it is alone, what others have begun in the batch is left of processes that have died.
		const isAlone = isOnlyProcess ?? (await heartbeat.isAlone());
		if (!isWorker) isOnlyProcess = isAlone;
		// Another process may have ended meanwhile.
		for (const [id, begun] of await journal.begin(batch.filter(isShown))) {
			found.set(id, begun);
			if (begun.state === 'done') states.set(id, { kind: 'done' });
		}
		const shown = batch.filter(isShown);
		if (shown.length === 0) return new Map();
		const sentAfter = await times.readLatestEarlier();
		const shownSends = identified.filter((send) => {
			const { id, tag } = factOfId(send);
			return shown.some((fact) => fact.id === id && fact.tag === tag);
		});
		const notQueued = await findNotQueued(shownSends);
		return new Map(
			shown.map((fact) => {
				const isDecidedByChat = isAlone && notQueued.has(fact.id);
				return [fact.id, { kind: 'open', fact, earlier: { hasSameText: true, isDecidedByChat, sentAfter } }];
			}),
		);
	};

	/** Lets others have what was in somebody's hands. */
	const letGo = (id: string, own: SendState & { kind: 'busy' }, state: SendState | undefined): void => {
		if (state) states.set(id, state);
		else states.delete(id);
		held.delete(id);
		own.end();
	};

	/** Begins a fact that is in somebody's hands, with those that are likely to be asked for next. Returns its state; none if it was refused. */
	const beginFrom = async (fact: SendFact): Promise<KnownState | undefined> => {
		const batch = batches.from(fact);
		const others = batch.filter(({ id }) => id !== fact.id).map(({ id }) => ({ id, own: busy() }));
		for (const { id, own } of others) states.set(id, own);
		const found = new Map<string, KnownState>();
		try {
			const begun = await record(batch);
			for (const each of batch) {
				const before = begun.get(each.id);
				if (!before) continue;
				const state = stateOf(each, before);
				found.set(each.id, state);
				if (state.kind === 'done') doneBefore.add(each.id);
				if (state.kind === 'begun') begunHere.add(each.id);
			}
			const ids = batch.filter(({ isId }) => isId);
			for (const [id, state] of await examine(ids, begun, found)) found.set(id, state);
			return found.get(fact.id);
		} catch (error) {
			// Somebody can ask for them again.
			for (const [id, { kind }] of found) if (kind === 'open') found.delete(id);
			throw uncheckedError(error, fact.isId);
		} finally {
			// Only now, because an item whose send has a state does not wait for this batch. Those that waited go on before the one that began it.
			for (const { id, own } of others) letGo(id, own, found.get(id));
		}
	};

	/** Begins a fact with its own tag. That of another item would prove something else of this send. */
	const beginAnew = async (fact: SendFact): Promise<KnownState> => {
		journal.cancel(fact.id);
		const begun = await journal.begin([fact], isWorker).catch((error: unknown) => {
			throw uncheckedError(error, fact.isId);
		});
		return stateOf(fact, begun.get(fact.id) as Begun);
	};

	/** Rejects when the user stops the execution. */
	const stopped = new Promise<never>((_, reject) => {
		run.cancelled?.addEventListener('abort', () => reject(stoppedError()));
	});
	stopped.catch(() => undefined);

	/** Takes a fact into the hands of this run, unless it must not be made. Begins it if it has no state. */
	const take = async (fact: SendFact): Promise<EarlierSend> => {
		let known = states.get(fact.id);
		for (; known?.kind === 'busy'; known = states.get(fact.id))
			// What this run has in its hands ends with it.
			await (held.has(fact.id) ? known.ended : Promise.race([known.ended, stopped]));
		if (size > CAPACITY || refused.has(fact.id)) throw noRoomError(CAPACITY);
		const own = busy();
		states.set(fact.id, own);
		held.set(fact.id, own);
		let state: KnownState;
		try {
			const begun = known ?? (await beginFrom(fact));
			if (!begun) throw noRoomError(CAPACITY);
			state = begun.kind === 'begun' && begun.fact.tag !== fact.tag ? await beginAnew(fact) : begun;
		} catch (error) {
			letGo(fact.id, own, undefined);
			return await Promise.reject(error as Error);
		}
		if (isWorker) beginNext(fact);
		if (state.kind === 'begun') return { state: 'absent' };
		if (state.kind === 'open')
			return { state: 'open', earlier: state.fact.tag === fact.tag ? state.earlier : undefined };
		letGo(fact.id, own, state);
		return { state: state.kind };
	};

	/** Begins what comes after the last batch, once that is being sent. */
	const beginNext = (asked: SendFact): void => {
		const next = batches.next(asked);
		if (!next) return;
		const own = busy();
		states.set(next.id, own);
		// Whoever asks for what failed begins it again, and is told the error.
		const begun = beginFrom(next).catch(() => undefined);
		pending.push(begun.then((state) => letGo(next.id, own, state)));
	};

	/** Ends a send that is in the hands of this run. */
	const release = (fact: Fact, end: SendEnd): void => {
		const own = held.get(fact.id);
		if (!own) return;
		if (end === 'made') journal.finish(fact.id);
		if (end === 'notMade') journal.cancel(fact.id);
		const states = { made: { kind: 'done' }, notMade: undefined, uncertain: { kind: 'open', fact } } as const;
		letGo(fact.id, own, states[end]);
	};

	/** Frees what this run has begun and not sent. A send that was stopped may have been made. */
	const freeUnsent = (): void => {
		for (const [id] of held) release({ id }, 'uncertain');
		for (const id of begunHere) {
			if (states.get(id)?.kind !== 'begun') continue;
			journal.cancel(id);
			states.delete(id);
		}
	};

	return {
		async begin(send) {
			const found: Array<{ fact: SendFact; earlier: EarlierSend }> = [];
			for (const fact of factsOf(send)) {
				try {
					found.push({ fact, earlier: await take(fact) });
				} catch (error) {
					for (const each of found)
						release(each.fact, each.earlier.state === 'absent' ? 'notMade' : 'uncertain');
					return await Promise.reject(error as Error);
				}
				if (found.at(-1)?.earlier.state !== 'done') continue;
				for (const each of found) release(each.fact, 'made');
				return { state: 'done' };
			}
			const is = (state: EarlierSend['state']) =>
				found.find(({ earlier }) => earlier.state === state)?.earlier;
			return is('otherwise') ?? is('open') ?? { state: 'absent' };
		},
		settle(send, end, answered) {
			for (const fact of factsOf(send)) release(fact, end);
			const other = answered && factsOf(answered).find(({ isId }) => !isId);
			if (other && end === 'made')
				pending.push(
					journal.begin([other]).then(
						() => journal.finish(other.id),
						() => undefined,
					),
				);
		},
		async close() {
			ended.abort();
			await beating;
			await Promise.all(pending);
			freeUnsent();
			if (node.executions === 1) heartbeat.end();
			const isWritten = await (retryOf === undefined ? journal.flush() : journal.settle());
			const forgotten = await room.trim([...doneBefore]).catch(() => 0);
			leaveNode(run.nodeKey, node, isWritten);
			return size < TOLD_FROM ? 0 : forgotten;
		},
	};
}
