import { clock, NoResponse, withTimeout } from '../../../../nodes/MessagingChannel/trigger/account/clock';

afterEach(() => void jest.restoreAllMocks());

test('work that is done in time leaves no timer behind', async () => {
	const signals: Array<AbortSignal | undefined> = [];
	jest.spyOn(clock, 'sleep').mockImplementation(async (_, signal) => {
		signals.push(signal);
		await new Promise(() => undefined);
	});

	expect(await withTimeout(1_000, Promise.resolve('done'))).toBe('done');

	expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test('work that takes longer is given up', async () => {
	jest.spyOn(clock, 'sleep').mockResolvedValue(undefined);

	await expect(withTimeout(1_000, new Promise(() => undefined))).rejects.toThrow(
		new NoResponse('There was no response in time'),
	);
});
