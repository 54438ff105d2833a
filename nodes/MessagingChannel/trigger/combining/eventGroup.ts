import type { INodeExecutionData } from 'n8n-workflow';

/** Large enough for bursts of long texts. n8n accepts bodies up to the same size. */
const MAX_BYTES = 16 * 1024 * 1024;

/** An event whose delivery waits for its response. */
export interface WaitingEvent {
	item: INodeExecutionData;
	/** The size of its body. */
	bytes: number;
	/** Called once, with whether n8n accepted the event. */
	settle(wasAccepted: boolean): void;
}

/**
 * Events that go into one execution. One of their deliveries starts it with its return value, and the others wait for what
 * n8n responds to that one.
 */
export interface EventGroup {
	readonly items: INodeExecutionData[];
	readonly size: number;
	/** Resolves to whether n8n accepted the events. */
	readonly accepted: Promise<boolean>;
	add(event: WaitingEvent): void;
	isFull(maxEvents: number): boolean;
	/** Reports whether n8n accepted the events. Only the first call counts. */
	settle(wasAccepted: boolean): void;
}

/** What a delivery does with its event. */
export type Joined =
	/** It starts the execution of a group, and reports the acceptance with `settle`. */
	| { group: EventGroup }
	/** Another delivery has started it. */
	| { wasAccepted: boolean };

/** Creates a group of one event. */
export function createEventGroup(first: WaitingEvent): EventGroup {
	const events = [first];
	let resolve: (wasAccepted: boolean) => void = () => undefined;
	const accepted = new Promise<boolean>((resolved) => (resolve = resolved));
	return {
		get items() {
			return events.map(({ item }) => item);
		},
		get size() {
			return events.length;
		},
		accepted,
		add: (event) => void events.push(event),
		isFull: (maxEvents) =>
			events.length >= maxEvents || events.reduce((sum, { bytes }) => sum + bytes, 0) >= MAX_BYTES,
		settle(wasAccepted) {
			for (const event of events.splice(0)) event.settle(wasAccepted);
			resolve(wasAccepted);
		},
	};
}
