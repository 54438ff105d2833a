import { randomUUID } from 'crypto';

import { createPacedQueue, createSerialQueue } from '../serialQueue';
import { ENCODING, type Encoding } from './encoding';
import { createRepair, CALL_MS } from './repair';
import type { Begun, Fact, Ground, Journal, Policy } from './contract';
import { planOf, resultOf, statesOf, tagPlanOf, type Agenda, type Plan, type TagPlan } from './turn';

/** How often `settle` repairs, and a begin that waits begins again. Both end, also in a row that is too short for all facts. */
const MAX_REPAIRS = 5;

/** What waits for the next turn at the row. */
interface Request {
	facts?: readonly Fact[];
	/** Whether the facts of the turn count as begun only if no other process undoes that. */
	waits?: boolean;
	/** Keys beside the facts, which stay. */
	notes?: readonly string[];
	/** Keys that are only looked for. */
	looks?: readonly string[];
}

/** What a turn has found. */
interface Found {
	facts: Map<string, Begun>;
	before: Set<string>;
	/** What became done in the turn. */
	ends: readonly string[];
}

interface Waiting extends Required<Request> {
	resolve: (found: Found) => void;
	reject: (error: unknown) => void;
}

/**
 * Creates the journal of a row.
 *
 * @param name no other journal of the row has it, in this or another process
 */
export function createJournal(
	ground: Ground,
	policy: Policy,
	encoding: Encoding = ENCODING,
	name: string = randomUUID(),
): Journal {
	const inSeries = policy.isPaced ? createPacedQueue(ground.clock) : createSerialQueue();
	let waiting: Waiting[] = [];
	/** What is to be written. */
	const finished = new Set<string>();
	const reopened = new Set<string>();
	const cancelled = new Set<string>();
	const erased = new Set<string>();
	/** The journal's own keys that have told what they were recorded for. They go with the next removal. */
	const told = new Set<string>();
	const repair = createRepair(ground.clock);
	/** The tags that this process has recorded. */
	const tags: TagPlan['begun'] = new Map();
	let turns = 0;
	let scheduled: Promise<boolean> | undefined;
	let isDelayed = false;

	/** The keys of the tags that stay with facts, or those of the others. */
	const tagsOf = (ids: readonly string[], areKept: boolean): string[] =>
		ids.flatMap((id) => {
			const tag = tags.get(id);
			return tag && tag.keepsTag === areKept ? [tag.key] : [];
		});

	const remove = async (keys: readonly string[]): Promise<boolean> => {
		const own = [...told];
		told.clear();
		if (keys.length + own.length === 0) return true;
		return await ground.row.remove([...keys, ...own]).then(
			() => true,
			(error: unknown) => {
				for (const key of own) told.add(key);
				ground.onFailure(error);
				return false;
			},
		);
	};

	/** Cancels what a call has failed to. With other processes, one of them can have begun it by then. */
	const cancelLater = (ids: readonly string[]): void => {
		if (!ground.isShared) for (const id of ids) cancelled.add(id);
	};

	const takeCancelled = () => {
		const ids = [...cancelled];
		cancelled.clear();
		const keys = [...ids.flatMap(encoding.cancelled), ...tagsOf(ids, false), ...tagsOf(ids, true)];
		return { keys, again: () => cancelLater(ids) };
	};

	/**
	 * Records keys until no other process can undo that any more. This process makes no other call meanwhile: that could bring
	 * an image of the row back which another process has already replaced.
	 *
	 * @param proof one of the keys
	 * @param shared those that another process may have recorded, and removes when it ends what they stand for
	 * @param isWanted whether they are still wanted with what was there before
	 * @returns which keys were there before
	 */
	const recordFirmly = async (
		keys: readonly string[],
		proof: string | undefined,
		shared: ReadonlySet<string>,
		isWanted: (before: ReadonlySet<string>) => boolean,
	): Promise<{ before: Set<string>; isUndone: boolean }> => {
		let before = await ground.row.record(keys, policy.rolls);
		for (let tries = 0; proof !== undefined && isWanted(before); tries++) {
			await ground.clock.sleep(CALL_MS);
			const own = keys.filter((key) => !shared.has(key) || !before.has(key));
			const now = await ground.row.record(own, policy.rolls);
			if (now.has(proof)) break;
			before = new Set([...before, ...now]);
			if (tries === MAX_REPAIRS) return { before, isUndone: true };
		}
		return { before, isUndone: false };
	};

	/** Takes what waits for a turn, and what is to be written in it. */
	const takeAgenda = (taken: readonly Waiting[]): Agenda => {
		const [ends, openings, erasures] = [[...finished], [...reopened], [...erased]];
		finished.clear();
		reopened.clear();
		erased.clear();
		return {
			name: `${name} ${turns++}`,
			isShared: ground.isShared,
			facts: new Map(taken.flatMap(({ facts }) => facts.map((fact) => [fact.id, fact]))),
			waits: taken.some(({ waits }) => waits),
			notes: taken.flatMap(({ notes }) => notes),
			looks: taken.flatMap(({ looks }) => looks),
			ends,
			keptTags: tagsOf(ends, true),
			openings,
			erasures,
			due: repair.due(),
		};
	};

	/** Records what is planned, and returns what was found. */
	const apply = async (agenda: Agenda, { keys, mark, proof, told: hasTold }: Plan) => {
		const isAnyAbsent = (row: ReadonlySet<string>) =>
			[...agenda.facts.keys()].some((id) => encoding.stateIn(row, id) === 'absent');
		const shared = new Set([...agenda.looks, ...[...agenda.facts.keys()].flatMap(encoding.begun)]);
		const { before, isUndone } = await recordFirmly(keys, proof, shared, isAnyAbsent);
		const at = ground.clock.elapsed();
		const undone = repair.review(agenda.due, before);
		const toWrite = { done: finished, open: reopened, absent: erased };
		for (const [id, state] of undone) toWrite[state].add(id);
		const states = statesOf(agenda, before, isUndone, (id) => repair.isWanted(id, 'done'), encoding);
		const tagPlan = tagPlanOf(agenda, states);
		for (const [id, tag] of tagPlan.begun) tags.set(id, tag);
		const tagKeys = [
			...[...tagPlan.begun.values()].map(({ key }) => key),
			...[...tagPlan.looks.values()].flatMap(encoding.tagLook),
		];
		// Without its tag, nothing is begun.
		cancelLater([...tagPlan.begun.keys()]);
		const tagsBefore =
			tagKeys.length > 0 ? await ground.row.record(tagKeys, policy.rolls) : new Set<string>();
		for (const id of tagPlan.begun.keys()) cancelled.delete(id);
		const { begun, unneeded } = resultOf(agenda, before, states, tagPlan, tagsBefore, encoding);
		for (const key of hasTold) told.add(key);
		if (mark) {
			const opened = [...states].flatMap(([id, state]) =>
				state === 'absent' && !agenda.waits && !policy.forgetsOpen ? [id] : [],
			);
			for (const id of opened) repair.want(id, 'open');
			const ids = [...agenda.ends, ...agenda.openings, ...agenda.erasures, ...opened];
			if (ids.length > 0) repair.add({ ...mark, at, ids });
			else told.add(mark.recorded);
		}
		const found: Found = { facts: begun, before, ends: agenda.ends };
		return { found, unneeded, isRepairDue: undone.size > 0 };
	};

	/** One turn at the row: it records, resolves what waits for that, and removes. Returns whether all is written. */
	const turn = async (): Promise<boolean> => {
		scheduled = undefined;
		const taken = waiting;
		waiting = [];
		for (const key of taken.flatMap(({ notes }) => notes)) {
			erased.delete(key);
			repair.want(key, undefined);
		}
		// A beginning must not lose its keys to a cancellation before it.
		const isAnyCancelled = taken.some(({ facts }) => facts.some(({ id }) => cancelled.has(id)));
		const first = isAnyCancelled ? takeCancelled() : undefined;
		const isFirstDone = first === undefined || (await remove(first.keys));
		const agenda = takeAgenda(taken);
		const { ends, openings, erasures } = agenda;
		/** Writes the rest of the turn. What could not be written is written by a later one. */
		const removeAlso = async (keys: readonly string[]): Promise<boolean> => {
			const { keys: cancelledKeys, again } = takeCancelled();
			const isRemoved = await remove([...keys, ...cancelledKeys, ...erasures]);
			if (isRemoved) return true;
			again();
			for (const id of ends) finished.add(id);
			for (const key of erasures) erased.add(key);
			return false;
		};
		const plan = planOf(agenda, encoding);
		if (plan.keys.length === 0) {
			for (const { resolve } of taken) resolve({ facts: new Map(), before: new Set(), ends });
			return await removeAlso([]);
		}
		let recorded: Awaited<ReturnType<typeof apply>>;
		try {
			recorded = await apply(agenda, plan);
			for (const { resolve } of taken) resolve(recorded.found);
		} catch (error) {
			// A failed call may have written. What was there before it is not known, so what was begun is not removed.
			if (!isFirstDone) first?.again();
			for (const id of ends) finished.add(id);
			for (const id of openings) reopened.add(id);
			for (const key of erasures) erased.add(key);
			if (ends.length + openings.length > 0) ground.onFailure(error);
			for (const { reject } of taken) reject(error);
			return false;
		}
		const isRemoved = await removeAlso([...tagsOf(ends, false), ...recorded.unneeded]);
		// At once, as a copy of an event is waiting for its end.
		return isRemoved && recorded.isRepairDue ? await turn() : isRemoved;
	};

	const schedule = async (): Promise<boolean> => await (scheduled ??= inSeries(turn));

	const ask = async ({ facts = [], waits = false, notes = [], looks = [] }: Request): Promise<Found> =>
		await new Promise((resolve, reject) => {
			waiting.push({ facts, waits, notes, looks, resolve, reject });
			void schedule();
		});

	/** Has what was finished and cancelled written, unless another call has done so by then. */
	const writeSoon = (): void => {
		if (isDelayed) return;
		isDelayed = true;
		const end = async () => {
			isDelayed = false;
			// After the turn that is under way, which may have written it by then. No other must follow the last flush.
			await inSeries(async () => {
				if (finished.size + cancelled.size > 0) void schedule();
				await Promise.resolve();
			});
		};
		void ground.clock.sleep(policy.writesWithinMs).then(end, end);
	};

	return {
		begin: async (facts, waits = false) => (await ask({ facts, waits })).facts,
		finish(...ids) {
			for (const id of ids) {
				finished.add(id);
				if (ground.isShared) repair.want(id, 'done');
			}
			writeSoon();
		},
		cancel(...ids) {
			for (const id of ids) {
				cancelled.add(id);
				repair.want(id, undefined);
				finished.delete(id);
			}
			writeSoon();
		},
		async peek(ids) {
			const { before, ends } = await ask({ looks: ids.flatMap(encoding.begun) });
			return new Map(ids.map((id) => [id, ends.includes(id) ? 'done' : encoding.stateIn(before, id)]));
		},
		note: async (notes) => {
			const { before } = await ask({ notes });
			return new Set(notes.filter((key) => before.has(key)));
		},
		find: async (looks) => {
			const { before } = await ask({ looks });
			return new Set(looks.filter((key) => before.has(key) && !repair.isWanted(key, 'absent')));
		},
		erase(...keys) {
			for (const key of keys) {
				erased.add(key);
				if (ground.isShared) repair.want(key, 'absent');
			}
		},
		flush: schedule,
		async settle() {
			let isWritten = await schedule();
			for (let repairs = 0; repairs < MAX_REPAIRS && (repair.isPending() || !isWritten); repairs++) {
				// Not if the execution is stopped.
				await ground.clock.sleep(CALL_MS).catch(() => undefined);
				isWritten = await schedule();
			}
			// By a later execution, another process can have begun it.
			if (!isWritten) cancelled.clear();
			return !repair.isPending() && isWritten;
		},
		use: async (work) => await inSeries(async () => await work(ground.row)),
	};
}
