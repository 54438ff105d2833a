import type { INode, Logger } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import { messageOf } from '../api/errors';

/** What ends the loops that run, by trigger and purpose. n8n can start a trigger again without ending it. */
const running = new Map<string, AbortController>();

/**
 * Starts work that goes on until n8n ends the trigger, such as a loop. Work of the same trigger and purpose that n8n has
 * not ended is ended first.
 *
 * @param work ends when the signal is aborted; its failure ends nothing else
 * @returns ends the work
 */
export function startInBackground(
	trigger: { key: string },
	purpose: string,
	work: (stopped: AbortSignal) => Promise<void>,
): () => void {
	const stopped = new AbortController();
	const key = `${purpose} ${trigger.key}`;
	running.get(key)?.abort();
	running.set(key, stopped);
	// A failure here must not affect other work. Aborting rejects the wait.
	void work(stopped.signal).catch(() => undefined);
	return () => {
		stopped.abort();
		if (running.get(key) === stopped) running.delete(key);
	};
}

/** How a loop goes on after a pass. */
export interface PassResult {
	pauseMs: number;
	/** What did not work. */
	problem?: string;
}

/** A loop. */
export interface Loop {
	clock: Pick<Clock, 'sleep'>;
	firstPauseMs: number;
	/** The pause after a pass that throws. */
	failurePauseMs: number;
	/** The beginning of a line in the log about a problem. */
	failure: string;
	/** More for that line, which does not count when problems are compared. */
	details?: () => string | undefined;
	pass: () => Promise<PassResult>;
}

/** Makes passes until the signal is aborted. A problem is logged once, until there is none or another one. */
export async function repeat(
	{ node, logger }: { node: Pick<INode, 'name'>; logger: Pick<Logger, 'warn'> },
	{ clock, firstPauseMs, failurePauseMs, failure, details, pass }: Loop,
	stopped: AbortSignal,
): Promise<void> {
	let lastProblem: string | undefined;
	if (firstPauseMs > 0) await clock.sleep(firstPauseMs, stopped);
	for (;;) {
		const { pauseMs, problem } = await pass().catch((error: unknown) => ({
			pauseMs: failurePauseMs,
			problem: messageOf(error),
		}));
		stopped.throwIfAborted();
		if (problem !== undefined && problem !== lastProblem) {
			const more = details?.();
			const line = `${node.name}: ${failure} ${problem}`;
			logger.warn(more === undefined ? line : `${line} (${more})`);
		}
		lastProblem = problem;
		await clock.sleep(pauseMs, stopped);
	}
}
