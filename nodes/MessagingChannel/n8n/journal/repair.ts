import type { Clock } from '../../api/clock';
import type { State } from './encoding';

/** Longer than one call to the row takes. After that, no process writes an image of the row that is older than the call. */
export const CALL_MS = 2000;

/** The proof of what a turn has written, until no other process can undo it. */
export interface Mark {
	/** Recorded in the turn. Missing later, if that was undone. */
	recorded: string;
	/** Recorded and removed in the turn. There later, if that was undone. */
	removed: string;
	/** That of `clock.elapsed`. */
	at: number;
	/** The facts that the turn has written, and the notes that it has removed. */
	ids: string[];
}

/** What this process has made of facts and notes, until no other process can undo it. */
export interface Repair {
	/**
	 * What a fact is to be, or a note, which is only repaired if it is to be absent; undefined if nothing is to be repaired. A cancelled fact
	 * can be that of another process by then.
	 */
	want(id: string, state: State | undefined): void;
	isWanted(id: string, state: State): boolean;
	add(mark: Mark): void;
	/** The marks that no other process can undo any more. */
	due(): Mark[];
	/**
	 * Ends marks.
	 *
	 * @param before which of their keys the row still has
	 * @returns what was undone, as it is to be
	 */
	review(due: readonly Mark[], before: ReadonlySet<string>): Map<string, State>;
	/** Whether another process can still undo something. */
	isPending(): boolean;
}

/** Creates the repair of what a process writes to a row. */
export function createRepair({ elapsed }: Pick<Clock, 'elapsed'>): Repair {
	const wanted = new Map<string, State>();
	let marks: Mark[] = [];
	return {
		want(id, state) {
			if (state) wanted.set(id, state);
			else wanted.delete(id);
		},
		isWanted: (id, state) => wanted.get(id) === state,
		add: (mark) => void marks.push(mark),
		due: () => marks.filter(({ at }) => elapsed() - at >= CALL_MS),
		review(due, before) {
			marks = marks.filter((mark) => !due.includes(mark));
			const stillPending = new Set(marks.flatMap(({ ids }) => ids));
			const undone = new Map<string, State>();
			for (const { recorded, removed, ids } of due) {
				const isUndone = !before.has(recorded) || before.has(removed);
				for (const id of ids) {
					const state = wanted.get(id);
					if (isUndone && state) undone.set(id, state);
				}
			}
			for (const id of due.flatMap(({ ids }) => ids))
				if (!undone.has(id) && !stillPending.has(id)) wanted.delete(id);
			return undone;
		},
		isPending: () => marks.length > 0,
	};
}
