import type { IHookFunctions, INode, ITriggerFunctions } from 'n8n-workflow';

import { savedStateOf } from '../delivery/state';
import { clock } from '../account/clock';
import { catchUpMinutesOf, isPolling, pollIntervalMsOf, recordsRuns } from './settings';

/** To publish a changed trigger, n8n ends it and starts it again, within seconds or after some failures. */
const MAX_GAP_MS = 5 * 60_000;

type ListeningContext = Pick<
	IHookFunctions & ITriggerFunctions,
	'getNode' | 'getNodeParameter' | 'getActivationMode' | 'getWorkflowStaticData'
>;

/** Whether n8n starts the trigger because it starts itself, or because this instance became the leader. */
export function isStartup(context: Pick<ListeningContext, 'getActivationMode'>): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** Whether n8n starts the trigger because somebody publishes the workflow that was not published. */
export function isFirstPublication(context: Pick<ListeningContext, 'getActivationMode'>): boolean {
	return ['activate', 'manual', 'create'].includes(context.getActivationMode());
}

/**
 * Keeps since when a trigger listens: what came in before is never fetched.
 *
 * @param isNew whether another system received the messages until now
 */
export function noteListening(context: ListeningContext, isNew = false): void {
	const saved = savedStateOf(context);
	const now = clock.now();
	// It lies in the future if the clock was set back.
	const since = isNew ? now : Math.min(listeningSince(context, now), now);
	forgetTimes(context);
	if (!recordsRuns(context)) return;
	saved.listeningSince = since;
	saved.listeningTo = subjectOf(context.getNode());
}

/** Keeps when n8n ended a trigger, whether it publishes it again or not. */
export function noteEnded(context: ListeningContext): void {
	const saved = savedStateOf(context);
	saved.endedAt = clock.now();
	// n8n ends it again after each failure to start it.
	saved.listenedUntil ??= saved.endedAt;
}

/**
 * Forgets since when a trigger listened, if it was off until now. This comes before anything that can fail, because a later
 * try of n8n to start it does not show that it was off.
 */
export function notePublishing(context: ListeningContext): void {
	if (wasOff(context, clock.now())) forgetTimes(context);
}

function forgetTimes(context: ListeningContext): void {
	const saved = savedStateOf(context);
	for (const name of ['endedAt', 'listenedUntil', 'listeningTo', 'listeningSince'] as const)
		delete saved[name];
}

/**
 * From when on messages are wanted: since the trigger listens, and not longer ago than the panel says. All times are Unix
 * milliseconds of n8n's clock.
 *
 * @param startedAt when n8n started the trigger
 * @param accountId the account that it listens to now, if the service names it
 */
export function wantedSince(
	context: ListeningContext,
	startedAt: number,
	accountId: string | undefined,
): number {
	const { accountId: publishedFor } = savedStateOf(context);
	// The messages of an account that the credential was changed to were never wanted.
	if (publishedFor !== undefined && publishedFor !== accountId) return startedAt;
	const minutes = catchUpMinutesOf(context);
	const since = Math.max(listeningSince(context, startedAt), startedAt - minutes * 60_000);
	// The clock was set back.
	return since > clock.now() ? startedAt : since;
}

/** Whether the workflow was not published until now, or the trigger was turned off. */
function wasOff(context: ListeningContext, now: number): boolean {
	const { endedAt } = savedStateOf(context);
	// After a failed start, n8n ends the trigger, and tries again later.
	const hasGap = !isStartup(context) && endedAt !== undefined && now - endedAt > MAX_GAP_MS;
	return isFirstPublication(context) || hasGap;
}

/**
 * Since when a trigger listens without a break. n8n calls what reads this and what keeps it side by side, so both find it
 * out in the same way.
 *
 * @param now when it begins to listen if it did not before
 */
function listeningSince(context: ListeningContext, now: number): number {
	const saved = savedStateOf(context);
	if (wasOff(context, now)) return now;
	const isContinued = saved.listeningTo === subjectOf(context.getNode());
	if (isContinued && saved.listeningSince !== undefined) return saved.listeningSince;
	if (isStartup(context) || saved.listenedUntil === undefined) return now;
	// It was published with other filters. Since the last pass before, nobody asked for messages.
	return saved.listenedUntil - (isPolling(context.getNode()) ? pollIntervalMsOf(context) : 0);
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
