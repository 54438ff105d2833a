import fc from 'fast-check';

import { brokenPromises, playReceiving, receivingHistory } from './receiving';

test('no acknowledged event is lost, none runs twice, and the webhook is where it belongs', async () => {
	await fc.assert(
		fc.asyncProperty(receivingHistory, async (history) => {
			expect(brokenPromises(await playReceiving(history))).toEqual([]);
		}),
		{ numRuns: Number(process.env.HISTORIES ?? 2_000), seed: Number(process.env.SEED ?? 1) },
	);
});
