import type { Clock } from '../../api/clock';
import type { PublishedTrigger } from '../delivery/trigger';
import type { FetchedMessage } from './fetchedMessage';
import { answerIn, lookUpItem, MAX_MESSAGES_IN_LOOK_UP, type LookUpAnswer } from './lookUp';

/** How long n8n may take for a look-up, which may wait in a queue. */
const LOOK_UP_TIMEOUT_MS = 10 * 60_000;

/** How long no look-up follows one without an answer; twice as long after each, up to the longest. */
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 60 * 60_000;

/**
 * Creates a function that finds the messages that did not run, in any process.
 *
 * @param clock its waits end when n8n ends the trigger
 * @returns takes messages and how far the service's clock is ahead of n8n's, in milliseconds; throws if n8n gives no answer
 */
export function createNotRunFinder(
	{ node, logger, run }: Pick<PublishedTrigger, 'node' | 'logger' | 'run'>,
	clock: Clock,
): (messages: readonly FetchedMessage[], clockOffsetMs: number) => Promise<FetchedMessage[]> {
	let hasWarned = false;

	const warnOfForgotten = (knownSince: number) => {
		if (hasWarned) return;
		hasWarned = true;
		const time = new Date(knownSince).toISOString();
		logger.warn(
			`${node.name}: messages that came in before ${time} are left alone, because n8n no longer knows which of them ran`,
		);
	};

	/** Without a credential that one of its nodes needs, n8n fails every execution of a workflow, and tells of each. */
	let unanswered = 0;
	let pausesUntil = -Infinity;

	const ask = async (messageIds: readonly string[]): Promise<LookUpAnswer> => {
		if (clock.elapsed() < pausesUntil) throw noAnswer();
		const ended = await Promise.race([
			run(lookUpItem(messageIds)),
			clock.sleep(LOOK_UP_TIMEOUT_MS).then(() => undefined),
		]);
		const answer = answerIn(ended, messageIds.length);
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
			const { isMissing, knownSince } = await ask(asked.map(({ messageId }) => messageId));
			const missed = asked.filter((_, index) => isMissing[index]);
			const remembered = missed.filter((message) => receivedAt(message) >= knownSince);
			if (remembered.length < missed.length) warnOfForgotten(knownSince);
			notRun.push(...remembered);
		}
		return notRun;
	};
}

const noAnswer = () => new Error('n8n could not look up which messages ran');
