import { hash } from 'crypto';

import type { Clock } from '../../api/clock';
import type { ChatReply } from '../../sendAndWait/inChat/protocol';
import type { AskedQuestion } from '../../sendAndWait/inChat/questionLinks';
import type { PageReply } from './askPage';

/** How long n8n may take to store an execution that waits, and how long a page that does not respond is asked again. */
const MAX_WAIT_MS = 5_000;

const PAUSE_MS = 500;

/** An execution that asked longer before the reply has begun to wait, in seconds. */
const FRESH_SECONDS = 60;

/** It is not known whether a question took a reply. */
export class UncertainAnswer extends Error {}

/** What is recorded of a message, so that a run that was cut off is known. The name of a question is not its link. */
export interface AnswerRecords {
	/** Records that the message is about to be handed to a question. Resolves when that is stored. */
	begin(question: string): Promise<void>;
	/** Removes the record, because the question did not take the message. */
	cancel(question: string): Promise<void>;
	/** To which of the questions the message was about to be handed, in any process. */
	begun(questions: readonly string[]): Promise<string[]>;
}

/** The name of a question. */
export const questionNameOf = (link: string): string => hash('sha256', link);

/** What handing over needs. */
export interface HandOverDependencies {
	/** Asks the page of a question. */
	ask(link: string, phase: 'check' | 'take', reply: ChatReply): Promise<PageReply>;
	records: AnswerRecords;
	clock: Pick<Clock, 'elapsed' | 'sleep'>;
	/** Called if a page did not respond, and the message may go on. */
	onUnknown(): void;
}

/**
 * Hands a reply to the question that it answers: to the only one that accepts it.
 *
 * n8n can be killed at any moment, and the message runs again then. It was recorded before it was handed over, so a question
 * that is closed by then has taken it, and one that is still open has not.
 *
 * @param questions those of its chat that it can answer
 * @param receivedAt when it was written, in Unix seconds
 * @returns whether a question took it, now or in a run that was cut off; undefined if several could take it, or one that does
 *   not wait yet or does not respond
 * @throws UncertainAnswer if a page does not respond that may have taken it
 */
export async function handOver(
	questions: readonly AskedQuestion[],
	reply: Omit<ChatReply, 'sendersSince'>,
	receivedAt: number,
	{ ask, records, clock, onUnknown }: HandOverDependencies,
): Promise<boolean | undefined> {
	if (questions.length === 0) return false;
	const checked = await Promise.all(
		questions.map(async ({ link, askedAt, sendersSince }) => {
			const name = questionNameOf(link);
			const askPhase = async (phase: 'check' | 'take') => await ask(link, phase, { ...reply, sendersSince });
			const isFresh = receivedAt - askedAt <= FRESH_SECONDS;
			const result = await check(askPhase, isFresh, clock);
			return { name, askPhase, result, mayAccept: isUnanswered(result) || (result === 'running' && isFresh) };
		}),
	);
	const begun = await records.begun(checked.map(({ name }) => name));
	const unknown = checked.filter(({ result }) => isUnanswered(result));
	if (unknown.some(({ name }) => begun.includes(name))) throw new UncertainAnswer();
	const notOpen = checked.filter(({ result }) => typeof result !== 'object' || !result.isOpen);
	if (notOpen.some(({ name }) => begun.includes(name))) return true;
	if (unknown.length > 0) onUnknown();

	// A page that did not respond could accept the reply, and so could an execution that does not wait yet.
	if (checked.some(({ mayAccept }) => mayAccept)) return undefined;
	const [only, ...others] = checked.filter(
		({ result }) => typeof result === 'object' && result.isOpen && result.accepts,
	);
	if (!only) return false;
	if (others.length > 0) return undefined;
	await records.begin(only.name);
	const wasTaken = await take(only.askPhase, clock, begun.includes(only.name));
	if (wasTaken === undefined) onUnknown();
	if (wasTaken !== true) await records.cancel(only.name);
	return wasTaken;
}

const isUnanswered = (result: PageReply) => result === 'unknown' || result === 'refused';

type AskPhase = (phase: 'check' | 'take') => Promise<PageReply>;

/** Asks again while n8n has not stored yet that the execution waits, or does not respond. */
async function check(
	ask: AskPhase,
	isFresh: boolean,
	clock: HandOverDependencies['clock'],
): Promise<PageReply> {
	const deadline = clock.elapsed() + MAX_WAIT_MS;
	for (;;) {
		const result = await ask('check');
		const mayChange = isUnanswered(result) || (result === 'running' && isFresh);
		if (!mayChange || clock.elapsed() >= deadline) return result;
		await clock.sleep(PAUSE_MS);
	}
}

/**
 * Whether the question took the reply; undefined if no request reached it. Once nobody knows what became of a request, a question
 * that does not wait any more has taken it.
 *
 * @param wasUnknown whether a request of a run that was cut off may have reached it
 */
async function take(
	ask: AskPhase,
	clock: HandOverDependencies['clock'],
	wasUnknown: boolean,
): Promise<boolean | undefined> {
	let deadline: number | undefined;
	for (;;) {
		const result = await ask('take');
		if (typeof result === 'object' && (result.taken === true || result.isOpen)) return result.taken === true;
		if (!isUnanswered(result)) return wasUnknown;
		wasUnknown ||= result === 'unknown';
		// A request that n8n holds back until this run has ended takes longer. The next one is told that it was passed on.
		deadline ??= clock.elapsed() + MAX_WAIT_MS;
		if (clock.elapsed() >= deadline) {
			if (wasUnknown) throw new UncertainAnswer();
			return undefined;
		}
		await clock.sleep(PAUSE_MS);
	}
}
