import partition from 'lodash/partition';

import type { Clock } from '../api/clock';
import type { ActionRun } from '../n8n/actionRun';
import { sendOf } from './plan';
import { sendJournalOf } from './sending/journal/openJournal';
import { messagesOf, type Send } from './sending/send';
import type { SendJournal } from './sending/sendJournal';
import type { SendLog } from './sending/sendLog';
import { earlierText, possibleText } from './sending/sendOnce';
import type { Task } from './task';

/** A task, and what of it must not be sent twice. */
interface Planned {
	task: Task;
	send: Send;
}

/** Opens the journal of a run. Call `close` at the end. */
export function runJournalOf(
	run: ActionRun,
	clock: Clock,
	log: SendLog,
	tasks: readonly Task[],
): SendJournal {
	const planned = tasks.map((task) => ({ task, send: sendOf(task, log) }));
	const sends = planned.map(({ send }) => send);
	return sendJournalOf(run, clock, sends, async (open) => {
		const keys = new Set(open.map(({ requestKey }) => requestKey));
		const [earlier, others] = partition(planned, ({ send }) => keys.has(send.requestKey));
		registerSameMessages(open, others, clock.now());
		return await keysNotQueued(earlier);
	});
}

/** Registers the other sends whose message looks like one of these in the chat. An earlier execution may have sent it, too. */
function registerSameMessages(open: readonly Send[], others: readonly Planned[], now: number): void {
	const messages = new Set(open.map(messageKeyOf));
	for (const { task, send } of others) {
		const isSame = send.requestKey !== undefined && messages.has(messageKeyOf(send));
		const text = isSame ? possibleText(send, now) : undefined;
		if (text) task.account.reconciliation.attempted(text);
	}
}

/** The request keys of the sends whose account has an empty queue. */
async function keysNotQueued(planned: readonly Planned[]): Promise<Set<string>> {
	const accounts = [...new Set(planned.map(({ task }) => task.account))];
	const areEmpty = await Promise.all(
		accounts.map(async (account) => await account.emptyQueueCheck().check()),
	);
	const notQueued = planned.filter(({ task }) => areEmpty[accounts.indexOf(task.account)]);
	return new Set(notQueued.map(({ send }) => String(send.requestKey)));
}

/** The recipient and the text, which are all that the chat shows. */
function messageKeyOf({ partitionKey, request }: Send): string {
	return JSON.stringify([partitionKey, request.parameters?.message]);
}

/** Registers the texts that earlier tries of this run have sent, so that no other send takes their messages for its own. */
export function registerEarlierTexts(log: SendLog, tasks: readonly Task[]): void {
	for (const task of tasks) {
		for (const message of messagesOf(sendOf(task, log))) {
			const text = earlierText(message, log);
			if (text) task.account.reconciliation.attempted(text);
		}
	}
}
