import fc from 'fast-check';

import { brokenPromises, playSending, sendingHistory } from './sending';

test('no message is sent twice, and every report is true', async () => {
	await fc.assert(
		fc.asyncProperty(sendingHistory, async (history) => {
			expect(brokenPromises(await playSending(history))).toEqual([]);
		}),
		{ numRuns: Number(process.env.HISTORIES ?? 2_000), seed: Number(process.env.SEED ?? 1) },
	);
});
