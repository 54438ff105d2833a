import type { Clock } from '../../api/clock';
import type { PublishedTrigger } from '../delivery/trigger';
import { createChatQueue } from './chatQueue';
import { fetchedItem, type FetchedMessage } from './fetchedMessage';
import { messageNameOf, runsOf } from './workflowRuns';

/**
 * A message that ran in no process must still be missing after this time: longer than a run takes until it counts as ended,
 * and than most deliveries take.
 */
const MISSING_MS = 150_000;

/** A backlog starts so many executions at once, and one of each chat. */
const MAX_RUNS_AT_ONCE = 10;

/** How long a backlog waits for an execution before it goes on. */
const MAX_RUN_WAIT_MS = 10_000;

/** After this time without an end, it is looked up whether a message ran. */
const LOST_RUN_MS = 10 * 60_000;

/** Starts an execution for each message, and knows which of them did not run. */
export interface MessageStarter {
	/** How many messages wait for their executions or for another look-up. */
	waiting: () => number;
	/** Whether the message has not run and does not wait, as far as this process knows. */
	isOpen: (message: FetchedMessage) => boolean;
	start: (messages: readonly FetchedMessage[]) => void;
	/** The message has not run, as far as this process knows. */
	noteMissing: (message: FetchedMessage) => void;
	/** Those that have been missing for so long that they are looked up again. */
	due: () => FetchedMessage[];
	/** The message has run, or need not run. */
	settle: (message: FetchedMessage) => void;
	clearMissing: () => void;
}

/**
 * Creates a starter for the messages of a trigger.
 *
 * @param clock its waits end with the signal
 */
export function createMessageStarter(
	trigger: Pick<PublishedTrigger, 'node' | 'workflow' | 'logger' | 'run'>,
	clock: Clock,
	stopped: AbortSignal,
): MessageStarter {
	const runs = runsOf(trigger);
	const nameOf = ({ messageId }: FetchedMessage) => messageNameOf(trigger, messageId);
	const missing = new Map<string, { message: FetchedMessage; since: number }>();

	const noteMissing = (message: FetchedMessage) =>
		void missing.set(nameOf(message), { message, since: clock.elapsed() });

	const settle = (message: FetchedMessage) => void missing.delete(nameOf(message));

	const run = async (message: FetchedMessage) => {
		if (stopped.aborted) return;
		const waited = new AbortController();
		const ended = Promise.race([
			trigger.run(fetchedItem(message, clock.now())),
			// n8n 1.x does not tell of an execution that it could not store, nor any n8n of a job that got lost.
			clock.sleep(LOST_RUN_MS, waited.signal).catch(() => undefined),
		]).then(() => {
			waited.abort();
			// It ran in another process, which may have been killed. In queue mode that is every message: one more look-up follows.
			if (!runs.isBegun(nameOf(message))) noteMissing(message);
		});
		await Promise.race([ended, clock.sleep(MAX_RUN_WAIT_MS, waited.signal)]).catch(() => undefined);
	};
	const queue = createChatQueue(MAX_RUNS_AT_ONCE, run);

	return {
		waiting: () => missing.size + queue.size,
		isOpen(message) {
			const name = nameOf(message);
			return !runs.isBegun(name) && !missing.has(name);
		},
		start(messages) {
			messages.forEach(settle);
			queue.add(messages);
		},
		noteMissing,
		due: () =>
			[...missing.values()]
				.filter(({ since }) => clock.elapsed() - since >= MISSING_MS)
				.map(({ message }) => message),
		settle,
		clearMissing: () => missing.clear(),
	};
}
