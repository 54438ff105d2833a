import type { Clock } from '../../api/clock';
import { createEventGroup, type EventGroup, type Joined, type WaitingEvent } from './eventGroup';

/**
 * How long the next group waits for the senders of the last one. They deliver again as soon as they have their responses,
 * and n8n prepares each delivery for some milliseconds before it calls the trigger.
 */
const RETURN_MS = 250;

/** How many events go together, and how long they wait for each other. */
export interface GroupLimits {
	maxEvents: number;
	/** How long an event waits while n8n stores another execution, in milliseconds. */
	maxWaitMs: number;
}

/** The events of one trigger that go into executions together. */
export interface GroupCommit {
	join(event: WaitingEvent, limits: GroupLimits): Promise<Joined>;
}

/** The senders of several events have their responses, and may deliver their next events. */
interface ReturningSenders {
	/** The number of events that were in flight. When as many wait again, nobody else is expected. */
	events: number;
	wait: AbortController;
}

/**
 * Combines events the way databases commit in groups: the first one goes at once, and those that arrive while n8n stores
 * its execution go together into the next one. If several were in flight, the next group waits until their senders have
 * delivered again; otherwise the first of them would take an execution for itself each time. A full group does not wait, so
 * the number of events in memory is bounded, and neither does one that has waited for long: a busy n8n can hold an
 * execution back for hours.
 */
export function createGroupCommit({ sleep }: Pick<Clock, 'sleep'>): GroupCommit {
	/** The group that others can still join, and what ends its wait. */
	let gathering: { group: EventGroup; wait: AbortController } | undefined;
	/** Resolves when the next group may go; undefined if it may go at once. */
	let busy: Promise<void> | undefined;
	/** The latest, also after its wait has ended. */
	let returning: ReturningSenders | undefined;

	const untilReturned = async (events: number) => {
		returning = { events, wait: new AbortController() };
		await sleep(RETURN_MS, returning.wait.signal).catch(() => undefined);
	};

	const go = (group: EventGroup): Joined => {
		if (gathering?.group === group) gathering = undefined;
		const { size } = group;
		const current = group.accepted.then(async (wasAccepted) => {
			const inFlight = size + (gathering?.group.size ?? 0);
			// A single event in flight never causes a wait.
			if (wasAccepted && inFlight > 1 && busy === current) await untilReturned(inFlight);
			if (busy === current) busy = undefined;
		});
		busy = current;
		return { group };
	};

	return {
		async join(event, { maxEvents, maxWaitMs }) {
			if (gathering) {
				const { group, wait } = gathering;
				group.add(event);
				if (group.isFull(maxEvents)) {
					gathering = undefined;
					wait.abort();
				} else if (returning && group.size >= returning.events) returning.wait.abort();
				return { wasAccepted: await group.accepted };
			}
			const group = createEventGroup(event);
			if (!busy || group.isFull(maxEvents)) return go(group);
			const wait = new AbortController();
			gathering = { group, wait };
			await Promise.race([busy, sleep(maxWaitMs, wait.signal).catch(() => undefined)]);
			wait.abort();
			return go(group);
		},
	};
}
