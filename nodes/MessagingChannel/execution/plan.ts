import type { Clock } from '../api/clock';
import type { ActionRun } from '../n8n/actionRun';
import type { Send } from './sending/send';
import type { SendLog } from './sending/sendLog';
import type { Check, SendLine, Step } from './sending/sendOnce';
import type { SendJournal } from './sending/sendJournal';
import { requestKeysOf } from './sending/journal/facts';
import { sendJournalOf } from './sending/journal/openJournal';
import { withoutSkipped } from './sending/skipRecipients';
import type { Task } from './task';

/**
 * What of a task must not be sent twice.
 *
 * @param log if an earlier try has begun to send the text, its parts count, because an expression can change the text
 */
export function sendOf(task: Task, log: SendLog): Send {
	const { request, itemIndex, partitionKey, parts, options, account } = task;
	const { requestId } = options;
	const send = {
		request,
		itemIndex,
		partitionKey: String(partitionKey),
		...(requestId === undefined ? {} : requestKeysOf(account.sender(), account.digest, requestId)),
	};
	// After an earlier try of a text, the node can send something else now.
	const earlier = log.hasEarlier && request.endpoint.sends === 'text' ? log.find(send) : undefined;
	return { ...send, parts: earlier ? earlier.parts : parts };
}

/** Opens the journal of a run. Call `close` at the end. */
export function runJournalOf(
	run: ActionRun,
	clock: Clock,
	log: SendLog,
	tasks: readonly Task[],
): SendJournal {
	const planned = tasks.map((task) => ({ account: task.account, send: sendOf(task, log) }));
	const sends = planned.map(({ send }) => send);
	return sendJournalOf(run, clock, sends, async (open) => {
		const keys = new Set(open.map(({ requestKey }) => requestKey));
		const earlier = planned.filter(({ send }) => keys.has(send.requestKey));
		const accounts = [...new Set(earlier.map(({ account }) => account))];
		const areEmpty = await Promise.all(
			accounts.map(async (account) => await account.emptyQueueCheck().check()),
		);
		const notQueued = earlier.filter(({ account }) => areEmpty[accounts.indexOf(account)]);
		return new Set(notQueued.map(({ send }) => String(send.requestKey)));
	});
}

/** What a send passes before its request, in order. What is not switched on is not in it. */
export function stepsOf(task: Task, send: Send): Pick<SendLine, 'steps' | 'checks'> {
	const { account, input, interaction, options } = task;
	const { pauseWhenQueueAbove } = options;
	// A text whose first part was sent is not cut off.
	const settings = send.part?.index ? {} : input.settings;
	const tags = (settings.skipTags ?? []) as string[];
	const hours = settings.onlyIfWroteWithin as number | undefined;
	const skip: Check = async (remaining) =>
		await withoutSkipped(
			remaining,
			async (to) => await account.suppressionList().reasonToSkip(to, tags, options),
		);
	const leaveOut: Check = async (remaining) =>
		await withoutSkipped(remaining, async (to) => await account.whoWrote()(to, Number(hours), options));
	const check: Step = async () => await interaction?.check?.();
	const wait: Step = async () => await account.waitForQueue()(pauseWhenQueueAbove, options);
	const checks = [...(tags.length > 0 ? [skip] : []), ...(hours === undefined ? [] : [leaveOut])];
	const steps = [
		...(interaction?.check ? [check] : []),
		// Who is skipped does not wait.
		...checks,
		...(pauseWhenQueueAbove > 0 ? [wait] : []),
	];
	return { steps, checks };
}
