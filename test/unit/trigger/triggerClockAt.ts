import { manualClock, type ManualClock } from '../../support/engine/manualClock';
import { replaceTriggerClock } from '../../support/engine/triggerClock';

/** Has the trigger use a clock that stands until the test moves it, up to `jest.restoreAllMocks()`. */
export function triggerClockAt(begun: number): ManualClock {
	const clock = manualClock(begun);
	replaceTriggerClock(clock.now, clock.sleep, clock.elapsed);
	return clock;
}
