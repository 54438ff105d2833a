import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../../api/clock';
import { keyStoreOf, type CountedKeyStore } from '../../n8n/keyStore';
import { createPacedQueue, createSharedTurns } from '../../n8n/serialQueue';
import { BEGAN, createRunMarks, marksAt, marksSince, historyOf, type RowHistory } from './runMarks';

/** The latest messages, with one key each; about 270 kB. n8n's own node for duplicates keeps as many by default. */
const MAX_KEPT_KEYS = 10_000;

/** A look-up must not push out what it looks for: it adds keys until it ends. */
const MAX_KEYS_IN_LOOK_UP = 2 * MAX_KEPT_KEYS;

/** More messages than come in while an execution ends; about 2 MB. */
const MAX_KNOWN = 20_000;

/** Another process can overwrite what this one writes, and the database can fail, so it is checked after this time. */
const CHECK_MS = 1_500;

/** A database that fails for longer, about half a minute, loses records. */
const MAX_CHECKS = 20;

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

/** Which messages ran to the end, for the triggers of one workflow. A message has the name that its trigger gives it. */
export interface MessageRuns {
	/** Whether an execution of this process has begun the message. */
	isKnown(message: string): boolean;
	/** Whether this execution has begun the message. */
	isBegunBy(message: string, executionId: string): boolean;
	/** Makes the message unknown, because its execution was cut off. */
	forget(message: string): void;
	/**
	 * Notes the execution that runs the message.
	 *
	 * @returns false if another execution of this process has begun it
	 */
	begin(message: string, executionId: string): boolean;
	/** Records that the message ran. Resolves when that is stored; never rejects. */
	end(message: string, store: RunStore): Promise<void>;
	/**
	 * Which of the messages ran to the end, in any process, and how far back that is known. A look-up never counts as a run.
	 *
	 * @param since when the oldest of the messages came in, in Unix milliseconds by the clock of the process that asks
	 * @param startedAt since when that process looks for messages
	 * @param askedAt when it asks
	 * @throws Error if n8n's database cannot be used
	 */
	lookUp(
		messages: readonly string[],
		{ since, startedAt, askedAt }: { since: number; startedAt: number; askedAt: number },
		store: RunStore,
	): Promise<{ ran: Set<string>; history: RowHistory }>;
	/**
	 * Whether a fetched message may run: it ran to the end in no process, and was not begun too often. If it may, this counts
	 * as a try.
	 *
	 * @throws Error if n8n's database cannot be used
	 */
	mayRun(message: string, store: RunStore): Promise<Verdict>;
	/**
	 * Records that a message is about to be handed to a question. Resolves when that is stored.
	 *
	 * @param answer names the message and the question
	 * @throws Error if n8n's database cannot be used
	 */
	beginAnswer(answer: string, store: RunStore): Promise<void>;
	/**
	 * Removes that record, because the question did not take the message.
	 *
	 * @throws Error if n8n's database cannot be used
	 */
	cancelAnswer(answer: string, store: RunStore): Promise<void>;
	/**
	 * Which of the answers were begun, in any process. A look-up never counts as that.
	 *
	 * @throws Error if n8n's database cannot be used
	 */
	begunAnswers(answers: readonly string[], store: RunStore): Promise<string[]>;
}

/** Whether a fetched message may run. */
export type Verdict = 'open' | 'ran' | 'exhausted';

/** A message that ran, on its way into the row. */
interface RunRecord {
	/** How often it was looked for there. */
	checks: number;
	/** Whether this process has written it. */
	isWritten: boolean;
}

/** A message whose runs n8n never ends, for example because they use up its memory, is tried this often. */
const MAX_TRIES = 3;

/**
 * Creates the access to the row of a workflow. Calls run one at a time, because parallel calls would lose keys.
 *
 * As in the row of processed events, a look-up must not look like a run: it records a message as `ran` and as `open`. A
 * message that ran to the end is `ran` and not `open`. If n8n is killed during a look-up, the message counts as not run. In
 * the same way, an answer that was begun is `answer` and not `asked`.
 *
 * @param onFailure called if the database cannot be used for a record
 */
export function createMessageRuns(
	{ now, sleep }: Pick<Clock, 'now' | 'sleep'>,
	onFailure: () => void,
): MessageRuns {
	/** The executions that run the messages. */
	const known = new Map<string, string>();
	const ended = new Set<string>();
	const marks = createRunMarks();
	/** Whether the row is known to hold keys. */
	let hasKeys = false;
	/** The messages that ran and are not certainly recorded. */
	const unchecked = new Map<string, RunRecord>();
	/** The keys of look-ups that would mislead the next one, until they are certainly gone, and how often that failed. */
	const lookedUp = new Map<string, number>();
	let isChecking = false;
	const inSeries = createPacedQueue({ now, sleep });

	const know = (message: string, executionId: string) => {
		known.set(message, executionId);
		for (const oldest of known.keys()) {
			if (known.size <= MAX_KNOWN) return;
			known.delete(oldest);
			ended.delete(oldest);
		}
	};

	const isEmpty = async (row: CountedKeyStore): Promise<boolean> => {
		hasKeys ||= (await row.count()) > 0;
		return !hasKeys;
	};

	/** Records keys behind the marks that are due. */
	const record = async (keys: string[], kept: CountedKeyStore): Promise<Set<string>> => {
		const at = now();
		const due = await marks.due(at, async () => await isEmpty(kept));
		const before = await kept.record([...due, ...keys]);
		marks.noteRecorded(at);
		hasKeys = true;
		return new Set(before);
	};

	/** Looks up keys, and leaves nothing behind. */
	const find = async (keys: string[], { lookUp }: RunStore): Promise<Set<string>> => {
		// If n8n is killed meanwhile, the row must not look as if it had forgotten something.
		if (await isEmpty(lookUp)) return new Set();
		const before = new Set(await lookUp.record(keys));
		const added = keys.filter((key) => !before.has(key));
		if (added.length > 0) await lookUp.remove(added);
		return before;
	};

	const recordRuns = async (runs: ReadonlyMap<string, RunRecord>, kept: CountedKeyStore): Promise<void> => {
		const before = await record(inState('ran', [...runs.keys()]), kept);
		for (const [message, run] of runs) {
			if (before.has(`ran ${message}`)) {
				if (run.isWritten) unchecked.delete(message);
				// It can be left from a look-up, which another process has written again.
				lookedUp.set(`open ${message}`, 0);
			}
			run.isWritten = true;
		}
		if (lookedUp.size > 0) await kept.remove([...lookedUp.keys()]);
	};

	/** Repeats what was written until it is certainly there. */
	const check = async (kept: CountedKeyStore): Promise<void> => {
		if (isChecking) return;
		isChecking = true;
		while (unchecked.size + lookedUp.size > 0) {
			await sleep(CHECK_MS);
			const closed = [...lookedUp.keys()];
			const isWritten = await inSeries(async () => await recordRuns(new Map(unchecked), kept)).then(
				() => true,
				() => false,
			);
			for (const key of closed) {
				const checks = (lookedUp.get(key) ?? 0) + 1;
				if (isWritten || checks >= MAX_CHECKS) lookedUp.delete(key);
				else lookedUp.set(key, checks);
			}
			const lost = [...unchecked].filter(([, state]) => ++state.checks >= MAX_CHECKS);
			for (const [message] of lost) unchecked.delete(message);
			if (lost.length > 0) onFailure();
		}
		isChecking = false;
	};

	const ranAmong = (messages: readonly string[], before: ReadonlySet<string>): Set<string> =>
		new Set(messages.filter((message) => before.has(`ran ${message}`) && !before.has(`open ${message}`)));

	/** These keys must go, also if another process writes them again. */
	const closeLookUp = (keys: readonly string[], { kept }: RunStore) => {
		for (const key of keys) lookedUp.set(key, 0);
		void check(kept);
	};

	const saveEnds = createSharedTurns(inSeries, async (messages: readonly string[], { kept }: RunStore) => {
		const runs = new Map(messages.map((message) => [message, { checks: 0, isWritten: false }]));
		for (const [message, run] of runs) unchecked.set(message, run);
		await recordRuns(runs, kept);
	});

	const judge = createSharedTurns(inSeries, async (messages: readonly string[], store: RunStore) => {
		const ran = ranAmong(messages, await find(statesOf(messages), store));
		closeLookUp(inState('open', [...ran]), store);
		const verdicts = new Map<string, Verdict>([...ran].map((message) => [message, 'ran']));
		let open = messages.filter((message) => !ran.has(message));
		for (let tries = 1; open.length > 0 && tries <= MAX_TRIES; tries++) {
			const keyOf = (message: string) => `try ${tries} ${message}`;
			const before = await record(open.map(keyOf), store.kept);
			open = open.filter((message) => before.has(keyOf(message)));
		}
		for (const message of open) verdicts.set(message, 'exhausted');
		return verdicts;
	});

	const findBegun = createSharedTurns(inSeries, async (answers: readonly string[], store: RunStore) => {
		const before = await find([...inState('answer', answers), ...inState('asked', answers)], store);
		return answers.filter((answer) => before.has(`answer ${answer}`) && !before.has(`asked ${answer}`));
	});

	return {
		isKnown: (message) => known.has(message),
		isBegunBy: (message, executionId) => known.get(message) === executionId,
		forget: (message) => {
			known.delete(message);
			ended.delete(message);
		},
		begin(message, executionId) {
			const other = known.get(message);
			if (other !== undefined && other !== executionId) return false;
			know(message, executionId);
			return true;
		},
		async end(message, store) {
			if (ended.has(message)) return;
			ended.add(message);
			await saveEnds([message], store)
				.catch(() => undefined)
				.finally(() => void check(store.kept));
		},
		lookUp: async (messages, { since, startedAt, askedAt }, store) =>
			await inSeries(async () => {
				const at = now();
				const times = {
					since,
					startedAt,
					now: Math.max(at, askedAt),
					behindMs: Math.max(0, askedAt - at),
				};
				if (await isEmpty(store.lookUp))
					return { ran: new Set<string>(), history: historyOf([BEGAN], times) };
				const marks = [BEGAN, ...marksSince(since, times.now)];
				const before = await find([...marks, ...statesOf(messages)], store);
				const left = marks.filter((mark) => before.has(mark));
				const ran = ranAmong(messages, before);
				// The marks of this moment can be recorded meanwhile.
				const own = [...left, ...marksAt(at), ...marksAt(times.now)];
				const gone = marks.filter((mark) => !own.includes(mark));
				closeLookUp([...inState('open', [...ran]), ...gone], store);
				return { ran, history: historyOf(left, times) };
			}),
		mayRun: async (message, store) => (await judge([message], store)).get(message) ?? 'open',
		beginAnswer: async (answer, { kept }) =>
			await inSeries(async () => {
				await record([`answer ${answer}`], kept);
				// A look-up of it was cut off.
				await kept.remove([`asked ${answer}`]);
			}),
		cancelAnswer: async (answer, { kept }) =>
			await inSeries(async () => await kept.remove([`answer ${answer}`])),
		async begunAnswers(answers, store) {
			const begun = await findBegun(answers, store);
			return answers.filter((answer) => begun.includes(answer));
		},
	};
}

function statesOf(messages: readonly string[]): string[] {
	return [...inState('ran', messages), ...inState('open', messages)];
}

function inState(state: 'ran' | 'open' | 'answer' | 'asked', messages: readonly string[]): string[] {
	return messages.map((message) => `${state} ${message}`);
}
