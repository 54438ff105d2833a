/**
 * What must outlive an execution: facts in a row of n8n's database. A fact is absent, open (begun, and it may have happened), or
 * done.
 *
 * - `begin` says what a fact was before, and leaves it open. Killed at any time, it is open or as it was; what was done can
 *   become open, and nothing becomes done.
 * - `finish` makes it done, `cancel` absent: within `writesWithinMs`, or with the next call that is made anyway. Killed before
 *   that, it stays open.
 * - `peek` and `find` leave the row as it was; killed or undone meanwhile, a fact that was absent or done is open, and a note is there.
 *   Only for facts that no other process can be writing.
 * - If n8n's database fails, `begin`, `peek`, `find` and `note` reject; what was to be written is written by a later call. A
 *   cancellation is not, if another process can have begun the fact by then: it stays open.
 * - Another process can undo a call that took place at the same time. Such a loss is found and repaired at the call after
 *   `CALL_MS`, and by `settle`, which waits for that. A begin that waits looks for it itself, and then begins again: two
 *   processes that wait are never both told that a fact was absent.
 * - A row of the policy `rolls` drops its oldest facts, which are absent then; the others never do.
 */
import type { Clock } from '../../api/clock';
import type { State } from './encoding';
import type { Row } from './row';

/** How a row is used. */
export interface Policy {
	/** How long what was finished or cancelled may wait for a call that is made anyway, in milliseconds. */
	writesWithinMs: number;
	/** The number of keys beyond which the oldest ones go; not set where nothing may be forgotten. */
	rolls?: number;
	/** Whether there is a pause after each call, because the row is large and used all the time. */
	isPaced?: boolean;
	/**
	 * Whether open means no more than absent, so that a beginning that another process undoes is not repaired. By then, that process can
	 * have finished the fact.
	 */
	forgetsOpen?: boolean;
}

/** A fact, and what it is about. */
export interface Fact {
	id: string;
	/** A digest of what it is about, such as a text. */
	tag?: string;
	/** Whether the tag stays when the fact is done. */
	keepsTag?: boolean;
}

/** What a fact was before it was begun. */
export interface Begun {
	state: State;
	/** Whether it was certainly begun with the same tag. Of a fact that is done, only if it keeps its tag. */
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
	/** Removes notes with a later call. No other process may be setting them. */
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
	clock: Pick<Clock, 'elapsed' | 'sleep'>;
	/** Whether another process may use the row. Only then, losses are looked for. */
	isShared: boolean;
	/** Called if something could not be written. It is tried again with the next call. */
	onFailure: (error: unknown) => void;
}
