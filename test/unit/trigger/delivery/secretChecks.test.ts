import { createSecretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/secrets';
import { verify } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { delivery, NOW, SECRET } from '../deliveries';

let checks: ReturnType<typeof createSecretChecks>;
beforeEach(() => (checks = createSecretChecks()));

const startedAt = 1_900_000_000_000;
const uuid = '3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b';
const tokenOf = (digit: number) => `${startedAt}-${uuid.slice(0, -1)}${digit}`;
const LATER = startedAt + 60_000;
const start = (digit: number, onProof = () => {}) => checks.start(tokenOf(digit), SECRET, onProof);

test('a check stays open while another starts', () => {
	const check = start(1);
	start(2);
	expect(checks.open(tokenOf(1), LATER)).toBe(check);
});

test('an ended check is kept only until the next one starts', () => {
	start(3).end();
	expect(checks.open(tokenOf(3), startedAt)).toBeUndefined();
	start(4);
	// Like the check of another process: only its token is known.
	expect(checks.open(tokenOf(3), startedAt)).toEqual({ report: expect.any(Function) });
});

test('a check tells of an event that it verifies', async () => {
	const onProof = jest.fn();
	const check = start(5, onProof);
	check.report(verify(delivery(), SECRET, NOW));
	await check.reported;
	expect(onProof).toHaveBeenCalledWith(expect.objectContaining({ id: 'event-1' }));
});

describe('a check that another process began', () => {
	test.each([
		[-300_001, false],
		// n8n was killed in it while its clock was ahead.
		[-300_000, true],
		[3_000, true],
		[3_001, false],
	])('is open after %i ms: %s', (ms, isOpen) => {
		expect(checks.open(`${startedAt}-${uuid}`, startedAt + ms) !== undefined).toBe(isOpen);
	});

	test.each([
		undefined,
		'',
		'word',
		`${startedAt}`,
		`${startedAt}-x`,
		`1${startedAt}-${uuid}`,
		`${startedAt}-${uuid}0`,
		`${startedAt}-${uuid.replaceAll('a', 'g')}`,
		[`${startedAt}-${uuid}`],
	])('is not what %j names', (word) => {
		expect(checks.open(word, startedAt)).toBeUndefined();
	});
});

test('the event of a sample is known as such, until a day later, when there are others', () => {
	const DAY = 24 * 60 * 60 * 1000;
	const isSample = (id: string) => checks.isSample(id);
	checks.noteSample('sample-1', startedAt);
	checks.noteSample('sample-2', startedAt + DAY);
	expect(['sample-1', 'sample-2', 'event-1'].map(isSample)).toEqual([true, true, false]);
	checks.noteSample('sample-3', startedAt + DAY + 1);
	expect(['sample-1', 'sample-2', 'sample-3'].map(isSample)).toEqual([false, true, true]);
});
