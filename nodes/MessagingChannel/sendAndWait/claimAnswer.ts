import type { Clock } from '../api/clock';

/** How long an accepted answer is kept. After that, n8n itself refuses further answers. */
const ACCEPTED_TTL_MS = 10_000;

/** An answer that was passed to n8n. */
interface Answer {
	/** Resolves to whether n8n accepted the answer. */
	accepted: Promise<boolean>;
	/** By `clock.elapsed`; infinite until n8n has accepted the answer. */
	acceptedAt: number;
	/** The ID of the message, for an answer in the chat. */
	messageId?: string;
}

/** The answers in progress and those accepted recently, by question. */
const answers = new Map<string, Answer>();

/**
 * Claims a question for an answer that is then passed to n8n. n8n 1.x resumes an execution once for each answer that arrives
 * at the same moment, for example after a double click. So a later answer waits for the result of the earlier one, and
 * replaces it if n8n did not accept it.
 *
 * @param question identifies the question in this process
 * @param watchAcceptance called if the answer may be passed to n8n; resolves to whether n8n accepted it
 * @param messageId the ID of the message, for an answer in the chat
 * @returns false if n8n accepted another answer
 */
export async function claimAnswer(
	question: string,
	watchAcceptance: () => Promise<boolean>,
	{ elapsed }: Pick<Clock, 'elapsed'>,
	messageId?: string,
): Promise<boolean> {
	removeExpired(elapsed() - ACCEPTED_TTL_MS);
	for (let earlier = answers.get(question); earlier; earlier = answers.get(question)) {
		if (await earlier.accepted) return false;
	}
	const answer: Answer = {
		messageId,
		acceptedAt: Infinity,
		accepted: watchAcceptance().then((wasAccepted) => {
			if (wasAccepted) answer.acceptedAt = elapsed();
			else answers.delete(question);
			return wasAccepted;
		}),
	};
	answers.set(question, answer);
	return true;
}

/**
 * Whether a message was passed to n8n as the answer to a question, and n8n has not refused it. n8n can hold an execution back
 * until another one ends, for example the one that hands over the answer.
 */
export function isPassedOn(question: string, messageId: string): boolean {
	return answers.get(question)?.messageId === messageId;
}

function removeExpired(cutoff: number): void {
	for (const [question, { acceptedAt }] of answers) {
		if (acceptedAt < cutoff) answers.delete(question);
	}
}
