import type { Send } from './sending/send';
import type { SendLog } from './sending/sendLog';
import type { Step } from './sending/sendOnce';
import { requestKeysOf } from './sending/journal/facts';
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

/** The steps before the request of a send, in order. What is not switched on is not among them. */
export function stepsOf(task: Task, send: Send): Step[] {
	const { account, input, interaction, options, request } = task;
	const { pauseWhenQueueAbove } = options;
	// A text whose first part was sent is not cut off.
	const tags = send.part?.index ? [] : ((input.settings.skipTags ?? []) as string[]);
	const check: Step = async () => await interaction?.check?.();
	const skip: Step = async (remaining) => await withoutSkipped(remaining, account.optOuts(), tags, options);
	const hours = send.part?.index ? undefined : (input.settings.onlyIfWroteWithin as number | undefined);
	const leaveOut: Step = async (remaining) => {
		const reasonToSkip = async (to: string) => await account.whoWrote()(to, Number(hours), options);
		return await withoutSkipped(remaining, { reasonToSkip }, [], options);
	};
	const wait: Step = async () => await account.waitForQueue()(pauseWhenQueueAbove, options);
	const remember: Step = async () =>
		await account.messageIds().remember(String(request.parameters?.to), options);
	const [isSkipping, isWaiting] = [tags.length > 0, pauseWhenQueueAbove > 0];
	return [
		...(interaction?.check ? [check] : []),
		// Who is skipped does not wait. Somebody can opt out during the wait.
		...(isSkipping && (isWaiting || hours !== undefined) ? [skip] : []),
		...(hours === undefined ? [] : [leaveOut]),
		...(isWaiting ? [wait] : []),
		...(isSkipping ? [skip] : []),
		...(task.findsMessageId ? [remember] : []),
	];
}
