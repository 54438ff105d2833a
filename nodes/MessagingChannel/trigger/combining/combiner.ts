import type { INodeExecutionData } from 'n8n-workflow';

import type { Clock } from '../../api/clock';

/** Large enough for bursts of long texts. n8n accepts bodies up to the same size. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Over all chats. n8n keeps each delivery that waits in memory, with an expression engine of about 9 MB. */
const MAX_IN_CHATS = 60;

/**
 * How long the next group waits for the senders of the last one. They deliver again as soon as they have their responses,
 * and n8n prepares each delivery for some milliseconds before it calls the trigger.
 */
const RETURN_MS = 250;

/** An event whose delivery waits for its response. */
export interface WaitingEvent {
	item: INodeExecutionData;
	/** Whether it passes the filters by itself: one message with a keyword is enough for its chat. */
	isWanted: boolean;
	/** The size of its body. */
	bytes: number;
	/** Called with whether n8n accepted the event. Only the first call counts. */
	settle(wasAccepted: boolean): void;
}

/** Events that go into one execution. The delivery of the first one starts it, and reports what n8n responds. */
export interface EventGroup {
	readonly events: readonly WaitingEvent[];
	settle(wasAccepted: boolean): void;
}

/** What a delivery does with its event: it starts the execution of a group, or another delivery has done so. */
export type Joined = EventGroup | { wasAccepted: boolean };

/** How many events go together while n8n is busy, and how long they wait for each other, in milliseconds. */
export interface BusyLimits {
	maxEvents: number;
	maxWaitMs: number;
}

/** How long the messages of a chat wait for each other, in milliseconds: without a further one, and from the first on. */
export interface ChatLimits {
	silenceMs: number;
	maxWaitMs: number;
}

/** Combines the events of one trigger. A group that is full waits for nothing, so the number of events in memory is bounded. */
export interface Combiner {
	/**
	 * Combines events the way databases commit in groups: the first one goes at once, and those that arrive while n8n stores
	 * its execution go together into the next one. If several were in flight, the next group waits until their senders have
	 * delivered again; otherwise the first of them would take an execution for itself each time. No group waits for long: a
	 * busy n8n can hold an execution back for hours.
	 */
	whenBusy(event: WaitingEvent, limits: BusyLimits): Promise<Joined>;
	/** Gathers the messages of a chat until it is silent. When too many wait, those of the chat that has waited longest go. */
	perChat(chat: string, message: WaitingEvent, limits: ChatLimits): Promise<Joined>;
	/** Ends all waits. */
	flush(): void;
}

/** A group, which others can join until it goes. */
interface Gathering extends EventGroup {
	events: WaitingEvent[];
	/** Resolves to whether n8n accepted the events. */
	accepted: Promise<boolean>;
	/** When the latest one came, by `clock.elapsed`. */
	lastAt: number;
	wait: AbortController;
}

/** When a group goes. */
interface Due {
	maxEvents: number;
	maxWaitMs: number;
	/** What it waits for; undefined if it goes at once. */
	until: (group: Gathering) => Promise<void> | undefined;
	onGo?: (group: Gathering) => void;
}

/** The key of the events that wait while n8n is busy. No chat has it. */
const BUSY = '';

/** Creates a combiner without events. */
export function createCombiner({ elapsed, sleep }: Pick<Clock, 'elapsed' | 'sleep'>): Combiner {
	/** Those that others can still join, by chat, the oldest first. */
	const groups = new Map<string, Gathering>();
	/** Resolves when the next events may go; undefined before the first ones. */
	let busy: Promise<void> | undefined;
	/** The senders that were waited for last. When as many events wait again, nobody else is expected. */
	let returning: { events: number; wait: AbortController } | undefined;

	const release = (key: string, group: Gathering) => {
		if (groups.get(key) === group) groups.delete(key);
		group.wait.abort();
	};
	const join = async (key: string, event: WaitingEvent, due: Due): Promise<Joined> => {
		const existing = groups.get(key);
		if (existing) {
			existing.events.push(event);
			existing.lastAt = elapsed();
			if (isFull(existing, due.maxEvents)) release(key, existing);
			return { wasAccepted: await existing.accepted };
		}
		const group = createGathering(event, elapsed());
		const wait = isFull(group, due.maxEvents) ? undefined : due.until(group);
		if (wait) {
			groups.set(key, group);
			await Promise.race([wait, sleep(due.maxWaitMs, group.wait.signal)]).catch(() => undefined);
			release(key, group);
		}
		due.onGo?.(group);
		return group;
	};

	/** The next events wait until n8n has stored these. */
	const becomeBusy = ({ events, accepted }: Gathering) => {
		const current = accepted.then(async (wasAccepted) => {
			const inFlight = events.length + (groups.get(BUSY)?.events.length ?? 0);
			// A single event in flight never causes a wait.
			if (wasAccepted && inFlight > 1 && busy === current) {
				returning = { events: inFlight, wait: new AbortController() };
				await sleep(RETURN_MS, returning.wait.signal).catch(() => undefined);
			}
		});
		busy = current;
	};

	const untilSilent = async (group: Gathering, silenceMs: number) => {
		for (;;) {
			const ms = group.lastAt + silenceMs - elapsed();
			if (ms <= 0) return;
			await sleep(ms, group.wait.signal);
		}
	};

	return {
		async whenBusy(event, limits) {
			const joined = join(BUSY, event, { ...limits, until: () => busy, onGo: becomeBusy });
			const waiting = groups.get(BUSY)?.events.length ?? 0;
			if (returning && waiting >= returning.events) returning.wait.abort();
			return await joined;
		},
		async perChat(chat, message, { silenceMs, maxWaitMs }) {
			const [oldest] = groups;
			const waiting = [...groups.values()].reduce((sum, { events }) => sum + events.length, 0);
			if (oldest && waiting >= MAX_IN_CHATS) release(...oldest);
			const until = async (group: Gathering) => await untilSilent(group, silenceMs);
			return await join(chat, message, { maxEvents: MAX_IN_CHATS, maxWaitMs, until });
		},
		flush() {
			for (const entry of groups) release(...entry);
		},
	};
}

function createGathering(first: WaitingEvent, now: number): Gathering {
	const events = [first];
	let resolve: (wasAccepted: boolean) => void = () => undefined;
	const accepted = new Promise<boolean>((resolved) => (resolve = resolved));
	const settle = (wasAccepted: boolean) => {
		for (const event of events) event.settle(wasAccepted);
		resolve(wasAccepted);
	};
	return { events, accepted, settle, lastAt: now, wait: new AbortController() };
}

function isFull({ events }: EventGroup, maxEvents: number): boolean {
	return events.length >= maxEvents || events.reduce((sum, { bytes }) => sum + bytes, 0) >= MAX_BYTES;
}
