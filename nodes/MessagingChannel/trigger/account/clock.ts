import { systemClock, type Clock } from '../../api/clock';

/** The clock of the triggers. */
export interface TriggerClock extends Clock {
	/** Milliseconds since some moment, by a clock that nobody sets: for durations within this process. */
	elapsed: () => number;
}

/** The clock by which all triggers wait. */
export const clock: TriggerClock = { ...systemClock(), elapsed: () => performance.now() };

/** Unix time in milliseconds, for others to read, of a moment of `clock.elapsed`. */
export function unixTimeOf(moment: number): number {
	return clock.now() - (clock.elapsed() - moment);
}
