import type { Clock } from '../../api/clock';
import type { RowHistory } from '../deduplication/runMarks';
import type { PublishedTrigger } from '../delivery/trigger';
import type { FetchedMessage } from './fetchedMessage';
import { answerIn, lookUpItem, MAX_MESSAGES_IN_LOOK_UP, type LookUp, type LookUpAnswer } from './lookUp';

/** How long n8n may take for a look-up, which may wait in a queue. */
const LOOK_UP_TIMEOUT_MS = 10 * 60_000;

/** How long no look-up follows one without an answer; twice as long after each, up to the longest. */
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 60 * 60_000;

/**
 * Creates a function that finds the messages that did not run, in any process.
 *
 * @param clock its waits end when n8n ends the trigger
 * @param startedAt when the trigger began to look for messages, in Unix milliseconds
 * @returns takes messages and how far the service's clock is ahead of n8n's, in milliseconds; throws if n8n gives no answer
 */
export function createNotRunFinder(
	{ node, logger, run }: Pick<PublishedTrigger, 'node' | 'logger' | 'run'>,
	clock: Clock,
	startedAt: number,
): (messages: readonly FetchedMessage[], clockOffsetMs: number) => Promise<FetchedMessage[]> {
	/** What came in between this time and the start ran in no process before the start, in Unix milliseconds. */
	let quietSince: number | undefined;
	let hasWarned = false;

	const warnOfForgotten = (count: number, { knownSince }: RowHistory) => {
		if (count === 0 || hasWarned) return;
		hasWarned = true;
		const time = new Date(knownSince).toISOString();
		logger.warn(
			`${node.name}: messages that came in before ${time} are left alone, because n8n no longer knows which of them ran`,
		);
	};

	/**
	 * Whether it is known of a message that came in then, in Unix milliseconds, if it ran. What came in while n8n was down
	 * can only have run since.
	 */
	const isRemembered = (receivedAt: number, { knownSince }: RowHistory): boolean =>
		receivedAt >= knownSince ||
		(quietSince !== undefined && receivedAt >= quietSince && receivedAt < startedAt);

	/** Without a credential that one of its nodes needs, n8n fails every execution of a workflow, and tells of each. */
	let unanswered = 0;
	let pausesUntil = -Infinity;

	const ask = async (question: LookUp): Promise<LookUpAnswer> => {
		if (clock.elapsed() < pausesUntil) throw noAnswer();
		const ended = await Promise.race([
			run(lookUpItem(question)),
			clock.sleep(LOOK_UP_TIMEOUT_MS).then(() => undefined),
		]);
		const answer = answerIn(ended, question);
		unanswered = answer ? 0 : unanswered + 1;
		pausesUntil = clock.elapsed() + Math.min(FIRST_PAUSE_MS * 2 ** (unanswered - 1), MAX_PAUSE_MS);
		if (!answer) throw noAnswer();
		pausesUntil = -Infinity;
		return answer;
	};

	return async (messages, clockOffsetMs) => {
		const notRun: FetchedMessage[] = [];
		const receivedAt = ({ timestamp }: FetchedMessage) => timestamp * 1000 - clockOffsetMs;
		for (let from = 0; from < messages.length; from += MAX_MESSAGES_IN_LOOK_UP) {
			const asked = messages.slice(from, from + MAX_MESSAGES_IN_LOOK_UP);
			const { isMissing, history } = await ask({
				messageIds: asked.map(({ messageId }) => messageId),
				// The answer holds whole milliseconds.
				since: Math.floor(Math.min(...asked.map(receivedAt))),
				startedAt,
				askedAt: clock.now(),
			});
			quietSince ??= history.quietSince;
			const missed = asked.filter((_, index) => isMissing[index]);
			const remembered = missed.filter((message) => isRemembered(receivedAt(message), history));
			warnOfForgotten(missed.length - remembered.length, history);
			notRun.push(...remembered);
		}
		return notRun;
	};
}

const noAnswer = () => new Error('n8n could not look up which messages ran');
