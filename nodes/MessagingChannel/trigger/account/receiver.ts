import type { Subscriber } from '../../webhook/subscribers';
import type { ForwardResult } from '../sharing/forward';
import { isLasting, seenAgain, type Streak } from './streak';

/** n8n removes and adds the URL of a workflow in seconds, and restarts in minutes. */
const LONG_MS = 5 * 60_000;

/** A workflow of this n8n is back within seconds, unless it is unpublished. */
const OWN_MAX_ABSENCE_MS = 45_000;

/** A receiver that is missing is asked again after a minute, or after five if a request to change the webhook failed. */
const MAX_ASK_GAP_MS = 6 * 60_000;

/** A workflow that is republished twice is not gone. The service may wait long before it delivers to another system again. */
const MAX_EVENT_GAP_MS = { workflow: 2 * 60_000, test: 2 * 60_000, external: 60 * 60_000 };

/** This many events that were never accepted are no accident, however seldom they come. */
const MANY_EVENTS = 5;

/** A single one is no longer held against a receiver when nobody has delivered it again for so long. */
const SINGLE_EVENT_MS = 24 * 60 * 60_000;

/** How long events are counted. */
const EVENT_TTL_MS = 30 * SINGLE_EVENT_MS;

/** The same is told at most once in this time. */
const REPORT_INTERVAL_MS = 60 * 60_000;

/** The oldest are forgotten first. */
const MAX_EVENTS = 1_000;

/** What a receiver responds to the question whether it is there. */
export type Presence = 'present' | 'absent' | 'silent';

/**
 * What the user is told of a receiver:
 * - `refuses`: another system refuses events, or is gone
 * - `blocked`: something in front of a workflow refuses events
 * - `fails`: it does not accept an event that is delivered again and again
 */
export type ReceiverTrouble = 'refuses' | 'blocked' | 'fails';

/** How a receiver of the account's events does, as far as this process sees it. All times are those of `clock.elapsed`. */
export interface Receiver {
	/** Notes what it responds to the question whether it is there. */
	noteAnswer(presence: Presence, now: number): void;
	/** Whether it has been absent for longer than a restart takes, which is shorter where it belongs to this n8n. */
	isGone(isOwn: boolean): boolean;
	/** Whether it has responded nothing of use for long, so that it forwards no events. */
	isSilent(): boolean;
	/** Notes what became of an event that was forwarded to it. */
	noteEvent(eventId: string, result: ForwardResult, now: number): void;
	/** Whether events have found nothing at its URL for so long that none need wait for it. */
	isMissing(): boolean;
	/**
	 * What the user should be told of it now, and since when it is so; undefined if there is nothing, or was told in the last
	 * hour. What is returned counts as told.
	 */
	takeTrouble(result: ForwardResult, now: number): { trouble: ReceiverTrouble; since: number } | undefined;
	/** Takes back that the user was told. */
	forgetReport(): void;
	/** Its state in a few words; undefined if nothing is wrong. */
	describe(now: number): string | undefined;
}

/** An event that a receiver has never accepted. */
type OpenEvent = Streak & { wasRefused: boolean };

/** Creates the record of a receiver of which nothing is known. */
export function createReceiver(kind: Subscriber['kind']): Receiver {
	let absence: Streak | undefined;
	let silence: Streak | undefined;
	let missing: Streak | undefined;
	let reportedAt = -Infinity;
	/** Those that it has not accepted, the oldest first. */
	const open = new Map<string, OpenEvent>();

	const forgetOld = (now: number) => {
		for (const [id, { last }] of open)
			if (now - last > EVENT_TTL_MS || open.size >= MAX_EVENTS) open.delete(id);
	};
	const isMissing = () => isLasting(missing, LONG_MS);
	/** The repair takes a workflow that is absent off the list. */
	const isFailure = (result: ForwardResult) =>
		result === 'failed' || (result === 'absent' && kind === 'external');
	const troubleOf = (result: ForwardResult, now: number) => {
		if (kind === 'external' && missing && isMissing())
			return { trouble: 'refuses' as const, since: missing.since };
		const events = [...open.values()];
		const refused = events.filter(({ wasRefused }) => wasRefused);
		if (result === 'refused' && refused.length >= MANY_EVENTS)
			return {
				trouble: kind === 'external' ? ('refuses' as const) : ('blocked' as const),
				since: Math.min(...refused.map(({ since }) => since)),
			};
		const lasting = events.filter(({ wasRefused, since }) => !wasRefused && now - since >= LONG_MS);
		const isMany = lasting.filter(({ last }) => last > reportedAt).length >= MANY_EVENTS;
		const told = lasting.filter(({ last }) => isMany || now - last <= SINGLE_EVENT_MS);
		if (!isFailure(result) || told.length === 0) return undefined;
		return { trouble: 'fails' as const, since: Math.min(...told.map(({ since }) => since)) };
	};

	return {
		noteAnswer(presence, now) {
			absence = presence === 'absent' ? seenAgain(absence, now, MAX_ASK_GAP_MS) : undefined;
			silence = presence === 'silent' ? seenAgain(silence, now, MAX_ASK_GAP_MS) : undefined;
		},
		isGone: (isOwn) => isLasting(absence, isOwn ? OWN_MAX_ABSENCE_MS : LONG_MS),
		isSilent: () => isLasting(silence, LONG_MS),
		noteEvent(eventId, result, now) {
			forgetOld(now);
			missing = result === 'absent' ? seenAgain(missing, now, MAX_EVENT_GAP_MS[kind]) : undefined;
			if (result === 'accepted') open.delete(eventId);
			if (isFailure(result) || result === 'refused') {
				const since = open.get(eventId)?.since ?? now;
				open.set(eventId, { since, last: now, wasRefused: result === 'refused' });
			}
		},
		isMissing,
		takeTrouble(result, now) {
			const trouble = now - reportedAt < REPORT_INTERVAL_MS ? undefined : troubleOf(result, now);
			if (trouble) reportedAt = now;
			return trouble;
		},
		forgetReport: () => void (reportedAt = -Infinity),
		describe(now) {
			const seconds = (streak: Streak) => `${Math.round((now - streak.since) / 1000)} s`;
			const words = [
				...(absence ? [`absent for ${seconds(absence)}`] : []),
				...(silence ? [`silent for ${seconds(silence)}`] : []),
				...(missing ? [`404 to events for ${seconds(missing)}`] : []),
				...(open.size > 0 ? [`${open.size} events not accepted`] : []),
			];
			return words.length === 0 ? undefined : words.join(', ');
		},
	};
}
