import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { untilSome } from '../poll';
import { callerOf } from '../service/testing';
import { textsOf, useTrigger, type Trigger } from './trigger';
import { useTriggerClock } from './triggerClock';

/**
 * A service and an n8n for triggers that fetch messages, with a loop that waits for the test.
 *
 * @param pausesMs those of the loop
 * @param betweenTestsMs each test begins so long after the one before
 */
export function useFetching(pausesMs: number[], betweenTestsMs: number) {
	const place = useTrigger();
	const clock = useTriggerClock({ betweenTestsMs, isPause: (ms) => pausesMs.includes(ms) });
	const ends: Array<() => Promise<void>> = [];
	/** Ends all loops that the test has begun. */
	const endAll = async () => {
		for (const end of ends.splice(0)) await end();
	};
	afterEach(async () => {
		await endAll();
		expect(clock.pausing).toBe(0);
	});
	return {
		...{ place, clock, ends, endAll, api: callerOf(() => place.service), operations: place.operations },
		control: () => place.service.control,
	};
}

/** The texts of the messages that a trigger has started executions for. */
export const ran = ({ started }: Trigger) => textsOf(started.flat());

/** Waits for the executions of so many messages. */
export const runs = async (trigger: Trigger, count = 1) => await untilSome(() => ran(trigger), count);

const INTERVAL_MS = 15_000;

/** The same for triggers that poll. */
export function usePolling() {
	const fetching = useFetching([INTERVAL_MS], 3_600_000);
	const { place, clock, ends, control } = fetching;
	const poller = async (options: INodeParameters = {}) =>
		await place.trigger({ parameters: { listen: 'poll', events: ['message.received'], options } });
	/** Starts to poll, and waits for the first pass. */
	const start = async (trigger: Trigger, activation: WorkflowActivateMode = 'activate') => {
		const before = clock.pausing;
		ends.push(await trigger.watch('trigger', activation));
		await clock.untilPausing(before + 1);
	};
	const publish = async (options?: INodeParameters) => {
		const trigger = await poller(options);
		await trigger.activate();
		await start(trigger);
		await control().clearRequests();
		return trigger;
	};
	/** Lets so many intervals pass, with a pass after each. */
	const advance = async (intervals = 1) => await clock.advance(intervals, INTERVAL_MS);
	const write = async (body: string, message: object = {}) =>
		await control().incomingMessage({ from: '905551112233', body, ...message });
	return { ...fetching, poller, start, publish, advance, write };
}
