import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { accountDigestIn } from '../../api/authentication';
import { clock } from '../account/clock';
import { isPolling } from '../delivery/options';
import type { StartedTrigger } from '../delivery/trigger';
import { catchUpMinutesOf, pollIntervalMsOf, recordsRuns } from './settings';

/** To publish a changed trigger, n8n ends it and starts it again, within seconds or after some failures. */
const MAX_GAP_MS = 5 * 60_000;

type ListeningTrigger = Pick<StartedTrigger, 'node' | 'parameters' | 'saved' | 'activationMode'>;

/** Whether n8n starts the trigger because it starts itself, or because this instance became the leader. */
export function isStartup({ activationMode }: Pick<StartedTrigger, 'activationMode'>): boolean {
	return ['init', 'leadershipChange'].includes(activationMode);
}

/** Whether n8n starts the trigger because somebody publishes the workflow that was not published. */
export function isFirstPublication({ activationMode }: Pick<StartedTrigger, 'activationMode'>): boolean {
	return ['activate', 'manual', 'create'].includes(activationMode);
}

/**
 * Keeps since when a trigger listens: what came in before is never fetched.
 *
 * @param isNew whether another system received the messages until now
 */
export function noteListening(trigger: ListeningTrigger, isNew = false): void {
	const { saved } = trigger;
	const now = clock.now();
	// It lies in the future if the clock was set back.
	const since = isNew ? now : Math.min(listeningSince(trigger, now), now);
	forgetTimes(trigger);
	if (!recordsRuns(trigger)) return;
	saved.listeningSince = since;
	saved.listeningTo = subjectOf(trigger.node);
}

/** Keeps when n8n ended a trigger, whether it publishes it again or not. */
export function noteEnded({ saved }: Pick<ListeningTrigger, 'saved'>): void {
	saved.endedAt = clock.now();
	// n8n ends it again after each failure to start it.
	saved.listenedUntil ??= saved.endedAt;
}

/**
 * Forgets since when a trigger listened, if it was off until now. This comes before anything that can fail, because a later
 * try of n8n to start it does not show that it was off.
 */
export function notePublishing(trigger: ListeningTrigger): void {
	if (wasOff(trigger, clock.now())) forgetTimes(trigger);
}

function forgetTimes({ saved }: ListeningTrigger): void {
	for (const name of ['endedAt', 'listenedUntil', 'listeningTo', 'listeningSince'] as const)
		delete saved[name];
}

/** Whether a trigger was published for another account. A service can change the ID of an account, which keeps its key. */
export function isOtherAccount(
	{ saved }: Pick<ListeningTrigger, 'saved'>,
	accountId: string | undefined,
	credential: ICredentialDataDecryptedObject,
): boolean {
	const hasOtherId = saved.accountId !== undefined && saved.accountId !== accountId;
	return hasOtherId && saved.accountKey !== accountDigestIn(credential);
}

/**
 * From when on messages are wanted: since the trigger listens, and not longer ago than the panel says. All times are Unix
 * milliseconds of n8n's clock.
 *
 * @param startedAt when n8n started the trigger
 * @param isOther whether the credential was changed to another account, whose messages were never wanted
 */
export function wantedSince(trigger: ListeningTrigger, startedAt: number, isOther: boolean): number {
	if (isOther) return startedAt;
	const minutes = catchUpMinutesOf(trigger.parameters);
	const since = Math.max(listeningSince(trigger, startedAt), startedAt - minutes * 60_000);
	// The clock was set back.
	return since > clock.now() ? startedAt : since;
}

/** Whether the workflow was not published until now, or the trigger was turned off. */
function wasOff(trigger: ListeningTrigger, now: number): boolean {
	const { endedAt } = trigger.saved;
	// After a failed start, n8n ends the trigger, and tries again later.
	const hasGap = !isStartup(trigger) && endedAt !== undefined && now - endedAt > MAX_GAP_MS;
	return isFirstPublication(trigger) || hasGap;
}

/**
 * Since when a trigger listens without a break. n8n calls what reads this and what keeps it side by side, so both find it
 * out in the same way.
 *
 * @param now when it begins to listen if it did not before
 */
function listeningSince(trigger: ListeningTrigger, now: number): number {
	const { saved } = trigger;
	if (wasOff(trigger, now)) return now;
	const isContinued = saved.listeningTo === subjectOf(trigger.node);
	if (isContinued && saved.listeningSince !== undefined) return saved.listeningSince;
	if (isStartup(trigger) || saved.listenedUntil === undefined) return now;
	// It was published with other filters. Since the last pass before, nobody asked for messages.
	return saved.listenedUntil - (isPolling(trigger.node) ? pollIntervalMsOf(trigger.parameters) : 0);
}

/**
 * What a trigger listens to. n8n keeps data by a trigger's name, which another trigger can get, and a trigger with other
 * filters did not want what it then finds.
 */
function subjectOf({ id, parameters }: INode): string {
	const { chats, chatType, keywords, messageTypes, takeAnswers } = (parameters.options ??
		{}) as INode['parameters'];
	const { events } = parameters;
	const filters = [chats, chatType, keywords, messageTypes];
	// With it, they drop nothing before a question could take it.
	return JSON.stringify([id, events, ...filters, filters.some(Boolean) && takeAnswers]);
}
