import { randomUUID } from 'crypto';

import { createPacedQueue, createSerialQueue } from '../serialQueue';
import { ENCODING, known, type Encoding, type State } from './encoding';
import { createRepair, CALL_MS, type Mark } from './repair';
import type { Begun, Fact, Ground, Journal, Policy } from './contract';

/** How often `settle` repairs. It ends, also in a row that is too short for all facts. */
const MAX_REPAIRS = 5;

/** What waits for the next turn at the row. */
interface Request {
	facts?: readonly Fact[];
	/** Whether the facts count as begun only if no other process undoes that. */
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
	const [finished, reopened, cancelled, erased] = [0, 0, 0, 0].map(() => new Set<string>()) as [
		Set<string>,
		Set<string>,
		Set<string>,
		Set<string>,
	];
	const repair = createRepair(ground.clock);
	/** The tags that this process has recorded. */
	const tags = new Map<string, { key: string; keepsTag: boolean }>();
	let keysMade = 0;
	let scheduled: Promise<boolean> | undefined;
	let isDelayed = false;

	const newKey = (kind: string): string => `${kind} ${name} ${keysMade++}`;

	/** The keys of the tags that stay with facts, or those of the others. */
	const tagsOf = (ids: readonly string[], areKept: boolean): string[] =>
		ids.flatMap((id) => {
			const tag = tags.get(id);
			return tag && tag.keepsTag === areKept ? [tag.key] : [];
		});

	/** Removes keys. Those that are erased are removed by a later call if this one fails. */
	const remove = async (keys: readonly string[]): Promise<boolean> => {
		const own = [...erased];
		erased.clear();
		if (keys.length + own.length === 0) return true;
		return await ground.row.remove([...keys, ...own]).then(
			() => true,
			(error: unknown) => {
				for (const key of own) erased.add(key);
				ground.onFailure(error);
				return false;
			},
		);
	};

	const takeCancelled = (): string[] => {
		const ids = [...cancelled];
		cancelled.clear();
		return [...ids.flatMap(encoding.cancelled), ...tagsOf(ids, false), ...tagsOf(ids, true)];
	};

	/** Records the tags of what begins, and reads those of what is open. Returns those of the same tag, and keys to remove. */
	const recordTags = async (facts: readonly Fact[], stateOf: (id: string) => State) => {
		const looks = new Map<string, string[]>();
		const begun: string[] = [];
		for (const { id, tag, keepsTag = false } of facts) {
			if (tag === undefined || (stateOf(id) === 'done' && !keepsTag)) continue;
			if (stateOf(id) === 'absent') {
				const key = encoding.tag(id, tag);
				begun.push(key);
				tags.set(id, { key, keepsTag });
			} else looks.set(id, encoding.tagLook(id, tag));
		}
		const keys = [...begun, ...[...looks.values()].flat()];
		const before = keys.length > 0 ? await ground.row.record(keys, policy.rolls) : new Set<string>();
		const same = [...looks].filter(([, [tag, guard]]) => before.has(tag ?? '') && !before.has(guard ?? ''));
		return {
			sameTags: new Set(same.map(([id]) => id)),
			unneeded: [...looks.values()].flatMap((look) => encoding.unneededAfterLook(before, look)),
		};
	};

	/**
	 * Whether a key is still there when no other process can undo its recording any more. This process makes no other call
	 * meanwhile: that could bring an image of the row back which another process has already replaced.
	 */
	const isStillThere = async (key: string): Promise<boolean> => {
		await ground.clock.sleep(CALL_MS);
		return (await ground.row.record([key])).has(key);
	};

	/** One turn at the row: it records, resolves what waits for that, and removes. Returns whether all is written. */
	const turn = async (): Promise<boolean> => {
		scheduled = undefined;
		const taken = waiting;
		waiting = [];
		const facts = new Map(taken.flatMap((each) => each.facts.map((fact) => [fact.id, { ...fact, ...each }])));
		// A beginning must not lose its keys to a cancellation before it.
		if ([...facts.keys()].some((id) => cancelled.has(id))) await remove(takeCancelled());
		const [ends, openings] = [[...finished], [...reopened]];
		finished.clear();
		reopened.clear();
		const due = repair.due();
		const mark: Mark = {
			recorded: newKey('wrote'),
			removed: newKey('removed'),
			at: 0,
			ids: [...ends, ...openings],
		};
		const waitingFacts = [...facts.values()].filter(({ waits }) => waits);
		const isMarked = ground.isShared && mark.ids.length + facts.size > waitingFacts.length;
		const proof = newKey('waits');
		const proofs = [
			...due.flatMap(({ recorded, removed }) => [recorded, removed]),
			...(isMarked ? [mark.recorded] : []),
			...(isMarked && ends.length > 0 ? [mark.removed] : []),
			...(waitingFacts.length > 0 ? [proof] : []),
		];
		const asked = taken.flatMap(({ notes, looks }) => [...notes, ...looks]);
		const keys = [
			...ends.map(known),
			...tagsOf(ends, true),
			...proofs,
			...asked,
			...[...openings, ...facts.keys()].flatMap(encoding.begun),
		];
		if (keys.length === 0) return await remove(takeCancelled());

		const unneeded: string[] = [];
		try {
			for (const key of keys) erased.delete(key);
			const before = await ground.row.record(keys, policy.rolls);
			mark.at = ground.clock.now();
			for (const [id, state] of repair.review(due, before)) (state === 'done' ? finished : reopened).add(id);
			const isUndone =
				waitingFacts.some(({ id }) => encoding.stateIn(before, id) === 'absent') &&
				!(await isStillThere(proof));
			const stateOf = (id: string): State => {
				if (repair.isDone(id) || ends.includes(id)) return 'done';
				const state = encoding.stateIn(before, id);
				return state === 'absent' && isUndone && facts.get(id)?.waits ? 'open' : state;
			};
			const { sameTags, unneeded: tagLooks } = await recordTags([...facts.values()], stateOf);
			unneeded.push(...tagLooks);
			const found = new Map<string, Begun>();
			for (const { id, waits } of facts.values()) {
				const state = stateOf(id);
				found.set(id, { state, hasSameTag: sameTags.has(id) });
				if (state !== 'absent') unneeded.push(...encoding.unneededAfter(before, id));
				else if (isMarked && !waits) {
					mark.ids.push(id);
					repair.want(id, 'open');
				}
			}
			const begun = new Set([...facts.keys()].flatMap(encoding.begun));
			unneeded.push(...ends.flatMap((id) => encoding.unneededAfterEnd(before, facts.has(id), id)));
			const looks = taken.flatMap((each) => each.looks).filter((key) => !begun.has(key));
			unneeded.push(...encoding.unneededAfterLook(before, looks));
			for (const { resolve } of taken) resolve({ facts: found, before });
		} catch (error) {
			for (const id of ends) finished.add(id);
			for (const id of openings) reopened.add(id);
			for (const key of [...facts.keys()].flatMap(encoding.unneededAfterFailure)) erased.add(key);
			if (mark.ids.length > 0) ground.onFailure(error);
			for (const { reject } of taken) reject(error);
			return false;
		}
		if (mark.ids.length > 0) repair.add(mark);
		for (const key of proofs) if (mark.ids.length === 0 || key !== mark.recorded) erased.add(key);
		const isRemoved = await remove([...tagsOf(ends, false), ...takeCancelled(), ...unneeded]);
		if (!isRemoved) for (const id of ends) finished.add(id);
		return isRemoved && finished.size + reopened.size === 0;
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
			if (finished.size + cancelled.size > 0) await schedule();
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
				reopened.delete(id);
			}
			writeSoon();
		},
		async peek(ids) {
			const { before } = await ask({ looks: ids.flatMap(encoding.begun) });
			return new Map(ids.map((id) => [id, finished.has(id) ? 'done' : encoding.stateIn(before, id)]));
		},
		note: async (notes) => {
			const { before } = await ask({ notes });
			return new Set(notes.filter((key) => before.has(key)));
		},
		find: async (looks) => {
			const { before } = await ask({ looks });
			return new Set(looks.filter((key) => before.has(key)));
		},
		erase: (...keys) => keys.forEach((key) => erased.add(key)),
		flush: schedule,
		async settle() {
			let isWritten = await schedule();
			for (let repairs = 0; repairs < MAX_REPAIRS && (repair.isPending() || !isWritten); repairs++) {
				// Not if the execution is stopped.
				await ground.clock.sleep(CALL_MS).catch(() => undefined);
				isWritten = await schedule();
			}
			return !repair.isPending() && isWritten;
		},
		use: async (work) => await inSeries(async () => await work(ground.row)),
	};
}
