import { clock as clockOfTrigger } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { manualClock, type ManualClock } from '../../support/engine/manualClock';

/** Has the trigger use a clock that stands until the test moves it, up to `jest.restoreAllMocks()`. */
export function triggerClockAt(begun: number): ManualClock {
	const clock = manualClock(begun);
	jest.spyOn(clockOfTrigger, 'now').mockImplementation(() => clock.now());
	jest.spyOn(clockOfTrigger, 'elapsed').mockImplementation(() => clock.elapsed());
	jest.spyOn(clockOfTrigger, 'sleep').mockImplementation(async (...wait) => await clock.sleep(...wait));
	return clock;
}
