import { createRequestRow } from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestRow';
import { createSerialQueue } from '../../../../nodes/MessagingChannel/n8n/serialQueue';
import { virtualClock } from '../../../support/engine/clock';

test('what was confirmed is stored within seconds, also when the clock is set back by hours', async () => {
	const clock = virtualClock();
	const recorded: string[] = [];
	const store = {
		record: async (keys: string[]) => {
			recorded.push(...keys);
			return await Promise.resolve([]);
		},
		remove: async () => await Promise.resolve(),
	};
	const shared = {
		confirmed: new Set(['a']),
		unneededKeys: new Set<string>(),
		recordedAt: clock.now(),
		inSeries: createSerialQueue(),
	};
	const row = createRequestRow(shared, store, clock, new AbortController().signal, () => {});
	row.flushLater();
	const { now } = clock;
	clock.now = () => now() - 2 * 60 * 60 * 1000;

	await clock.sleep(5000);

	expect(recorded).toEqual(['id a', 'made a']);
});
