import { createSecretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/secrets';

let checks: ReturnType<typeof createSecretChecks>;
beforeEach(() => (checks = createSecretChecks()));

const startedAt = 1_900_000_000_000;
const tokenOf = (digit: number) => `${startedAt}-3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6${digit}`;
const LATER = startedAt + 60_000;

test('a check stays open while another starts', () => {
	const check = checks.start(tokenOf(1), 'secret');
	checks.start(tokenOf(2), 'secret');
	expect(checks.open(tokenOf(1), LATER)).toBe(check);
});

test('an ended check is kept only until the next one starts', () => {
	checks.start(tokenOf(3), 'secret').end();
	expect(checks.open(tokenOf(3), startedAt)).toBeUndefined();
	checks.start(tokenOf(4), 'secret');
	// Like the check of another process: only its token is known.
	expect(checks.open(tokenOf(3), startedAt)).toEqual({ report: expect.any(Function) });
});

test('a check that n8n was killed in ends, although its clock was ahead', () => {
	const AHEAD = 5 * 60_000;
	expect(checks.open(tokenOf(5), startedAt - AHEAD)).toBeDefined();
	expect(checks.open(tokenOf(5), startedAt - AHEAD - 1)).toBeUndefined();
});

test('late samples are forgotten after a day, when there are others', () => {
	const DAY = 24 * 60 * 60 * 1000;
	checks.noteSample('sample-1', startedAt);
	checks.noteSample('sample-2', startedAt + DAY);
	const isSample = (id: string) => checks.isSample(id);
	expect(['sample-1', 'sample-2', 'event-1'].map(isSample)).toEqual([true, true, false]);
	checks.noteSample('sample-3', startedAt + DAY + 1);
	expect(['sample-1', 'sample-2', 'sample-3'].map(isSample)).toEqual([false, true, true]);
});

test('the event of a sample is known as such', () => {
	checks.noteSample('sample', startedAt);

	expect([checks.isSample('sample'), checks.isSample('another')]).toEqual([true, false]);
});
