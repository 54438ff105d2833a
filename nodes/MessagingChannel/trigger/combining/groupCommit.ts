import type { Clock } from '../../api/clock';
import { createEventGroup, type EventGroup, type WaitingEvent } from './eventGroup';

/** How many events go together, and how long they wait for each other. */
export interface GroupLimits {
	maxEvents: number;
	/** How long an event waits while n8n stores another execution, in milliseconds. */
	maxWaitMs: number;
}

/** What a delivery does with its event. */
export type Joined =
	/** It starts the execution of a group, and reports the acceptance with `settle`. */
	| { group: EventGroup }
	/** Another delivery has started it. */
	| { wasAccepted: boolean };

/** The events of one trigger that go into executions together. */
export interface GroupCommit {
	join(event: WaitingEvent, limits: GroupLimits): Promise<Joined>;
}

/**
 * Combines events the way databases commit in groups: the first one goes at once, and those that arrive while n8n stores
 * its execution go together into the next one. A full group does not wait, so the number of events in memory is bounded,
 * and neither does one that has waited for long: a busy n8n can hold an execution back for hours.
 */
export function createGroupCommit({ sleep }: Pick<Clock, 'sleep'>): GroupCommit {
	/** The group that others can still join, and what ends its wait. */
	let gathering: { group: EventGroup; wait: AbortController } | undefined;
	/** Resolves when n8n has stored or refused the latest execution; undefined while it stores none. */
	let storing: Promise<void> | undefined;

	const go = (group: EventGroup): Joined => {
		if (gathering?.group === group) gathering = undefined;
		const stored = group.accepted.then(() => {
			if (storing === stored) storing = undefined;
		});
		storing = stored;
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
				}
				return { wasAccepted: await group.accepted };
			}
			const group = createEventGroup(event);
			if (!storing || group.isFull(maxEvents)) return go(group);
			const wait = new AbortController();
			gathering = { group, wait };
			await Promise.race([storing, sleep(maxWaitMs, wait.signal).catch(() => undefined)]);
			wait.abort();
			return go(group);
		},
	};
}
