/**
 * What must outlive an execution: facts in a row of n8n's database. A fact is absent, open (begun, and it may have happened), or
 * done.
 *
 * - `begin` says what a fact was before, and leaves it open. Killed at any time, it is open or as it was; what was done can
 *   become open, and nothing becomes done.
 * - `finish` makes it done, `cancel` absent: within `writesWithinMs`, or with the next call that is made anyway. Killed before
 *   that, it stays open.
 * - `peek` and `find` leave the row as it was; killed meanwhile, what was absent or done is open. Only for facts that no other
 *   process can be writing.
 * - If n8n's database fails, `begin`, `peek`, `find` and `note` reject; what was to be written is written by a later call.
 * - Another process can undo a call that took place at the same time. Such a loss is found and repaired by the call after
 *   `CALL_MS`, and by `settle`, which waits for that. A begin that waits returns absent only if that did not happen.
 * - A row of the policy `rolls` drops its oldest facts, which are absent then; the others never do.
 */
import type { Clock } from '../../api/clock';
import { createPacedQueue, createSerialQueue } from '../serialQueue';
import { ENCODING, known, open, type Encoding, type State } from './encoding';
import { createRepair, CALL_MS, type Mark } from './repair';
import type { Row } from './row';

/** How often `settle` repairs. It ends, also in a row that is too short for all facts. */
const MAX_REPAIRS = 5;

/** How a row is used. */
export interface Policy {
	/** How long what was finished or cancelled may wait for a call that is made anyway, in milliseconds. */
	writesWithinMs: number;
	/** The number of keys beyond which the oldest ones go; not set where nothing may be forgotten. */
	rolls?: number;
	/** Whether there is a pause after each call, because the row is large and used all the time. */
	isPaced?: boolean;
}

/** A fact, and what it is about. */
export interface Fact {
	id: string;
	/** A digest of what it is about, such as a text. */
	tag?: string;
}

/** What a fact was before it was begun. */
export interface Begun {
	state: State;
	/** Whether it is open, and was certainly begun with the same tag. */
	hasSameTag: boolean;
}

/** The row of a node or a workflow, for all executions of this process. */
export interface Journal {
	/**
	 * @param waits whether another process may begin the same facts at this moment
	 * @throws what n8n's database throws
	 */
	begin(facts: readonly Fact[], waits?: boolean): Promise<ReadonlyMap<string, Begun>>;
	finish(...ids: string[]): void;
	cancel(...ids: string[]): void;
	/** @throws what n8n's database throws */
	peek(ids: readonly string[]): Promise<ReadonlyMap<string, State>>;
	/**
	 * Records notes: keys that are no facts, such as marks of time. Returns those that were there.
	 *
	 * @throws what n8n's database throws
	 */
	note(keys: readonly string[]): Promise<Set<string>>;
	/** Which of the notes are there. @throws what n8n's database throws */
	find(keys: readonly string[]): Promise<Set<string>>;
	/** Removes notes with a later call. */
	erase(...keys: string[]): void;
	/** Writes what was finished, cancelled and erased. Returns whether that succeeded. */
	flush(): Promise<boolean>;
	/** Resolves when no other process can undo what was written, with whether all of it is there. */
	settle(): Promise<boolean>;
	/** Calls that are no turn of the journal, such as counting. */
	use<T>(work: (row: Row) => Promise<T>): Promise<T>;
}

/** What the journal stands on. Each execution brings its own, and the latest ones are used. */
export interface Ground {
	row: Row;
	clock: Pick<Clock, 'now' | 'sleep' | 'random'>;
	/** Whether another process may use the row. Only then, losses are looked for. */
	isShared: boolean;
	/** Called if something could not be written. It is tried again with the next call. */
	onFailure: (error: unknown) => void;
}

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

/** Creates the journal of a row. */
export function createJournal(ground: Ground, policy: Policy, encoding: Encoding = ENCODING): Journal {
	const name = ground.clock.random().toString(36).slice(2);
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
	const tagKeys = new Map<string, string>();
	let keysMade = 0;
	let scheduled: Promise<boolean> | undefined;
	let isDelayed = false;

	const newKey = (kind: string): string => `${kind} ${name} ${keysMade++}`;

	const tagsOf = (ids: readonly string[]): string[] =>
		ids.flatMap((id) => {
			const key = tagKeys.get(id);
			tagKeys.delete(id);
			return key === undefined ? [] : [key];
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
		return [...ids.flatMap(encoding.cancelled), ...tagsOf(ids)];
	};

	/** Records the tags of what begins, and reads those of what is open. Returns those of the same tag, and keys to remove. */
	const recordTags = async (facts: readonly Fact[], stateOf: (id: string) => State) => {
		const looks = new Map<string, string[]>();
		const begun: string[] = [];
		for (const { id, tag } of facts) {
			if (tag === undefined || stateOf(id) === 'done') continue;
			if (stateOf(id) === 'open') looks.set(id, encoding.tagLook(id, tag));
			else begun.push(tagKeys.set(id, encoding.tag(id, tag)).get(id) as string);
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
		const isRemoved = await remove([...ends.map(open), ...tagsOf(ends), ...takeCancelled(), ...unneeded]);
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
				await ground.clock.sleep(CALL_MS);
				isWritten = await schedule();
			}
			return !repair.isPending() && isWritten;
		},
		use: async (work) => await inSeries(async () => await work(ground.row)),
	};
}
