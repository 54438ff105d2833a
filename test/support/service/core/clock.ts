import type { ClockSetting } from './settings';

export type Clock = ReturnType<typeof createClock>;

/** The service's clock: it runs with the machine's until it is moved or stopped. */
export function createClock() {
	let now = () => Date.now();
	return {
		/** Milliseconds since the epoch. */
		now: () => now(),
		set: (to: ClockSetting) => {
			now = 'stoppedAtMs' in to ? () => to.stoppedAtMs : () => Date.now() + to.offsetMs;
		},
	};
}

const dateTime =
	/^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Milliseconds of an ISO 8601 date-time, read as UTC when it has no offset ("What the service does 8"). */
export function parseDateTime(text: string): number | undefined {
	const match = dateTime.exec(text);
	if (!match) return undefined;
	const [, year, month, day, hour, , , zone] = match;
	// Date.parse would turn 30 February into 1 March.
	if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
	const time = Date.parse(hour !== undefined && zone === undefined ? `${text}Z` : text);
	return Number.isNaN(time) ? undefined : time;
}

/** ISO 8601 in UTC. */
export const toDateTime = (ms: number): string => new Date(ms).toISOString();
