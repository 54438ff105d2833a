import type { Clock } from '../../api/clock';
import { createBatchedWork } from '../../n8n/serialQueue';
import { BEGAN, marksAt, marksSince, historyOf, type RowHistory } from './runMarks';
import { createRunRow, inState, type RunStore } from './runRow';

/** More messages than come in while an execution ends; about 2 MB. */
const MAX_BEGUN = 20_000;

/** Which messages ran to the end, for the triggers of one workflow. A message has the name that its trigger gives it. */
export interface MessageRuns {
	/** Whether an execution of this process has begun the message. */
	isBegun(message: string): boolean;
	/** Whether this execution has begun the message. */
	isBegunBy(message: string, executionId: string): boolean;
	/** Forgets that the message was begun, because its execution was cut off. */
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

/** A message whose runs n8n never ends, for example because they use up its memory, is tried this often. */
const MAX_TRIES = 3;

/**
 * Creates the access to what is known of the messages of a workflow.
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
	const row = createRunRow({ now, sleep }, onFailure);
	const { inSeries, isEmpty, record, find, recordRuns, check, removeSurely } = row;
	/** The executions that have begun the messages. */
	const executionIds = new Map<string, string>();
	const ended = new Set<string>();

	const noteBegun = (message: string, executionId: string) => {
		executionIds.set(message, executionId);
		for (const oldest of executionIds.keys()) {
			if (executionIds.size <= MAX_BEGUN) return;
			executionIds.delete(oldest);
			ended.delete(oldest);
		}
	};

	const saveEnds = createBatchedWork(
		inSeries,
		async (messages: readonly string[], { kept }: RunStore) => await recordRuns(messages, kept),
	);

	const judge = createBatchedWork(inSeries, async (messages: readonly string[], store: RunStore) => {
		const ran = ranAmong(messages, await find(statesOf(messages), store));
		removeSurely(inState('open', [...ran]), store.kept);
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

	const findBegun = createBatchedWork(inSeries, async (answers: readonly string[], store: RunStore) => {
		const before = await find([...inState('answer', answers), ...inState('asked', answers)], store);
		return answers.filter((answer) => before.has(`answer ${answer}`) && !before.has(`asked ${answer}`));
	});

	return {
		isBegun: (message) => executionIds.has(message),
		isBegunBy: (message, executionId) => executionIds.get(message) === executionId,
		forget: (message) => {
			executionIds.delete(message);
			ended.delete(message);
		},
		begin(message, executionId) {
			const other = executionIds.get(message);
			if (other !== undefined && other !== executionId) return false;
			noteBegun(message, executionId);
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
				const found = marks.filter((mark) => before.has(mark));
				const ran = ranAmong(messages, before);
				// The marks of this moment can be recorded meanwhile.
				const lasting = [...found, ...marksAt(at), ...marksAt(times.now)];
				const added = marks.filter((mark) => !lasting.includes(mark));
				removeSurely([...inState('open', [...ran]), ...added], store.kept);
				return { ran, history: historyOf(found, times) };
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

function ranAmong(messages: readonly string[], before: ReadonlySet<string>): Set<string> {
	return new Set(
		messages.filter((message) => before.has(`ran ${message}`) && !before.has(`open ${message}`)),
	);
}

function statesOf(messages: readonly string[]): string[] {
	return [...inState('ran', messages), ...inState('open', messages)];
}
