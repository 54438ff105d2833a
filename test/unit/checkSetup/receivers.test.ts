import { sendSample } from '../../../nodes/MessagingChannel/checkSetup/receivers';
import { RESPONSE_HEADER } from '../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { receiver } from './facts';

const LONG_AGO = 1e6;

/** What several processes tell in turn of when they got which delivery last. */
test.each<[string, Array<Record<string, number>>, unknown]>([
	['arrived at the process that answers first', [{ verified: 0 }], { end: 'verified' }],
	['arrived at the other one', [{ verified: LONG_AGO }, { verified: 0 }], { end: 'verified' }],
	['was refused', [{ verified: LONG_AGO, old: 0 }], { end: 'old' }],
	['arrived with a forged one', [{ forged: 0, verified: 0 }], { end: 'verified' }],
	['did not arrive', [{ verified: LONG_AGO }, { verified: 2 * LONG_AGO }, {}], 'missing'],
])('a sample that %s', async (_, told, sample) => {
	let asked = 0;
	const seen = await sendSample([receiver()], 'secret', {
		instanceId: 'this',
		client: { call: async () => await Promise.resolve({ success: true }), download: jest.fn() },
		clock: {
			now: () => 0,
			elapsed: () => 0,
			random: () => 0,
			sleep: async () => await Promise.resolve(),
			yield: jest.fn(),
		},
		request: async () =>
			await Promise.resolve({
				statusCode: 200,
				headers: { [RESPONSE_HEADER]: '1' },
				body: { lastMsAgo: told[asked++ % told.length] },
			}),
	});
	expect(seen).toEqual(sample);
});
