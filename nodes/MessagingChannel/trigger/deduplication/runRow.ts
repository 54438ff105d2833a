import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../../api/clock';
import { keyStoreOf, type CountedKeyStore } from '../../n8n/keyStore';
import { createPacedQueue, type SerialQueue } from '../../n8n/serialQueue';
import { createRunMarks } from './runMarks';

/** The latest messages, with one key each; about 270 kB. n8n's own node for duplicates keeps as many by default. */
const MAX_KEPT_KEYS = 10_000;

/** A look-up must not push out what it looks for: it adds keys until it ends. */
const MAX_KEYS_IN_LOOK_UP = 2 * MAX_KEPT_KEYS;

/** Another process can overwrite what this one writes, and the database can fail, so it is checked after this time. */
const CHECK_MS = 1_500;

/** A database that fails for longer, about half a minute, loses records. */
const MAX_CHECKS = 20;

/** One removal is not enough: workers that write at the same time undo each other's writes, also twice in a row. */
const REMOVALS = 3;

/**
 * Where the messages that ran are kept: a row of the workflow, so that the events in the row of the node cannot push them
 * out.
 */
export interface RunStore {
	/** For what is kept. */
	kept: CountedKeyStore;
	/** The same row, for a look-up. */
	lookUp: CountedKeyStore;
}

/** The store of a running trigger. */
export function runStoreOf(context: Pick<IExecuteFunctions, 'helpers'>): RunStore {
	return {
		kept: keyStoreOf(context, MAX_KEPT_KEYS, 'workflow'),
		lookUp: keyStoreOf(context, MAX_KEYS_IN_LOOK_UP, 'workflow'),
	};
}

/** The row of a workflow in n8n's database. Only `check` and `removeSurely` may be called outside of `inSeries`. */
export interface RunRow {
	/** Calls to the row run one at a time, because parallel calls would lose keys. */
	inSeries: SerialQueue;
	/** Whether the row has no keys. */
	isEmpty: (row: CountedKeyStore) => Promise<boolean>;
	/** Records keys behind the marks that are due. Returns those that were recorded before. */
	record: (keys: string[], kept: CountedKeyStore) => Promise<Set<string>>;
	/** Looks up keys, and leaves nothing behind. Returns those that were recorded before. */
	find: (keys: string[], store: RunStore) => Promise<Set<string>>;
	/** Records that messages ran. What gets lost is recorded again by `check`. */
	recordRuns: (messages: readonly string[], kept: CountedKeyStore) => Promise<void>;
	/** Repeats what was written until it is certainly there. */
	check: (kept: CountedKeyStore) => Promise<void>;
	/** Removes keys of a look-up, also if another process writes them again. */
	removeSurely: (keys: readonly string[], kept: CountedKeyStore) => void;
}

/** A message that ran, on its way into the row. */
interface RunRecord {
	/** How often it was looked for there. */
	checks: number;
	/** Whether this process has written it. */
	isWritten: boolean;
}

/** A key of a look-up, on its way out of the row. */
interface LookUpKey {
	/** How many removals are left. */
	removalsLeft: number;
	/** How often that failed. */
	failures: number;
}

/**
 * Creates the access to the row of a workflow.
 *
 * @param onFailure called if the database cannot be used for a record
 */
export function createRunRow({ now, sleep }: Pick<Clock, 'now' | 'sleep'>, onFailure: () => void): RunRow {
	const marks = createRunMarks();
	/** Whether the row is known to hold keys. */
	let hasKeys = false;
	/** The messages that ran and are not certainly recorded. */
	const unchecked = new Map<string, RunRecord>();
	/** The keys of look-ups that would mislead the next one, until they are certainly gone. */
	const lookedUp = new Map<string, LookUpKey>();
	let isChecking = false;
	const inSeries = createPacedQueue({ now, sleep });

	const isEmpty = async (row: CountedKeyStore): Promise<boolean> => {
		hasKeys ||= (await row.count()) > 0;
		return !hasKeys;
	};

	const record = async (keys: string[], kept: CountedKeyStore): Promise<Set<string>> => {
		const at = now();
		const due = await marks.due(at, async () => await isEmpty(kept));
		const before = await kept.record([...due, ...keys]);
		marks.noteRecorded(at);
		hasKeys = true;
		return new Set(before);
	};

	const find = async (keys: string[], { lookUp }: RunStore): Promise<Set<string>> => {
		// If n8n is killed meanwhile, the row must not look as if it had forgotten something.
		if (await isEmpty(lookUp)) return new Set();
		const found = await lookUp.record(keys);
		// Keys that are to be removed come from earlier look-ups.
		const before = new Set(found.filter((key) => !lookedUp.has(key)));
		const added = keys.filter((key) => !before.has(key));
		// If the removal fails, the result is still right. The caller removes the misleading keys later.
		if (added.length > 0) await lookUp.remove(added).catch(() => undefined);
		return before;
	};

	const scheduleRemoval = (key: string) => void lookedUp.set(key, { removalsLeft: REMOVALS, failures: 0 });

	/** Returns the keys that look-ups can have left of the messages, and schedules their removal. */
	const writeRuns = async (
		runs: ReadonlyMap<string, RunRecord>,
		kept: CountedKeyStore,
	): Promise<string[]> => {
		const before = runs.size > 0 ? await record(inState('ran', [...runs.keys()]), kept) : new Set();
		const left: string[] = [];
		for (const [message, run] of runs) {
			if (before.has(`ran ${message}`)) {
				if (run.isWritten) unchecked.delete(message);
				// Another process can have written it again.
				left.push(`open ${message}`);
			}
			run.isWritten = true;
		}
		left.forEach(scheduleRemoval);
		return left;
	};

	const check = async (kept: CountedKeyStore): Promise<void> => {
		if (isChecking) return;
		isChecking = true;
		while (unchecked.size + lookedUp.size > 0) {
			await sleep(CHECK_MS);
			const removed = [...lookedUp];
			const isWritten = await inSeries(async () => {
				await writeRuns(new Map(unchecked), kept);
				if (lookedUp.size > 0) await kept.remove([...lookedUp.keys()]);
			}).then(
				() => true,
				() => false,
			);
			for (const [key, state] of removed) {
				if (isWritten) state.removalsLeft--;
				else state.failures++;
				const isOver = state.removalsLeft === 0 || state.failures >= MAX_CHECKS;
				if (isOver && lookedUp.get(key) === state) lookedUp.delete(key);
			}
			const lost = [...unchecked].filter(([, state]) => ++state.checks >= MAX_CHECKS);
			for (const [message] of lost) unchecked.delete(message);
			if (lost.length > 0) onFailure();
		}
		isChecking = false;
	};

	return {
		inSeries,
		isEmpty,
		record,
		find,
		check,
		recordRuns: async (messages, kept) => {
			const runs = new Map(messages.map((message) => [message, { checks: 0, isWritten: false }]));
			for (const [message, run] of runs) unchecked.set(message, run);
			const left = await writeRuns(runs, kept);
			// Not all that are due: a removal takes time for each key, and traffic makes many.
			if (left.length > 0) await kept.remove(left);
		},
		removeSurely: (keys, kept) => {
			keys.forEach(scheduleRemoval);
			void check(kept);
		},
	};
}

/** The keys of events, messages or answers in a state. */
export function inState(
	state: 'known' | 'running' | 'ran' | 'open' | 'answer' | 'asked',
	keys: readonly string[],
): string[] {
	return keys.map((key) => `${state} ${key}`);
}
