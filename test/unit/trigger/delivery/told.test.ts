import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { createFailureCount, createTeller } from '../../../../nodes/MessagingChannel/trigger/delivery/told';

afterEach(() => void jest.restoreAllMocks());

/** Sets the clock. */
const setTo = (moment: number) => {
	jest.spyOn(clock, 'elapsed').mockReturnValue(moment);
	jest.spyOn(clock, 'now').mockReturnValue(moment);
};

/** Counts a failure at this moment. */
function failAt(failures: ReturnType<typeof createFailureCount>, moment: number) {
	setTo(moment);
	return failures.add();
}

const HOUR_MS = 3_600_000;

const counted = () => {
	const reports = createTeller(HOUR_MS);
	return createFailureCount(() => reports.due('failure'));
};

describe('failures are reported', () => {
	test('with the time of the first since the last success', () => {
		const failures = counted();
		const told = (...moments: number[]) => moments.map((moment) => failAt(failures, moment));
		expect(told(1, 2, 3, 4)).toEqual(Array(4).fill(undefined));
		failures.inARow = 0;
		expect(told(5, 6, 7, 8, 9)).toEqual([...Array<undefined>(4).fill(undefined), 5]);
	});

	test('at most once an hour, however many there are', () => {
		const failures = counted();
		const told = Array.from({ length: 50_000 }, (_, second) => second * 1_000).filter(
			(now) => failAt(failures, now) !== undefined,
		);
		expect(told).toEqual(Array.from({ length: 14 }, (_, hour) => 4_000 + hour * HOUR_MS));
	});
});

test('the same is told once in an interval, with how often it was left out', () => {
	const teller = createTeller(60_000);
	const dueAt = (moment: number, subject = 'flood') => {
		setTo(moment);
		return teller.due(subject);
	};
	expect([dueAt(0), dueAt(0, 'other'), dueAt(1), dueAt(59_999)]).toEqual([0, 0, undefined, undefined]);
	expect([dueAt(60_000), dueAt(60_001), dueAt(120_000)]).toEqual([2, undefined, 1]);
	expect([dueAt(500_000), dueAt(500_000, 'other')]).toEqual([0, 0]);
});
