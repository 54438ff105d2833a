import type { IDataObject } from 'n8n-workflow';

import { noteListening } from '../../../../nodes/MessagingChannel/trigger/catchUp/listening';
import { clock } from '../../../../nodes/MessagingChannel/trigger/delivery/state';

afterEach(() => jest.restoreAllMocks());

test('a trigger that was off for five minutes has listened all the time, and one that was off for longer has not', () => {
	const kept: IDataObject = {};
	const context = {
		getWorkflowStaticData: () => kept,
		getNode: () => ({ id: 'node', parameters: {} }),
		getNodeParameter: (_: string, fallback: unknown) => fallback,
		getActivationMode: () => 'update',
	} as unknown as Parameters<typeof noteListening>[0];
	const now = jest.spyOn(clock, 'now').mockReturnValue(1_000_000);
	noteListening(context);

	for (const [offMs, since] of [
		[300_000, 1_000_000],
		[300_001, 2_000_000],
	] as const) {
		kept.endedAt = 2_000_000 - offMs;
		now.mockReturnValue(2_000_000);
		noteListening(context);
		expect(kept.listeningSince).toBe(since);
	}
});
