import type { ITriggerFunctions } from 'n8n-workflow';

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
	context: Pick<ITriggerFunctions, 'getWorkflow' | 'getNode'>,
	purpose: string,
	work: (stopped: AbortSignal) => Promise<void>,
): () => void {
	const stopped = new AbortController();
	const key = `${purpose} ${context.getWorkflow().id} ${context.getNode().id}`;
	running.get(key)?.abort();
	running.set(key, stopped);
	// Nothing else may fail, and a stopped wait is the end.
	void work(stopped.signal).catch(() => undefined);
	return () => {
		stopped.abort();
		if (running.get(key) === stopped) running.delete(key);
	};
}
