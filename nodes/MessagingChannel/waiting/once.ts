/** By then n8n has noted that the execution goes on, and refuses other answers itself. */
const NOTED_MS = 10_000;

/** The answers of late, in order of age. */
const answered = new Map<string, number>();

/**
 * Whether an answer is the first to its question. n8n 1.x lets an execution go on for each of several answers that arrive
 * in the same moment, as they do when somebody presses the button twice.
 *
 * @param question what names the question in this process
 * @param now Unix milliseconds
 */
export function isFirstAnswer(question: string, now: number): boolean {
	for (const [earlier, at] of answered) if (now - at > NOTED_MS) answered.delete(earlier);
	if (answered.has(question)) return false;
	answered.set(question, now);
	return true;
}
