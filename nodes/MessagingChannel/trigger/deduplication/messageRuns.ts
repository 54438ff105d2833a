import type { Clock } from '../../api/clock';
import type { Journal, Policy } from '../../n8n/journal/contract';
import { createLastingJournal } from '../../n8n/journal/lastingJournal';
import type { Row } from '../../n8n/journal/row';
import { createMarkedRow, knownSince, marksBefore } from './runMarks';

/**
 * The row of a workflow, so that the events in the row of the node cannot push messages out. It holds the latest 10,000 messages, one
 * key more for each of the 4,000 that wait for their run, and the 2,000 keys that a look-up records and removes; about 450 kB.
 */
const POLICY: Policy = { writesWithinMs: 250, rolls: 16_500, isPaced: true, forgetsOpen: true };

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
	/** Records that the message ran. Resolves when that is stored, or the database has failed; never rejects. */
	end(message: string, row: Row): Promise<void>;
	/**
	 * Which of the messages ran to the end, in any process, and since when that is known, in Unix milliseconds. Another process can
	 * be ending them, so the others count as begun from now on.
	 *
	 * @throws Error if n8n's database cannot be used
	 */
	lookUp(messages: readonly string[], row: Row): Promise<{ ran: Set<string>; knownSince: number }>;
	/**
	 * Whether a fetched message may run: it ran to the end in no process, and was not begun too often. If it may, this counts
	 * as a try.
	 *
	 * @throws Error if n8n's database cannot be used
	 */
	mayRun(message: string, row: Row): Promise<Verdict>;
	/**
	 * Records that a message is about to be handed to a question. Resolves when that is stored, or the database has failed;
	 * never rejects.
	 *
	 * @param answer names the message and the question
	 */
	beginAnswer(answer: string, row: Row): Promise<void>;
	/** Removes that record, because the question did not take the message. Never rejects. */
	cancelAnswer(answer: string, row: Row): Promise<void>;
	/**
	 * Which of the answers were begun, in any process. No other process hands over the same message meanwhile.
	 *
	 * @throws Error if n8n's database cannot be used
	 */
	begunAnswers(answers: readonly string[], row: Row): Promise<string[]>;
}

/** Whether a fetched message may run. */
export type Verdict = 'open' | 'ran' | 'exhausted';

/** The keys of the tries of a message. One whose runs n8n never ends, for example because they use up its memory, has no fourth. */
const triesOf = (message: string): string[] => [1, 2, 3].map((count) => `try ${count} ${message}`);

/** An answer is a fact that is done before it is handed over. */
const factOf = (answer: string): string => `answer ${answer}`;

/**
 * Creates the access to what is known of the messages of a workflow. A message that ran to the end is a fact that is done.
 *
 * @param onFailure called if the database cannot be used for a record
 */
export function createMessageRuns(
	clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>,
	onFailure: () => void,
): MessageRuns {
	const lastingJournalOf = createLastingJournal(POLICY);
	const markedRowOf = createMarkedRow(clock);
	/** The executions that have begun the messages. */
	const executionIds = new Map<string, string>();
	/** The messages that this process tries. */
	const tried = new Set<string>();

	const journalOf = (row: Row): Journal =>
		lastingJournalOf({
			row: markedRowOf(row),
			clock,
			onFailure,
			isShared: true,
		});

	return {
		isBegun: (message) => executionIds.has(message),
		isBegunBy: (message, executionId) => executionIds.get(message) === executionId,
		forget: (message) => void executionIds.delete(message),
		begin(message, executionId) {
			const other = executionIds.get(message);
			if (other !== undefined && other !== executionId) return false;
			executionIds.set(message, executionId);
			const [oldest] = executionIds.keys();
			if (oldest !== undefined && executionIds.size > MAX_BEGUN) executionIds.delete(oldest);
			return true;
		},
		async end(message, row) {
			const journal = journalOf(row);
			journal.finish(message);
			if (tried.delete(message)) journal.erase(...triesOf(message));
			await journal.flush();
		},
		async lookUp(messages, row) {
			const journal = journalOf(row);
			const now = clock.now();
			const marks = [...marksBefore(now).keys()];
			const [begun, left] = await Promise.all([
				journal.begin(messages.map((id) => ({ id }))),
				journal.find(marks),
			]);
			const ran = messages.filter((id) => begun.get(id)?.state === 'done');
			// Again, as another process can undo that what only the look-up has recorded is removed.
			journal.finish(...ran);
			journal.erase(...marks.filter((mark) => !left.has(mark)));
			return { ran: new Set(ran), knownSince: knownSince(left, now) };
		},
		async mayRun(message, row) {
			const journal = journalOf(row);
			for (const key of triesOf(message)) {
				const [begun, before] = await Promise.all([journal.begin([{ id: message }]), journal.note([key])]);
				if (begun.get(message)?.state === 'done') {
					journal.finish(message);
					journal.erase(key);
					return 'ran';
				}
				if (!before.has(key)) {
					tried.add(message);
					return 'open';
				}
			}
			return 'exhausted';
		},
		async beginAnswer(answer, row) {
			const journal = journalOf(row);
			journal.finish(factOf(answer));
			await journal.flush();
		},
		async cancelAnswer(answer, row) {
			const journal = journalOf(row);
			journal.cancel(factOf(answer));
			await journal.flush();
		},
		async begunAnswers(answers, row) {
			const states = await journalOf(row).peek(answers.map(factOf));
			return answers.filter((answer) => states.get(factOf(answer)) === 'done');
		},
	};
}
