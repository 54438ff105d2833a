/** By then n8n has noted that the execution goes on, and refuses other answers itself. */
const NOTED_MS = 10_000;

/** An answer that n8n was handed. */
interface Answer {
	/** Resolves to whether n8n took it. */
	taken: Promise<boolean>;
	/** Unix milliseconds; none as long as n8n has not taken it. */
	takenAt?: number;
}

/** The answers under way and those of late, by question. */
const answers = new Map<string, Answer>();

/**
 * Whether n8n may be handed an answer, because it took no other one to the same question. n8n 1.x lets an execution go on
 * for each of several answers that arrive in the same moment, as they do when somebody presses the button twice. An
 * answer waits for what becomes of the one before it, and takes its place when n8n could not take that one.
 *
 * @param question what names the question in this process
 * @param watch called for the answer that n8n is handed; resolves to whether n8n took it
 * @param now the time in Unix milliseconds
 */
export async function isFirstAnswer(
	question: string,
	watch: () => Promise<boolean>,
	now: () => number,
): Promise<boolean> {
	forget(now() - NOTED_MS);
	for (let earlier = answers.get(question); earlier; earlier = answers.get(question)) {
		if (await earlier.taken) return false;
	}
	const answer: Answer = {
		taken: watch().then((taken) => {
			if (taken) answer.takenAt = now();
			else answers.delete(question);
			return taken;
		}),
	};
	answers.set(question, answer);
	return true;
}

function forget(before: number): void {
	for (const [question, { takenAt }] of answers) {
		if (takenAt !== undefined && takenAt < before) answers.delete(question);
	}
}
